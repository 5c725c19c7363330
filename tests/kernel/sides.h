/*
 * The two accounts of one run that are held against each other: what the trace says of each thread, and what the
 * kernel's scheduler said of it. All times are nanoseconds of CLOCK_MONOTONIC.
 */
#ifndef THRACE_TESTS_KERNEL_SIDES_H
#define THRACE_TESTS_KERNEL_SIDES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "gotrace/reader.h"
#include "parser/idmap.h"
#include "parser/vec.h"

#define NEVER INT64_MAX

/* ---- the trace ------------------------------------------------------------------------------------------------- */

/* From the event that takes a goroutine out of Running, because it waits or calls the kernel, to the next GoStart. */
struct wait {
    int64_t begin, end; /* end: NEVER when the trace ends before it */
    int64_t woken;      /* when its GoUnblock was written; NEVER without one */
    uint64_t waker;     /* the thread that wrote it */
    bool syscall;
    char call[40]; /* the function that was called, by its stack */
};

/* From a GoStop to the next GoStart: a processor that was taken away, or given up for a moment. */
struct stop {
    int64_t begin, end; /* end: NEVER when the trace ends before it */
};

struct trace_thread {
    uint64_t tid, goroutine;
    int64_t first, last; /* it can be seen from here to there */
    int64_t runnable_from, runnable; /* since when, or NEVER; how long so far */
    int64_t delayed; /* how long by the kernel's own account, as the trace has it; NEVER: it does not say */
    VEC(struct wait) waits;
    VEC(struct stop) stops;
};

/* What a string of the trace says of a goroutine. */
struct delay_said {
    uint64_t goroutine, ns;
};

struct trace {
    VEC(struct trace_thread) threads;
    struct idmap by_tid, by_goroutine; /* index + 1 */
    int64_t begin, end;
    uint64_t procs;         /* that were ever used */
    uint64_t procs_at_once; /* the most that ran at once */
    uint64_t gomaxprocs;    /* the highest */
    VEC(struct delay_said) delays;
    bool no_clock, no_memory;
};

/* Reads all of it. False, with one line on stderr, when it cannot be used. trace_free is due in any case. */
bool trace_read(struct trace *t, struct gotrace_reader *r);
void trace_free(struct trace *t);

/* ---- the kernel ------------------------------------------------------------------------------------------------ */

/*
 * A stretch of time without a CPU. A switch is not over when the tracepoint says so: perf's own record of it comes
 * later, by as much as the hypervisor or an interrupt takes in between. NEVER: there was none.
 */
struct away {
    int64_t begin, end; /* switched out and in again; end: NEVER */
    int64_t out, in;    /* when these two were over */
    int64_t woken;      /* NEVER: it was not asleep, or nobody woke it */
    int64_t queued;     /* from then on it waited for a CPU; NEVER: it is not known */
    uint64_t waker;     /* the thread that was executing when it was woken, or WOKEN_BY_TIMER */
    char state;         /* S, D: it gave the CPU up to wait; R: that was taken; N: it was new; ?: no end is known */
};

#define WOKEN_BY_TIMER UINT64_MAX

struct kernel_thread {
    uint64_t tid;
    bool awake; /* while reading: it runs or could */
    int64_t early; /* likewise: when it was last woken without being away; NEVER: it has not been since it was */
    uint64_t early_waker;
    VEC(struct away) aways;
};

struct kernel {
    VEC(struct kernel_thread) threads;
    struct idmap by_tid;
    struct idmap in_timer; /* CPUs that a timer has interrupted */
    size_t events, events_meanwhile; /* of all time, and while the trace was recorded */
    size_t lost, unseen; /* events that perf lost; returns to a CPU that nothing reported */
    uint64_t awake, awake_at_once; /* threads that ran or could have; at most */
    bool no_memory;
};

/*
 * Reads what `perf script -F tid,cpu,time,event,trace --ns --show-switch-events --show-lost-events` printed of
 * sched_switch, sched_waking, sched_wakeup and sched_wakeup_new, recorded with --switch-events, and of
 * hrtimer_expire_entry and hrtimer_expire_exit, and keeps what is about threads of the trace. False, with one line on
 * stderr, when there is nothing.
 */
bool kernel_read(struct kernel *k, const struct trace *t, FILE *in);
void kernel_free(struct kernel *k);

/* How long the thread executed between two times. */
int64_t kernel_executed(const struct kernel_thread *k, int64_t from, int64_t to);

/* How long it could have executed between two times, and had no CPU. */
int64_t kernel_runnable(const struct kernel_thread *k, int64_t from, int64_t to);

/* The first of its stretches that ends after a time. */
size_t kernel_away_after(const struct kernel_thread *k, int64_t time);

#endif
