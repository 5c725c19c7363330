/*
 * A lock for the slow paths of the library: three states and a futex, no libc. It is private to the process, not
 * recursive, and is never held while a function of the program or of libc runs.
 */
#ifndef THRACE_LIB_LOCK_H
#define THRACE_LIB_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/rawsys.h"

struct lock {
    uint32_t word; /* 0 free, 1 held, 2 held and somebody may sleep */
};

static inline bool lock_try(struct lock *l)
{
    uint32_t free = 0;
    return __atomic_compare_exchange_n(&l->word, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static inline void lock_take(struct lock *l)
{
    for (int spin = 0; spin < 100; spin++) {
        if (lock_try(l))
            return;
        cpu_relax();
    }
    while (__atomic_exchange_n(&l->word, 2, __ATOMIC_ACQUIRE) != 0)
        sys_futex_wait(&l->word, 2, NULL);
}

/* For callers that must not wait for ever: tries for at least ms milliseconds. */
static inline bool lock_take_for(struct lock *l, int ms)
{
    const struct timespec moment = {0, 1000000};
    for (; !lock_try(l); ms--) {
        if (ms <= 0)
            return false;
        raw_syscall(SYS_nanosleep, (long)&moment, 0, 0, 0, 0, 0);
    }
    return true;
}

static inline void lock_drop(struct lock *l)
{
    if (__atomic_exchange_n(&l->word, 0, __ATOMIC_RELEASE) == 2)
        sys_futex_wake(&l->word, 1);
}

#endif
