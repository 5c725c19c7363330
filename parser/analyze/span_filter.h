/*
 * Which stretches of time count (spans.h), and of these which part: of what threads, in what function, for what reason,
 * for what object, from when until when, and how long ones.
 *
 * Whether a stretch counts is known when it begins, because of those who sum up what others did meanwhile. How long it
 * will be, what its thread will turn out to be called, and what a percent of the trace is, is not. Where that matters
 * the trace is read once before, to learn it: a bit for each stretch.
 */
#ifndef THRACE_PARSER_ANALYZE_SPAN_FILTER_H
#define THRACE_PARSER_ANALYZE_SPAN_FILTER_H

#include <regex.h>

#include "parser/analyze/stat_text.h"

enum span_expression { SPAN_THREAD, SPAN_FUNCTION, SPAN_OBJECT, SPAN_EXPRESSIONS };
enum { SPAN_NSTACKS = 4096 };

/* A time of the trace, since its begin: ns, or a part of its length in SPAN_WHOLE-ths. */
#define SPAN_WHOLE UINT64_C(100000000000)
struct span_moment {
    enum { SPAN_UNLIMITED, SPAN_NS, SPAN_PART } kind;
    uint64_t value;
};

struct span_filter {
    struct span_moment from, to; /* to does not belong to it any more */
    uint64_t min;                /* ns: of the whole stretch, whatever part of it counts */
    const char *reason;          /* NULL: any */
    regex_t expressions[SPAN_EXPRESSIONS];
    bool has[SPAN_EXPRESSIONS];
    /* What is learned: a bit for each stretch, in the order in which they begin. */
    enum { SPAN_DECIDES, SPAN_LEARNS, SPAN_HAS_LEARNED } mode;
    uint64_t length; /* of the trace, ns */
    VEC(uint64_t) bits;
    /* What expressions say of texts, by their numbers, and of stacks. */
    uint8_t texts[SPAN_EXPRESSIONS][STAT_NTEXTS];
    struct span_stack {
        struct gotrace_stack stack;
        bool matches;
    } stacks[SPAN_NSTACKS];
    VEC(char) name; /* that is looked at */
    bool failed;    /* memory is short */
};

/* A new one, which lets everything pass; NULL: memory is short. */
struct span_filter *span_filter_new(void);
void span_filter_free(struct span_filter *f);

/* Adds an expression of POSIX's extended ones. False: it is none, and why says so. */
bool span_filter_expression(struct span_filter *f, enum span_expression which, const char *text, char *why,
                            size_t size);

/* The trace has to be read twice: with `learns` set first. */
bool span_filter_must_learn(const struct span_filter *f);

/* In ns since the begin of the trace; UINT64_MAX: it is unlimited. What is a part of the length has to be learned. */
uint64_t span_moment_ns(const struct span_filter *f, const struct span_moment *m);

/* Whether the stretch that begins counts, if its stack does, as far as that is known. number: how many began before. */
bool span_filter_begins(struct span_filter *f, const struct stat_texts *texts, uint64_t number, uint32_t reason,
                        const struct stat_object *object);

/* Whether the stack has a function that is asked for, or none is. */
bool span_filter_stack(struct span_filter *f, struct gotrace_stack stack);

/* Nothing is asked for that is true of some threads, or some of what they do, only. */
bool span_filter_is_open(const struct span_filter *f);

/* Whether a thread of that name passes; 0: it has none. */
bool span_filter_thread(struct span_filter *f, const struct stat_texts *texts, uint32_t name);

/* When it learns: what is known of the stretch at its end. counts: what span_filter_begins said. */
void span_filter_ends(struct span_filter *f, const struct stat_texts *texts, uint64_t number, bool counts,
                      uint32_t name, uint64_t ns);

#endif
