/*
 * The entry points of locks.def. Each is this: try; only when the object is busy is that news, and the slow half, which
 * is jumped to, enters the thread as a waiter, looks again, so that a release in between is not missed, and waits by the
 * real call.
 *
 * Cost without contention: the trial in place of the call. It changes nothing that a program can see: it returns what
 * the call would have (EOWNERDEAD, EAGAIN, ENOTRECOVERABLE, EINVAL), but for a busy object; the owner of an
 * error-checking mutex is busy with itself and gets its EDEADLK from the real call.
 */
#include <errno.h>

#include "preload/wrapper.h"

/* How long a second look tries: an object is marked as released just before it is. */
enum { RELEASE_SPINS = 20 };

static inline bool is_clock(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC; }
static inline bool is_time(const struct timespec *until) { return until->tv_nsec >= 0 && until->tv_nsec < 1000000000; }

/* --- families: the object and its kind, the trial, the trial of a thread that is registered, what says that it is busy --------- */

#define MUTEX_KIND OBJECT_MUTEX
#define MUTEX_OBJECT m
#define MUTEX_TRY real.pthread_mutex_trylock(m)
#define MUTEX_TRY_AGAIN for_owner(real.pthread_mutex_trylock(m), MUTEX_BUSY, m)
#define MUTEX_BUSY EBUSY

#define MTX_KIND OBJECT_MUTEX
#define MTX_OBJECT m
#define MTX_TRY real.mtx_trylock(m)
#define MTX_TRY_AGAIN for_owner(real.mtx_trylock(m), MTX_BUSY, (const pthread_mutex_t *)m)
#define MTX_BUSY thrd_busy

/* The result of a trial of a mutex, of either kind, whose owner is to be waited for when it is busy. */
static int for_owner(int ret, int busy, const pthread_mutex_t *m)
{
    if (ret == busy)
        wait_for_owner(m);
    return ret;
}

/* Who spins runs, and after a while waits, as far as a reader of the trace is concerned. */
#define SPIN_KIND OBJECT_SPIN
#define SPIN_OBJECT (const void *)lock
#define SPIN_TRY spin(lock)
#define SPIN_TRY_AGAIN real.pthread_spin_trylock(lock)
#define SPIN_BUSY EBUSY

enum { SPIN_BUDGET = 200 };

static OUT_OF_LINE int spin_longer(pthread_spinlock_t *lock)
{
    int ret = EBUSY;
    for (int i = 0; i < SPIN_BUDGET && ret == EBUSY; i++) {
        cpu_relax();
        ret = real.pthread_spin_trylock(lock);
    }
    return ret;
}

static inline int spin(pthread_spinlock_t *lock)
{
    int ret = real.pthread_spin_trylock(lock);
    return likely(ret != EBUSY) ? ret : spin_longer(lock);
}

#define READ_KIND OBJECT_RWLOCK
#define READ_OBJECT l
#define READ_TRY real.pthread_rwlock_tryrdlock(l)
#define READ_TRY_AGAIN READ_TRY
#define READ_BUSY EBUSY

#define WRITE_KIND OBJECT_RWLOCK
#define WRITE_OBJECT l
#define WRITE_TRY real.pthread_rwlock_trywrlock(l)
#define WRITE_TRY_AGAIN WRITE_TRY
#define WRITE_BUSY EBUSY

/* A cancellation point even when there is nothing to wait for, as glibc's is. */
#define SEM_KIND OBJECT_SEM
#define SEM_OBJECT s
#define SEM_TRY (pthread_testcancel(), try_sem(s))
#define SEM_TRY_AGAIN try_sem(s)
#define SEM_BUSY EAGAIN

/* A trial that fails sets errno, which a wait that then succeeds would not have touched. -1: failed otherwise. */
static int try_sem(sem_t *s)
{
    int saved = errno;
    if (!real.sem_trywait(s))
        return 0;
    if (errno != EAGAIN)
        return -1;
    errno = saved;
    return EAGAIN;
}

/*
 * The trial tells a thread that is still there from one that can be joined at once, which then has been. All else, such
 * as joining oneself, is left to the real call to say.
 */
#define JOIN_KIND OBJECT_THREAD
#define JOIN_OBJECT (const void *)thread
#define JOIN_TRY real.pthread_tryjoin_np(thread, result)
#define JOIN_TRY_AGAIN JOIN_TRY
#define JOIN_BUSY EBUSY

/* --- the entry points --------------------------------------------------------------------------------------------- */

/* What takes long comes before the last look: a release behind that finds nobody whom it wakes. */
#define THRACE_LOCK(family, waiter, valid, entry, params, args)                                                        \
    static OUT_OF_LINE int entry##_slow params                                                                         \
    {                                                                                                                  \
        WAIT_SCOPE w = {.t = NULL};                                                                                    \
        struct hook h;                                                                                                 \
        if (!wrapped(CLASS_SYNC) || !HOOK_ENTER(&h, entry))                                                            \
            return real.entry args;                                                                                    \
        hook_capture_for(&h, STACK_OF_WAIT);                                                                           \
        hook_waits_for(&h, family##_KIND, family##_OBJECT);                                                            \
        wait_register(&h, family##_OBJECT, WAITER_##waiter);                                                           \
        for (int look = 0; look < MAX_SECOND_LOOKS; look++) {                                                          \
            int ret = family##_TRY_AGAIN;                                                                              \
            for (int i = 0; unlikely(look) && ret == family##_BUSY && i < RELEASE_SPINS; i++) {                        \
                cpu_relax();                                                                                           \
                ret = family##_TRY_AGAIN;                                                                              \
            }                                                                                                          \
            if (ret != family##_BUSY) {                                                                                \
                wait_cancel(&h);                                                                                       \
                return ret;                                                                                            \
            }                                                                                                          \
            if (wait_block(&h, &w, REASON_SYNC))                                                                       \
                return real.entry args;                                                                                \
        }                                                                                                              \
        wait_cancel(&h);                                                                                               \
        return real.entry args;                                                                                        \
    }                                                                                                                  \
    EXPORT int entry params                                                                                            \
    {                                                                                                                  \
        if (!(valid))                                                                                                  \
            return real.entry args;                                                                                    \
        int ret = family##_TRY;                                                                                        \
        if (likely(ret != family##_BUSY))                                                                              \
            return ret;                                                                                                \
        return entry##_slow args;                                                                                      \
    }
#include "preload/hooks/locks.def"
