/*
 * The functions that make locks: the stack that made one names it in the trace where no variable does. They are rare;
 * each costs a short walk of the stack, some 500 instructions. Those that end a lock forget it, since its memory may
 * become another.
 * Barriers are in wrap_barrier.c, conditions, which have versions, in wrap_cond.c.
 */
#include "preload/wrapper.h"

#define MADE(entry, object, params, args, good)                                                                        \
    EXPORT int entry params                                                                                            \
    {                                                                                                                  \
        int ret = real.entry args;                                                                                     \
        if (ret == (good))                                                                                             \
            NOTE_MADE(entry, object);                                                                                  \
        return ret;                                                                                                    \
    }

#define UNMADE(entry, object, params, args)                                                                            \
    EXPORT int entry params                                                                                            \
    {                                                                                                                  \
        note_unmade(object);                                                                                           \
        return real.entry args;                                                                                        \
    }

MADE(pthread_mutex_init, m, (pthread_mutex_t * m, const pthread_mutexattr_t *a), (m, a), 0)
MADE(pthread_rwlock_init, l, (pthread_rwlock_t * l, const pthread_rwlockattr_t *a), (l, a), 0)
MADE(pthread_spin_init, (const void *)l, (pthread_spinlock_t * l, int shared), (l, shared), 0)
MADE(sem_init, s, (sem_t * s, int shared, unsigned value), (s, shared, value), 0)
MADE(mtx_init, m, (mtx_t * m, int type), (m, type), thrd_success)
MADE(cnd_init, c, (cnd_t * c), (c), thrd_success)
UNMADE(pthread_mutex_destroy, m, (pthread_mutex_t * m), (m))
UNMADE(pthread_rwlock_destroy, l, (pthread_rwlock_t * l), (l))
UNMADE(pthread_spin_destroy, (const void *)l, (pthread_spinlock_t * l), (l))
UNMADE(sem_destroy, s, (sem_t * s), (s))
