/*
 * What formats that show time from left to right share: stretches of threads, wakeups, samples, counters, tasks,
 * regions and messages, told to a writer while the trace is read. One pass; memory is for threads, stacks and open
 * tasks.
 */
#ifndef THRACE_CMD_EXPORT_TIMELINE_H
#define THRACE_CMD_EXPORT_TIMELINE_H

#include "cmd/export/format.h"

enum timeline_counter { TIMELINE_RUNNING, TIMELINE_RUNNABLE, TIMELINE_PROCS, TIMELINE_COUNTERS };
enum { TIMELINE_METRICS = 16 };
extern const char *const timeline_counter_names[TIMELINE_COUNTERS];

/* A thread's track, by a number from 1 that no other one gets. */
struct timeline_track {
    uint64_t number, goroutine;
    uint64_t tid;  /* GOTRACE_NONE: not known, or it is a goroutine, which has none of its own */
    uint32_t name; /* text; 0: none */
    uint32_t told; /* the name that the writer was told; it may become known late */
    bool is_told, is_again; /* is_again: the writer was told before, with another name */
    int64_t until; /* of its last stretch */
    int64_t beside; /* the same of those that overlap with others */
    uint32_t stack;
    unsigned depth; /* regions that are open */
    uint64_t flow;  /* of who has woken it, for the next stretch; 0: nobody */
    uint64_t from;  /* number of that track */
    int64_t woken;
    int64_t sampled; /* the last time, or INT64_MIN */
};

struct timeline_slice {
    uint64_t track;
    bool beside; /* it overlaps with what was told before: it had begun before the trace, which says so late */
    int64_t begin, end;
    enum gotrace_state state;
    uint32_t reason, object, waker, call; /* texts; `none` if there is none */
    uint32_t stack;                       /* of the store */
    uint64_t flow, from;                  /* who made it so was on that track, at its begin; 0: nobody */
};

struct timeline_text {
    const char *text;
    size_t len;
};

/* Tracks of threads and counters are told before they are used. */
struct timeline_writer {
    void (*begin)(void *arg, uint64_t pid); /* 0: not known */
    void (*thread)(void *arg, const struct timeline_track *track);
    void (*slice)(void *arg, const struct timeline_slice *slice);
    void (*sample)(void *arg, uint64_t tid, uint64_t track, int64_t now, uint32_t stack);
    void (*add_counter)(void *arg, unsigned counter, const char *name);
    void (*count)(void *arg, unsigned counter, int64_t now, uint64_t value);
    void (*task)(void *arg, uint64_t task, int64_t now, const struct timeline_text *type); /* type NULL: it ends */
    void (*region)(void *arg, uint64_t track, int64_t now, const struct timeline_text *type);
    void (*log)(void *arg, uint64_t track, int64_t now, const struct timeline_text *category,
                const struct timeline_text *message);
};

struct timeline {
    struct spans spans;
    struct stack_store *stacks;
    const struct timeline_writer *to;
    void *arg;
    FILE *file;
    uint32_t none; /* the text "" */
    uint64_t ntracks, nflows, ntasks;
    bool begun, shown, are_threads, failed; /* shown: a stretch or a sample was */
    VEC(struct timeline_track) tracks; /* by their place in spans.live */
    VEC(struct timeline_task {
        uint64_t id;
        uint64_t number;
    }) tasks;
    VEC(uint32_t) unused; /* places in tasks */
    struct idmap index;   /* task to its place + 1 */
    struct idmap procs;   /* those that run */
    struct cpu cpu;       /* gaps between samples */
    uint64_t hz;          /* samples in a second of CPU time; known at the end */
    bool has_clock, is_gos;
    struct gotrace_clock_snapshot clock; /* the first */
    uint64_t values[TIMELINE_COUNTERS], told[TIMELINE_COUNTERS];
    const char *metrics[TIMELINE_METRICS];
    unsigned nmetrics;
};

/* Shows the whole trace to the writer. */
enum export_result timeline_export(struct export_job *job, struct timeline *t, const struct timeline_writer *to,
                                   void *arg);
void timeline_free(struct timeline *t);

#endif
