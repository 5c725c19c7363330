/* What is known of a trace while its page is made. */
#ifndef THRACE_CMD_VIEW_LANE_H
#define THRACE_CMD_VIEW_LANE_H

#include "cmd/view/blocks.h"
#include "parser/analyze/spans.h"
#include "parser/analyze/stack_store.h"

/* What a stretch is, but for when and where: equal ones are one. */
struct lane_what {
    uint32_t state;                 /* enum gotrace_state */
    uint32_t kind;                  /* enum wait_object; of a system call: whether the thread was made in it */
    uint32_t reason, object, place; /* texts of spans.texts; object 0: none */
    uint32_t stack;                 /* of the store */
};

struct lane_thread {
    uint64_t id, tid; /* tid: GOTRACE_NONE if it is not known */
    uint32_t name;    /* text; 0: not known */
    uint32_t maker;   /* lane + 1, or 0 */
    int64_t begin, end;
};

/* A part of a block: so many numbers, the same in each row. */
enum { SPAN_COLUMNS = 4, SAMPLE_COLUMNS = 2 };
enum { NO_LANE = UINT32_MAX, LANES_RECENT = 256 };

struct lane {
    uint32_t number;
    uint32_t what;                  /* of the stretch that it is in */
    uint32_t nspans, nsamples;      /* in the block that is being filled */
    int64_t first, sampled, before; /* the block of spans begins; that of samples; the last sample */
    byte_vec spans[SPAN_COLUMNS], samples[SAMPLE_COLUMNS];
    VEC(struct lane_region) regions; /* that are open */
};

struct lane_region {
    uint64_t task;
    uint32_t name; /* text */
    int64_t begin;
};

struct lane_task {
    uint64_t id, parent;
    uint32_t type; /* text */
    uint32_t lane; /* + 1 */
    int64_t begin;
};

struct lane_range {
    uint32_t name;
    struct gotrace_resource scope;
    int64_t begin;
};

struct lanes {
    struct spans *spans;
    struct stat_texts texts; /* of regions, ranges and tasks; others are those of spans */
    struct stack_store *stacks;
    struct blocks out;
    VEC(struct lane) live; /* by their place in spans.live */
    VEC(struct lane_thread) threads;
    VEC(struct lane_what) whats;
    struct idmap what_index; /* hash to number + 1 */
    uint32_t recent[LANES_RECENT]; /* numbers of those that were met last */
    VEC(struct lane_task) tasks;
    VEC(uint32_t) unused; /* places in tasks */
    struct idmap task_index;
    VEC(struct lane_range) ranges; /* that are open */
    uint64_t nsamples;
    bool failed; /* memory is short */
};

static inline uint64_t lanes_since(const struct lanes *l, int64_t time)
{
    return (uint64_t)time - (uint64_t)l->spans->begin;
}

static inline uint64_t lanes_between(int64_t from, int64_t to) { return to > from ? (uint64_t)to - (uint64_t)from : 0; }

/* Of the thread that the event is of; NULL: of none. */
static inline struct lane *lanes_at(struct lanes *l, const struct gotrace_event *ev)
{
    uint32_t thread = spans_find(l->spans, gotrace_event_goroutine(ev));
    return thread < l->live.n ? &l->live.v[thread] : NULL;
}

#endif
