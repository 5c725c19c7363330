/* Made-up accounts of one thread that another wakes, and what comes out when they are compared. */
#ifndef THRACE_TESTS_KERNEL_SCENE_H
#define THRACE_TESTS_KERNEL_SCENE_H

#include "tests/kernel/compare.h"

#define INTERRUPT GOTRACE_NONE /* a waker that is no thread */

enum {
    SLEEPER = 101,
    WAKER = 102,
    STRANGER = 103, /* of another process */
    START_MONO = 7, /* seconds: what CLOCK_MONOTONIC showed when the trace began, at ORIGIN */
    ORIGIN = 1000,
    MAX = 16,
};

/* Times are microseconds since the trace began. */
struct scripted_wait {
    int begin, woken, end;
    uint64_t waker;
    const char *call; /* NULL ends the list */
    enum { BLOCKS, CALLS_KERNEL, STOPS } kind;
};

struct scripted_sleep {
    int begin, woken, end;
    uint64_t waker;
    char state;
};

struct scene {
    struct scripted_wait waits[MAX];
    struct scripted_sleep sleeps[MAX];
    int timers;             /* bits: those of the sleeps that a timer ended, which had interrupted the waker */
    bool perf_tells_return; /* the kernel does not say that the thread was switched in, perf does */
    int switch_takes;       /* until perf's own record of it; 0: there is none */
    uint64_t delay_ns;      /* that the trace says of the sleeper; 0: it does not */
    int queued_new;         /* us until it has a CPU for the first time */
    int unreported;             /* of the returns: the last so many */
    int version, near_us;
    struct trace trace;
    struct kernel kernel;
    struct comparison result;
};

/* Six waits of 500 us that both sides report alike, but for the microseconds between the two. */
struct scene agreeing(void);

bool read_trace(struct scene *s);
bool read_kernel(struct scene *s);

/* Reads both and compares them. */
struct comparison compared(struct scene s);

void assert_tally(struct tally t, uint64_t good, uint64_t n);

#endif
