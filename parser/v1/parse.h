/*
 * What the steps from bytes to a struct v1_trace share. v1_parse (parse.c) runs them one after the other:
 *
 *   1. v1_scan     goes over all records, checks each by itself, fills in the tables, and notes which runs of events
 *                  each proc wrote
 *   2. v1_merge    puts the events in order by what goroutines can do, as Go does since 1.7; v1_sequence does it before
 *                  that, by sequence numbers
 *   3. v1_clock    puts ends of system calls where their time is, and finds out how long a tick is
 *   4. v1_futile   leaves out futile wakeups
 *   5. v1_check    holds the outcome against what can happen, turns ticks into nanoseconds, and restores what follows
 *                  from the order
 *
 * The last one does all that can be done in one go, as going over all events takes long by itself.
 */
#ifndef THRACE_PARSER_V1_PARSE_H
#define THRACE_PARSER_V1_PARSE_H

#include "parser/hints.h"
#include "parser/v1/trace.h"

/*
 * Go makes a proc for each processor that it may use, so that this is out of reach. Below it the time that merging takes
 * stays in proportion to the trace, whatever it says.
 */
enum { V1_MAX_PROCS = 16384 };

/* Events of a proc that stand one behind the other, with nothing but CPU samples between them. */
struct v1_run {
    uint64_t at, end;
    int64_t ticks, seq; /* what the first one counts from */
    size_t next;        /* the next run of the proc, 0: none */
};

/* A proc that wrote events, or the one that all CPU samples are on. */
struct v1_proc {
    uint16_t p_index;
    bool samples;
    size_t run;            /* what comes next; runs count from 1 */
    size_t last_run;       /* for v1_scan */
    const uint8_t *p, *end; /* what is left of this run; of samples, p is NULL and sample counts */
    size_t sample;
    int64_t ticks, seq;
    uint32_t g; /* the index of what runs on it, 0: nothing */
};

struct v1_parse {
    struct v1_trace *t;
    struct v1_error *e;
    enum v1_view view;
    VEC(struct v1_run) runs;
    VEC(struct v1_proc) procs; /* in the order in which they first wrote */
    VEC(struct v1_event) samples;
    size_t procs_before_samples; /* so many had written before the first sample was */
    size_t strings_cap, stacks_cap;
    struct idmap proc_ids; /* index + 1 */
    struct idmap p_ids;    /* to indices in the trace, + 1 */
    struct idmap timers;   /* goroutines that run timers */
    struct idmap gs;       /* to indices in the trace, but goroutine 0 */
    size_t nfutile;        /* events that tell of a futile wakeup */
    uint64_t first;        /* the ticks of the first event */
    double ns_per_tick;
    VEC(size_t) exits;     /* events whose time is not the one they were sorted by, ascending */
};

bool v1_scan(struct v1_parse *s);
bool v1_merge(struct v1_parse *s);
bool v1_sequence(struct v1_parse *s);
bool v1_clock(struct v1_parse *s);

/* As Go on x86 does it, also where the outcome does not fit. */
static inline int64_t v1_nanoseconds(const struct v1_parse *s, int64_t ticks)
{
    double ns = (double)(int64_t)((uint64_t)ticks - s->first) * s->ns_per_tick;
    return ns >= -0x1p63 && ns < 0x1p63 ? (int64_t)ns : INT64_MIN;
}

bool v1_futile(struct v1_parse *s);
bool v1_check(struct v1_parse *s);

/*
 * The next event of a proc, with the time in ticks and the arguments behind sequence and ticks; false: there is none, or
 * s->e says why. Local events keep their ids.
 */
bool v1_proc_next(struct v1_parse *s, struct v1_proc *proc, struct v1_event *ev, uint64_t args[V1_MAX_ARGS]);

/* Puts CPU samples in order of time. */
bool v1_sort_samples(struct v1_parse *s);

/* Adds a stack to the trace, as number nstacks. */
bool v1_add_stack(struct v1_parse *s, const struct v1_stack *stack);

/* The index of a goroutine. False: out of memory. */
bool v1_new_g(struct v1_parse *s, uint64_t g, uint32_t *index);
static inline bool v1_index_g(struct v1_parse *s, uint64_t g, uint32_t *index)
{
    *index = idmap_get(&s->gs, g);
    return LIKELY(*index) || !g || v1_new_g(s, g, index);
}

/* The index of a proc, which the record of that ID at `at` names. False: there are too many, or out of memory. */
bool v1_index_p(struct v1_parse *s, int32_t p, uint64_t at, unsigned id, uint16_t *index);

/* Says so, and returns false. */
bool v1_no_memory(struct v1_parse *s);

#endif
