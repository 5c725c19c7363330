/* Semaphores, unnamed and named: tried first, like a lock; a post is news when somebody waits. */
#include <errno.h>

#include "preload/hook.h"

/* A trial that fails sets errno, which a wait that then succeeds would not have touched. */
static int try_quietly(sem_t *s)
{
    int saved = errno;
    if (!real.sem_trywait(s))
        return 0;
    int err = errno;
    errno = saved;
    return err == EAGAIN ? EAGAIN : -1;
}

static int attempt(const struct acquire *a) { return try_quietly((sem_t *)a->object); }
static int take_wait(const struct acquire *a) { return real.sem_wait((sem_t *)a->object); }
static int take_timedwait(const struct acquire *a) { return real.sem_timedwait((sem_t *)a->object, a->until); }
static int take_clockwait(const struct acquire *a)
{
    return real.sem_clockwait((sem_t *)a->object, a->clock, a->until);
}

/*
 * A cancellation point even when there is nothing to wait for, as glibc's is.
 * -1 of the second look (an invalid semaphore) cannot come after EAGAIN of the first.
 */
#define WAIT(take, valid, clock_, until_, params, args)                                                                \
    static OUT_OF_LINE int take##_slow params                                                                          \
    {                                                                                                                  \
        struct hook h;                                                                                                 \
        if (!wrapped(CLASS_SYNC) || !HOOK_ENTER(&h, sem_##take))                                                       \
            return real.sem_##take args;                                                                               \
        return acquire_slow(&h,                                                                                        \
                            &(struct acquire){s, WAITER_ANY, REASON_SYNC, EAGAIN, attempt, take_##take, clock_,        \
                                              until_});                                                                \
    }                                                                                                                  \
    EXPORT int sem_##take params                                                                                       \
    {                                                                                                                  \
        pthread_testcancel();                                                                                          \
        if (likely(valid) && likely(!try_quietly(s)))                                                                  \
            return 0;                                                                                                  \
        return take##_slow args;                                                                                       \
    }

WAIT(wait, true, 0, NULL, (sem_t * s), (s))
WAIT(timedwait, valid_time(CLOCK_REALTIME, until), 0, until, (sem_t * s, const struct timespec *until), (s, until))
WAIT(clockwait, valid_time(clock, until), clock, until, (sem_t * s, clockid_t clock, const struct timespec *until),
     (s, clock, until))

static OUT_OF_LINE int post_slow(sem_t *s)
{
    struct hook h;
    if (wrapped(CLASS_SYNC) && HOOK_ENTER(&h, sem_post)) {
        wake_one(&h, s, WAITER_ANY);
        hook_leave(&h);
    }
    return real.sem_post(s);
}

EXPORT int sem_post(sem_t *s)
{
    if (waitq_maybe_waiting(&tracer.waits, s))
        return post_slow(s);
    return real.sem_post(s);
}
