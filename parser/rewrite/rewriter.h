/*
 * Writes events that were read into a trace of their own, in the order in which the reader hands them out: thread by
 * thread, with tables of what they refer to. Times are the reader's, in nanoseconds, and each is later than the one
 * before, so that the reader of the new trace has the same order and the same times.
 */
#ifndef THRACE_PARSER_REWRITE_REWRITER_H
#define THRACE_PARSER_REWRITE_REWRITER_H

#include "gotrace/builder.h"
#include "parser/event.h"
#include "parser/raw_buffer.h"
#include "parser/rewrite/distinct.h"
#include "parser/rewrite/kept_stacks.h"

/* The events of a thread that are not written yet. */
struct rewriter_lane {
    uint64_t thread;
    int64_t base, last; /* times of the first and the last event */
    struct raw_buffer events;
};

/* What one reader's generation has, in the builder's tables. */
struct rewriter_source {
    struct idmap strings, stacks; /* IDs of the generation that is read to those of the builder */
    uint64_t serial;              /* of that generation */
    uint64_t generation;          /* that is written */
    struct distinct *distinct;    /* makes IDs and names those of one of several traces; NULL: they stay as they are */
};

struct rewriter {
    struct gotrace_builder *builder;
    struct failure *f;
    struct rewriter_source own;
    struct rewriter_source *source; /* of what is added now: own, or the caller's */
    VEC(struct rewriter_lane) lanes;
    struct idmap lane_of; /* index + 1 */
    size_t lane;          /* the last one used */
    size_t held;          /* bytes in all lanes */
    uint64_t generation;            /* that is written; 0: none yet */
    uint64_t size;                  /* bytes of events in it, about */
    int64_t last;                   /* time of the last event */
};

/* Each returns false when it fails; then f says why. f is the caller's, as the file is. */
bool rewriter_begin(struct rewriter *w, int version, FILE *to, struct failure *f);
void rewriter_free(struct rewriter *w);
void rewriter_source_free(struct rewriter_source *s);

/*
 * Begins the next generation at that time. clock: what clocks showed at some other time; NULL: nobody knows.
 */
bool rewriter_generation(struct rewriter *w, int64_t time, const struct gotrace_clock_snapshot *clock);

/* The builder's IDs of what the event's generation has as id. */
bool rewriter_string(struct rewriter *w, const struct generation *g, uint64_t id, uint64_t *to);
bool rewriter_stack(struct rewriter *w, const struct generation *g, uint64_t id, uint64_t *to);
bool rewriter_kept_stack(struct rewriter *w, const struct kept_stacks *kept, uint32_t number, uint64_t *to);

/* One that is kept, but for the object that it waited for, below one more frame. */
bool rewriter_kept_below(struct rewriter *w, const struct kept_stacks *kept, uint32_t number,
                         const struct gotrace_builder_frame *mark, uint64_t *to);

/*
 * Adds an event of a thread at that time, or as soon after it as there was no event yet. args are those without dt,
 * with IDs of the builder.
 */
bool rewriter_event(struct rewriter *w, uint64_t thread, int64_t time, uint8_t id, const uint64_t *args);

/* Likewise, with the strings and stacks of the event's generation. */
bool rewriter_copy(struct rewriter *w, const struct gotrace_event *ev, uint64_t thread, const uint64_t *args);

bool rewriter_sample(struct rewriter *w, const struct gotrace_event *ev);

/* All that is in the generation's tables besides what events refer to. */
bool rewriter_experiments(struct rewriter *w, const struct generation *g, int64_t time);
bool rewriter_string_itself(struct rewriter *w, struct gotrace_str s);

/* Likewise a short text of ours. */
__attribute__((format(printf, 2, 3))) bool rewriter_note(struct rewriter *w, const char *format, ...);

/*
 * Strings that nothing refers to tell of the recording. Counts of locks and heap profiles are of all of it, and not
 * said of a part.
 */
bool rewriter_notes(struct rewriter *w, const struct generation *g, bool whole);

/* Ends the trace. */
bool rewriter_end(struct rewriter *w);

/* Fails for want of memory; false. */
bool rewriter_no_memory(struct rewriter *w);

#endif
