/* A queue of waiters, and objects to wait for. */
#ifndef THRACE_TESTS_UNIT_WAITQ_FIXTURE_H
#define THRACE_TESTS_UNIT_WAITQ_FIXTURE_H

#include "tests/unit/unit.h"

#include <stdlib.h>

#include "lib/waitq.h"

static inline int set_up(void **state) { return !(*state = calloc(1, sizeof(struct waitq))); }

static inline int tear_down(void **state)
{
    free(*state);
    return 0;
}

/* Objects are addresses only. */
static uint64_t objects[64];

static inline void note(void *arg, void *waiter) { *(void **)arg = waiter; }

#endif
