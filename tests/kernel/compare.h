/* Whether two accounts of one run agree. */
#ifndef THRACE_TESTS_KERNEL_COMPARE_H
#define THRACE_TESTS_KERNEL_COMPARE_H

#include "tests/kernel/sides.h"

enum {
    LONG_NS = 50000,  /* shorter sleeps are ignored */
    NEAR_NS = 50000,  /* how far apart the two may put the same moment, unless told otherwise */
    SKEW_NS = 5000,   /* overlaps below this come from the reading of the clocks */
    DELAYED_NS = 10000000, /* a thread that had no CPU for less is not asked how long */
    CALLS = 64,       /* names of functions that are kept apart */
};

struct tally {
    uint64_t n, good;
};

/* The sleeps in one function, as the trace names it. */
struct call {
    char name[40];
    uint64_t sleeps, off; /* off: begin or end is not near */
    struct tally wakeups; /* good: the thread that woke it is the kernel's */
};

enum verdict { AGREES, BEGINS_ELSEWHERE, ENDS_ELSEWHERE, MISSING, TWICE };

struct comparison {
    int64_t near_ns;
    struct tally sleeps;   /* by the thread's own time: without that in which it had no CPU */
    struct tally by_clock; /* the same by the clock, the sleeps of one call taken together */
    struct tally in_calls; /* not in `sleeps`: those in system calls that are no waits; good: they lie within */
    uint64_t missing, begins_off, ends_off, twice;
    uint64_t faults;  /* uninterruptible sleeps outside of all calls, not in `sleeps`: the thread waited for a page */
    uint64_t chained; /* sleeps of a call that slept more than once */
    uint64_t unslept; /* waits of the trace, long ones, in which the thread did not sleep at all */
    uint64_t waits;   /* of the trace, long ones */
    struct tally stops;   /* CPUs taken away for long outside of all calls; good: a GoStop to a GoStart of that time */
    uint64_t stops_in_calls, stops_missing; /* not in `stops`: the trace has none in a call; in it, no GoStop at all */
    int64_t runnable, kernel_runnable;      /* of all threads, in the trace and by the kernel */
    struct tally delays; /* threads that had no CPU for a while; good: the trace has that by schedstat */
    struct tally delays_shown; /* of these; good: it shows them runnable for so long */
    struct tally mutex, cond, sem; /* wakeups */
    struct call calls[CALLS];
    size_t ncalls;
};

/* near_ns: see NEAR_NS. verbose: gets each disagreement, or NULL. */
void compare(struct comparison *c, const struct trace *t, const struct kernel *k, int64_t near_ns, FILE *verbose);

/* At least 99 of 100. */
static inline bool holds(struct tally t) { return t.good * 100 >= t.n * 99; }

/* Sleeps that the trace has once, wherever they begin and end. */
static inline struct tally in_trace(const struct comparison *c)
{
    uint64_t n = c->sleeps.n + c->in_calls.n;
    return (struct tally){n, n - c->missing - c->twice};
}

/*
 * What a hypervisor takes from a thread while it executes, the kernel does not see: it displaces some ends of sleeps. An
 * event that is written at the wrong moment displaces most.
 */
static inline bool in_place(struct tally t) { return t.good * 2 > t.n; }

#endif
