/*
 * pthread_mutex_*: the lock is tried first, and only a busy one is news. A release is news when somebody waits.
 *
 * Cost without contention: the trylock in place of the lock, and one load in the unlock. The trial changes nothing that
 * a program can see: it returns what the lock would have (EOWNERDEAD, EAGAIN, ENOTRECOVERABLE, EINVAL), but for a busy
 * mutex; the owner of an error-checking one is busy with itself and gets its EDEADLK from the real call.
 */
#include <errno.h>

#include "preload/hook.h"

static int attempt(const struct acquire *a)
{
    int ret = real.pthread_mutex_trylock((pthread_mutex_t *)a->object);
    if (ret == EBUSY)
        wait_for_owner(a->object);
    return ret;
}

static int lock(const struct acquire *a) { return real.pthread_mutex_lock((pthread_mutex_t *)a->object); }

static int timedlock(const struct acquire *a)
{
    return real.pthread_mutex_timedlock((pthread_mutex_t *)a->object, a->until);
}

static int clocklock(const struct acquire *a)
{
    return real.pthread_mutex_clocklock((pthread_mutex_t *)a->object, a->clock, a->until);
}

static OUT_OF_LINE int lock_slow(pthread_mutex_t *m)
{
    struct hook h;
    if (!wrapped(CLASS_SYNC) || !HOOK_ENTER(&h, pthread_mutex_lock))
        return real.pthread_mutex_lock(m);
    return acquire_slow(&h, &(struct acquire){m, WAITER_ANY, REASON_SYNC, EBUSY, attempt, lock, 0, NULL});
}

EXPORT int pthread_mutex_lock(pthread_mutex_t *m)
{
    int ret = real.pthread_mutex_trylock(m);
    if (likely(ret != EBUSY))
        return ret;
    return lock_slow(m);
}

static OUT_OF_LINE int timedlock_slow(pthread_mutex_t *m, const struct timespec *until)
{
    struct hook h;
    if (!wrapped(CLASS_SYNC) || !HOOK_ENTER(&h, pthread_mutex_timedlock))
        return real.pthread_mutex_timedlock(m, until);
    return acquire_slow(&h, &(struct acquire){m, WAITER_ANY, REASON_SYNC, EBUSY, attempt, timedlock, 0, until});
}

EXPORT int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *until)
{
    int ret = real.pthread_mutex_trylock(m);
    if (likely(ret != EBUSY))
        return ret;
    return timedlock_slow(m, until);
}

static OUT_OF_LINE int clocklock_slow(pthread_mutex_t *m, clockid_t clock, const struct timespec *until)
{
    struct hook h;
    if (!wrapped(CLASS_SYNC) || !HOOK_ENTER(&h, pthread_mutex_clocklock))
        return real.pthread_mutex_clocklock(m, clock, until);
    return acquire_slow(&h, &(struct acquire){m, WAITER_ANY, REASON_SYNC, EBUSY, attempt, clocklock, clock, until});
}

/* A bad clock is an error even when the mutex is free: the trial would hide it. */
EXPORT int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *until)
{
    if (unlikely(clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME))
        return real.pthread_mutex_clocklock(m, clock, until);
    int ret = real.pthread_mutex_trylock(m);
    if (likely(ret != EBUSY))
        return ret;
    return clocklock_slow(m, clock, until);
}

/* The waiter is named before it can run, and the mutex is not looked at after it was given away. */
static OUT_OF_LINE int unlock_slow(pthread_mutex_t *m)
{
    struct hook h;
    if (wrapped(CLASS_SYNC) && HOOK_ENTER(&h, pthread_mutex_unlock)) {
        wake_next_owner(&h, m);
        hook_leave(&h);
    }
    return real.pthread_mutex_unlock(m);
}

EXPORT int pthread_mutex_unlock(pthread_mutex_t *m)
{
    if (waitq_maybe_waiting(&tracer.waits, m))
        return unlock_slow(m);
    return real.pthread_mutex_unlock(m);
}
