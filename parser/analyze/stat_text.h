/*
 * Texts of a trace as small numbers, so that equal ones can be counted together. Memory is bounded: what comes after
 * the last number that there is, is text 0, "others".
 *
 * Texts are fit for a terminal: valid UTF-8 without control characters, but for the newline between two frames.
 */
#ifndef THRACE_PARSER_ANALYZE_STAT_TEXT_H
#define THRACE_PARSER_ANALYZE_STAT_TEXT_H

#include <stdint.h>
#include <string.h>

#include "gotrace/reader.h"
#include "parser/analyze/frames.h"
#include "parser/idmap.h"
#include "parser/vec.h"

enum { STAT_CACHE_BITS = 12, STAT_CACHE_BITS_MAX = 18 };
enum { STAT_FRAMES = 5, STAT_DEEPEST = 128, STAT_NTEXTS = 32768, STAT_NRECENT = 64 };

/* What may be said of a stack. */
enum stat_stack_text {
    STAT_WHERE,   /* the object, the function and who called it, a line each */
    STAT_CALL,    /* the function, and where the program called it: "fdatasync (journal.c:88 flush)" */
    STAT_CALL_ON, /* the same, and behind it on what, if the stack says that: "… on file /var/lib/journal" */
    STAT_PLACE,   /* the program's innermost frame: "flush (journal.c:88)" */
    STAT_SAMPLED, /* the same without the line */
    STAT_INNERMOST, /* the innermost function */
    STAT_STACK_TEXTS
};

/* What a wait is for. */
struct stat_object {
    enum wait_object kind;
    enum wait_need need;
    uint32_t text, name; /* the name with the place of its definition, and without */
};

struct stat_texts {
    unsigned depth;     /* STAT_WHERE has so many frames, and none is left out; 0: as said below */
    struct idmap index; /* hash of a text to its number + 1 */
    VEC(char *) list;
    /*
     * Stacks that were met last: a handle tells without their frames which text they are. 2^cache_bits of them, more
     * when a generation has more; each is a line of the processor's cache.
     */
    struct stat_cached {
        struct gotrace_stack stack;
        uint16_t text[STAT_STACK_TEXTS];
        bool is_split, is_called;
        struct stat_object object;
    } __attribute__((aligned(64))) *cache;
    struct stat_cached *met; /* the last: one event asks for the same several times */
    unsigned cache_bits;
    size_t displaced; /* stacks by others of their generation, since the cache grew */
    struct gotrace_stack parted; /* the last one that was taken apart: several texts are made of it */
    struct stack_parts parts;
    struct stat_recent {
        const char *text;
        size_t len;
        uint32_t number;
    } recent[STAT_NRECENT];
    uint32_t empty; /* the number of "", if it has one by now */
    bool failed; /* memory is short */
};

static inline bool stat_str_is(struct gotrace_str s, const char *text)
{
    return s.len == strlen(text) && !memcmp(s.data, text, s.len);
}

void stat_texts_init(struct stat_texts *t);
void stat_texts_free(struct stat_texts *t);

uint32_t stat_text(struct stat_texts *t, struct gotrace_str s);

static inline uint32_t stat_literal(struct stat_texts *t, const char *text)
{
    return stat_text(t, (struct gotrace_str){text, strlen(text)});
}

static inline uint32_t stat_empty(struct stat_texts *t)
{
    if (!t->empty)
        t->empty = stat_literal(t, "");
    return t->empty;
}

/* The text with this number. */
static inline const char *stat_text_of(const struct stat_texts *t, uint32_t number)
{
    return number < t->list.n ? t->list.v[number] : "";
}

/*
 * A stack's text; 0 frames: "". That of a thread's end is "its end". STAT_WHERE has STAT_FRAMES frames at most besides
 * the object: the innermost one, and the innermost ones of the program behind it.
 */
uint32_t stat_text_stack_at(struct stat_texts *t, const struct gotrace_stack *stack, enum stat_stack_text what);

static inline uint32_t stat_text_stack(struct stat_texts *t, struct gotrace_stack stack, enum stat_stack_text what)
{
    return stat_text_stack_at(t, &stack, what);
}

/*
 * What its frames are: .object, which without one says what the wait may hold up, all the same; and .is_called: the
 * innermost function is not the program's, which has called it. Until the next call for a stack.
 */
const struct stat_cached *stat_text_split(struct stat_texts *t, const struct gotrace_stack *stack);

/* A function and its file: "compress (zip.c)". */
uint32_t stat_text_frame(struct stat_texts *t, const struct gotrace_frame *f);

/* The function of frame i; "" if there is none. */
uint32_t stat_text_function(struct stat_texts *t, struct gotrace_stack stack, size_t i);

#endif
