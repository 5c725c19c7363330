/*
 * What a trace has, row by row, for formats that keep it in tables. Its stretches are those of `thrace stat`, so sums
 * are the same. One pass; memory is for the threads that exist, and for different stacks and texts.
 */
#ifndef THRACE_CMD_EXPORT_ROWS_H
#define THRACE_CMD_EXPORT_ROWS_H

#include "cmd/export/format.h"

/* Threads have numbers from 1 on, by their first word in the trace; 0 is none. Times are ns since the trace began. */
struct row_thread {
    uint64_t number, maker;
    uint32_t place;   /* small; another thread gets it when this one has ended */
    uint64_t goroutine;
    uint64_t tid;     /* GOTRACE_NONE if it had several, or is not known */
    const char *name; /* "" if it is not known */
    uint32_t name_text;
    int64_t begin, end;
};

struct row_span {
    uint64_t thread, waker;
    uint32_t place;
    const struct span_thread *is; /* the state and its texts, while the row is told */
    uint32_t thread_name, waker_name; /* texts of spans.texts; "" for none */
    uint32_t stack, waker_stack;  /* of rows.stacks; 0: none */
    int64_t begin;
    uint64_t ns;                  /* of what passes the filter */
    bool full;                    /* it waits for an object to write to it */
    bool began;                   /* the trace has its beginning */
};

struct row_sample {
    uint64_t thread;
    uint32_t place; /* SPANS_NOBODY: no thread's */
    uint32_t thread_name, stack;
    int64_t time;
};

/* False ends it. Threads are told when they have ended. */
struct row_sink {
    bool (*thread)(void *arg, const struct row_thread *t);
    bool (*span)(void *arg, const struct row_span *s);
    bool (*sample)(void *arg, const struct row_sample *s);
    bool (*event)(void *arg, const struct gotrace_event *ev, uint64_t thread,
                  int64_t time); /* any other; may be NULL */
};

struct rows {
    struct spans spans;
    struct stack_store *stacks;
    VEC(struct rows_thread {
        uint64_t number;
        uint64_t maker;
        int64_t begin;
        int64_t sampled;        /* the last time */
        uint32_t stack;         /* that it entered its stretch with */
    }) threads; /* by their place in spans.live */
    struct cpu cpu;             /* gaps between samples */
    uint64_t hz;                /* samples in a second of CPU time; known at the end */
    uint64_t nspans, nsamples;
    int version;
    bool has_clock;
    struct gotrace_clock_snapshot clock; /* the first */
    bool complete;              /* nothing is wrong with the trace */
    bool is_gos, failed;        /* memory is short */
    bool stopped;               /* by the sink */
    const struct row_sink *sink;
    void *arg;
};

/* Tells the sink all that the trace has. EXPORT_DONE, also if the sink has stopped it; else rows_free is not due. */
enum export_result rows_read(struct rows *r, struct export_job *job, const struct row_sink *sink, void *arg);
void rows_free(struct rows *r);

static inline const char *rows_text(const struct rows *r, uint32_t text) { return stat_text_of(&r->spans.texts, text); }

/* "waiting" … as in thrace stat; NULL for what no stretch is. */
const char *row_state_name(enum gotrace_state state);

/* An event that is no stretch and no sample, in the columns that all kinds share. */
struct row_event {
    struct gotrace_str name, detail;
    bool has_value;
    uint64_t value, task;
};

/* False: it is of a kind that has no row. Its strings are the event's. */
bool row_describe(const struct gotrace_event *ev, struct row_event *e);

#endif
