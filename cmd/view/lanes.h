/*
 * What a page shows of a trace: each thread's stretches of time in a lane, samples of the CPU, regions, tasks, messages,
 * memory. It goes out as it comes, in blocks, which docs/view.md describes. Memory is for the threads that exist, and for
 * what is different: stacks, texts, objects.
 */
#ifndef THRACE_CMD_VIEW_LANES_H
#define THRACE_CMD_VIEW_LANES_H

#include "cmd/view/pack.h"
#include "parser/analyze/consumer.h"
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

typedef VEC(uint8_t) byte_vec;

/* A part of a block: so many numbers, the same in each row. */
enum { SPAN_COLUMNS = 4, SAMPLE_COLUMNS = 2 };

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
    struct spans spans;
    struct stack_store *stacks;
    struct pack *to;
    VEC(struct lane) live; /* by their place in spans.live */
    VEC(struct lane_thread) threads;
    VEC(struct lane_what) whats;
    struct idmap what_index; /* hash to number + 1 */
    VEC(struct lane_task) tasks;
    VEC(uint32_t) unused; /* places in tasks */
    struct idmap task_index;
    VEC(struct lane_range) ranges; /* that are open */
    byte_vec rows;   /* a block that is being made */
    uint64_t nsamples;
    bool failed; /* memory is short */
};

/* False: memory is short. lanes_free is due in any case. */
bool lanes_init(struct lanes *l, struct pack *to);
void lanes_free(struct lanes *l);

extern const struct event_consumer lanes_consumer;

#endif
