/*
 * How long threads of the program had to wait for the recorder: THRACE_VERBOSE=1 says it when the process ends. Nothing
 * of this is on a usual path.
 */
#ifndef THRACE_PRELOAD_DELAYS_H
#define THRACE_PRELOAD_DELAYS_H

#include "preload/attributes.h"
#include "preload/thread.h"

enum delay {
    DELAY_ROOM, /* the pool was empty, the helper had to write or to make it larger */
    DELAY_GATE, /* a generation or a session began, or ended */
    DELAYS
};

/* By a thread that is done with waiting, which began at since_ns on CLOCK_MONOTONIC. Async-signal-safe. */
SLOW void delay_add(enum delay what, const struct thread *t, uint64_t since_ns);

/* A line for each kind that there was. */
void delays_say(void);

/* In the child of a fork. */
void delays_forget(void);

#endif
