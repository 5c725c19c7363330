/* Where a lock of glibc says who holds it. */
#ifndef THRACE_CMD_STACKS_LOCK_LAYOUT_H
#define THRACE_CMD_STACKS_LOCK_LAYOUT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/objects.h"

/* Who is in another process has the same numbers as threads of this one: nothing is said of what processes share. */
struct lock_layout {
    size_t owner;  /* the offset of the number of its thread … */
    size_t shared; /* … and of the word that has one of … */
    int32_t bits;  /* … these bits set where processes share the lock */
};

/* False: objects of that kind do not say. */
static inline bool lock_layout(enum object_kind kind, struct lock_layout *l)
{
    enum { PSHARED = 128 };
    if (kind == OBJECT_MUTEX)
        *l = (struct lock_layout){offsetof(struct __pthread_mutex_s, __owner),
                                  offsetof(struct __pthread_mutex_s, __kind), PSHARED};
    else if (kind == OBJECT_RWLOCK)
        *l = (struct lock_layout){offsetof(struct __pthread_rwlock_arch_t, __cur_writer),
                                  offsetof(struct __pthread_rwlock_arch_t, __shared), -1};
    else
        return false;
    return true;
}

#endif
