/*
 * One generation: its batches by thread and the tables that its events refer to. Pure data; which event comes next is
 * the frontier's business, and whether it may, the ordering's. Strings and batches point into the source; runs of
 * events may be left in the file until it is their turn.
 */
#ifndef THRACE_PARSER_GENERATION_H
#define THRACE_PARSER_GENERATION_H

#include "parser/batch.h"
#include "parser/idmap.h"
#include "parser/vec.h"

/* A run of timed events of one thread. */
struct run {
    const uint8_t *data; /* NULL: still in the file */
    uint32_t size;
    uint32_t next; /* the thread's next run, by index; 0: none, as the first run of all follows no other */
    uint64_t time;
    uint64_t offset; /* of the data in the trace */
};

/* The runs of one thread, in the order of the trace. */
struct lane {
    uint64_t thread;
    uint32_t first, last;
};

struct frame {
    uint64_t pc, function, file, line;
};

struct stack {
    uint32_t first, n; /* in pcs */
};

struct sample {
    int64_t time;
    uint64_t thread, proc, goroutine, stack;
    uint64_t offset;
};

/* Timestamp units to nanoseconds. */
struct clock {
    double ns_per_unit; /* 0: not known */
    uint64_t whole;     /* the same if it is a whole number that is small, else 0 */
    uint64_t exact;     /* below this many units, units * whole is what floating point would give */
};

struct generation {
    struct source *source; /* has the runs that are still in the file */
    uint64_t number;
    uint64_t serial; /* of the handles of stacks: whoever changes or gives up the tables takes another one */
    uint64_t min_time; /* in timestamp units */
    struct clock clock;
    bool followed; /* by a batch of the next generation: there is no other end */
    bool has_snapshot;
    uint64_t snap_time, snap_mono, snap_sec, snap_nsec; /* snap_time in timestamp units */

    VEC(struct run) runs;
    VEC(struct lane) lanes;
    struct idmap lane_of; /* thread: index of its lane + 1 */

    VEC(struct gotrace_str) strings;
    struct idmap string_of; /* index + 1 */
    VEC(struct stack) stacks;
    struct idmap stack_of; /* index + 1 */
    VEC(uint32_t) pcs;     /* indices of frames */
    VEC(struct frame) frames;
    struct idmap frame_of; /* PC: index + 1. A PC is one frame in the whole generation: the first one wins. */

    VEC(struct sample) samples; /* by time */
    VEC(struct batch) experimental;
};

enum generation_result {
    GENERATION_OK,
    GENERATION_CUT,    /* complete as far as it goes; f says what comes after it */
    GENERATION_NONE,   /* the trace is over */
    GENERATION_BROKEN, /* f says why */
};

/*
 * Reads the next generation of a trace of that version into g, which forgets the one before. After CUT and BROKEN
 * nothing can be read any more.
 */
enum generation_result generation_read(struct generation *g, struct source *s, const struct wire_version *version,
                                       struct failure *f);

void generation_free(struct generation *g);

/*
 * Empties the tables but for ID 0, the empty string and the stack without frames; adds a batch of strings, stacks or
 * samples. False: f says why.
 */
bool tables_begin(struct generation *g, struct failure *f);
bool tables_add_strings(struct generation *g, const struct batch *b, struct failure *f);
bool tables_add_stacks(struct generation *g, const struct batch *b, struct failure *f);
bool tables_add_samples(struct generation *g, const struct batch *b, struct failure *f);

/* Once the generation is complete: whether all strings that frames refer to exist; samples in order of time. */
bool tables_check_frames(const struct generation *g, struct failure *f);
bool tables_sort_samples(struct generation *g, struct failure *f);

static inline bool generation_has_string(const struct generation *g, uint64_t id)
{
    return idmap_get(&g->string_of, id);
}

static inline bool generation_has_stack(const struct generation *g, uint64_t id)
{
    return idmap_get(&g->stack_of, id);
}

/* The string, or the empty one if there is none. */
struct gotrace_str generation_string(const struct generation *g, uint64_t id);

/* As Go converts: through floating point, and out of range is the smallest integer. */
int64_t clock_slow_ns(const struct clock *c, uint64_t units);

static inline int64_t clock_ns(const struct clock *c, uint64_t units)
{
    return LIKELY(units < c->exact) ? (int64_t)(units * c->whole) : clock_slow_ns(c, units);
}

#endif
