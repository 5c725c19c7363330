/*
 * pthread_rwlock_*: as with mutexes the lock is tried first. Whom an unlock wakes depends on who holds the lock and who
 * waits. A writer's unlock lets in all waiting readers if there are any, else one writer (glibc prefers readers unless
 * told otherwise); of the readers, the last one to leave lets in a writer. Whether a reader is the last one, and
 * whether it is a writer that leaves, the lock's own words say; we read them and change nothing.
 */
#include <errno.h>

#include "preload/hook.h"

static pthread_rwlock_t *lock_of(const struct acquire *a) { return (pthread_rwlock_t *)a->object; }

static int try_read(const struct acquire *a) { return real.pthread_rwlock_tryrdlock(lock_of(a)); }
static int try_write(const struct acquire *a) { return real.pthread_rwlock_trywrlock(lock_of(a)); }
static int rdlock(const struct acquire *a) { return real.pthread_rwlock_rdlock(lock_of(a)); }
static int wrlock(const struct acquire *a) { return real.pthread_rwlock_wrlock(lock_of(a)); }
static int timedrdlock(const struct acquire *a) { return real.pthread_rwlock_timedrdlock(lock_of(a), a->until); }
static int timedwrlock(const struct acquire *a) { return real.pthread_rwlock_timedwrlock(lock_of(a), a->until); }

static int clockrdlock(const struct acquire *a)
{
    return real.pthread_rwlock_clockrdlock(lock_of(a), a->clock, a->until);
}

static int clockwrlock(const struct acquire *a)
{
    return real.pthread_rwlock_clockwrlock(lock_of(a), a->clock, a->until);
}

/* One entry point and its slow path; `take` is also the function called and the name of the leaf. */
#define LOCK(take, trial, wait_kind, valid, clock_, until_, params, args)                                              \
    static OUT_OF_LINE int take##_slow params                                                                          \
    {                                                                                                                  \
        struct hook h;                                                                                                 \
        if (!wrapped(CLASS_SYNC) || !HOOK_ENTER(&h, pthread_rwlock_##take))                                            \
            return real.pthread_rwlock_##take args;                                                                    \
        return acquire_slow(                                                                                           \
            &h, &(struct acquire){l, wait_kind, REASON_SYNC, EBUSY, try_##trial, take, clock_, until_});               \
    }                                                                                                                  \
    EXPORT int pthread_rwlock_##take params                                                                            \
    {                                                                                                                  \
        if (unlikely(!(valid)))                                                                                        \
            return real.pthread_rwlock_##take args;                                                                    \
        int ret = trial##_now(l);                                                                                      \
        if (likely(ret != EBUSY))                                                                                      \
            return ret;                                                                                                \
        return take##_slow args;                                                                                       \
    }

static inline int read_now(pthread_rwlock_t *l) { return real.pthread_rwlock_tryrdlock(l); }
static inline int write_now(pthread_rwlock_t *l) { return real.pthread_rwlock_trywrlock(l); }

LOCK(rdlock, read, WAITER_READER, true, 0, NULL, (pthread_rwlock_t * l), (l))
LOCK(wrlock, write, WAITER_WRITER, true, 0, NULL, (pthread_rwlock_t * l), (l))
LOCK(timedrdlock, read, WAITER_READER, valid_time(CLOCK_REALTIME, until), 0, until,
     (pthread_rwlock_t * l, const struct timespec *until), (l, until))
LOCK(timedwrlock, write, WAITER_WRITER, valid_time(CLOCK_REALTIME, until), 0, until,
     (pthread_rwlock_t * l, const struct timespec *until), (l, until))
LOCK(clockrdlock, read, WAITER_READER, valid_time(clock, until), clock, until,
     (pthread_rwlock_t * l, clockid_t clock, const struct timespec *until), (l, clock, until))
LOCK(clockwrlock, write, WAITER_WRITER, valid_time(clock, until), clock, until,
     (pthread_rwlock_t * l, clockid_t clock, const struct timespec *until), (l, clock, until))

/* glibc since 2.25: bit 0 is the phase, set when a writer holds the lock; bits 3 and up count the readers. */
static bool held_by_writer(const pthread_rwlock_t *l)
{
    return __atomic_load_n(&l->__data.__readers, __ATOMIC_RELAXED) & 1;
}

static bool held_by_several_readers(const pthread_rwlock_t *l)
{
    return __atomic_load_n(&l->__data.__readers, __ATOMIC_RELAXED) >> 3 > 1;
}

static OUT_OF_LINE int unlock_slow(pthread_rwlock_t *l)
{
    struct hook h;
    if (wrapped(CLASS_SYNC) && HOOK_ENTER(&h, pthread_rwlock_unlock)) {
        bool writer = held_by_writer(l);
        bool readers_let_in = writer && wake_all(&h, l, WAITER_READER);
        if (!readers_let_in && (writer || !held_by_several_readers(l)))
            wake_one(&h, l, WAITER_WRITER);
        hook_leave(&h);
    }
    return real.pthread_rwlock_unlock(l);
}

EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
    if (waitq_maybe_waiting(&tracer.waits, l))
        return unlock_slow(l);
    return real.pthread_rwlock_unlock(l);
}
