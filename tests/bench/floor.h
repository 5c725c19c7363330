/*
 * The cost of interrupts alone: the least that any sampler of CPU time takes.
 */
#ifndef THRACE_TESTS_BENCH_FLOOR_H
#define THRACE_TESTS_BENCH_FLOOR_H

#include <stdbool.h>

enum floor_way {
    FLOOR_NONE,
    FLOOR_INTERRUPT, /* a perf event on the thread's CPU clock, without any notification */
    FLOOR_TRAP,      /* the same, with a SIGTRAP and a handler that does nothing */
    FLOOR_SIGNAL,    /* the same, with a signal by fcntl */
    FLOOR_TIMER,     /* a timer on the thread's CPU clock, and a handler that does nothing */
};

/* "interrupt", "trap", "signal", "timer"; FLOOR_NONE for anything else. */
enum floor_way floor_way(const char *name);

/* For the calling thread, until it ends. False: the kernel does not let us. */
bool floor_start(enum floor_way way, long hz);

#endif
