/*
 * Condition variables. A wait always waits: it is registered for the condition, its GoBlock is written, then the real
 * call gives up the mutex and sleeps. Inside libc that unlock does not pass through us, so the waiters of the mutex are
 * told here. Taking the mutex again on the way out, inside libc too, shows as time between GoUnblock and GoStart.
 *
 * x86-64 programs built before glibc 2.3.2 have condition variables of another layout; both versions are wrapped, each
 * in front of its own.
 */
#include <errno.h>

#include "preload/lock_notes.h"
#include "preload/old_waiters.h"
#include "preload/wrapper.h"

/*
 * The calling thread will sleep on c and unlock m for that. Whether somebody waits for m is asked late: a stack that is
 * new takes as long as another thread to queue.
 */
static void begin(struct hook *h, struct wait *w, const void *c, const void *m)
{
    hook_capture_for(h, STACK_OF_WAIT);
    bool noted = waitq_maybe_waiting(&recorder.waits, m) && wake_next_owner(h, (const pthread_mutex_t *)m);
    hook_waits_for(h, OBJECT_COND, c);
    lock_note_will_retake(h->t, m, noted);
    wait_register(h, c, WAITER_ANY);
    while (!wait_block(h, w, REASON_COND))
        ;
}

#define WAIT(entry, target, params, args)                                                                              \
    EXPORT int entry params;                                                                                           \
    EXPORT int entry params                                                                                            \
    {                                                                                                                  \
        WAIT_SCOPE w = {.t = NULL};                                                                                    \
        struct hook h;                                                                                                 \
        if (wrapped(CLASS_SYNC) && HOOK_ENTER(&h, target))                                                             \
            begin(&h, &w, c, m);                                                                                       \
        return real.target args;                                                                                       \
    }

static void wake_one_of(struct hook *h, const void *c)
{
    lock_note_release(h, c, COND_IS_SIGNALLED);
    if (!condition_old_waiters(c))
        wake_one(h, c, WAITER_ANY);
}

static void wake_all_of(struct hook *h, const void *c) { wake_all(h, c, WAITER_ANY); }

#define WAKE(entry, target, wake, params, args)                                                                        \
    static OUT_OF_LINE int target##_slow params                                                                        \
    {                                                                                                                  \
        struct hook h;                                                                                                 \
        if (wrapped(CLASS_SYNC) && HOOK_ENTER(&h, target)) {                                                           \
            wake(&h, c);                                                                                               \
            hook_leave(&h);                                                                                            \
        }                                                                                                              \
        return real.target args;                                                                                       \
    }                                                                                                                  \
    EXPORT int entry params;                                                                                           \
    EXPORT int entry params                                                                                            \
    {                                                                                                                  \
        if (waitq_maybe_waiting(&recorder.waits, c))                                                                     \
            return target##_slow args;                                                                                 \
        return real.target args;                                                                                       \
    }

#define TS const struct timespec *

#ifdef OLD_COND_VERSION
/* Those that have two versions get them here; the linker's version script only names the versions. */
#define VERSIONED(entry, symbol, version) __asm__(".symver " #entry ", " symbol version)
#define NEW "@@" COND_VERSION
#define OLD "@" OLD_COND_VERSION
VERSIONED(cond_wait, "pthread_cond_wait", NEW);
VERSIONED(cond_timedwait, "pthread_cond_timedwait", NEW);
VERSIONED(cond_signal, "pthread_cond_signal", NEW);
VERSIONED(cond_broadcast, "pthread_cond_broadcast", NEW);
VERSIONED(cond_init, "pthread_cond_init", NEW);
VERSIONED(cond_destroy, "pthread_cond_destroy", NEW);
VERSIONED(old_wait, "pthread_cond_wait", OLD);
VERSIONED(old_timedwait, "pthread_cond_timedwait", OLD);
VERSIONED(old_signal, "pthread_cond_signal", OLD);
VERSIONED(old_broadcast, "pthread_cond_broadcast", OLD);
#define cond_entry(name) cond_##name
WAIT(old_wait, old_cond_wait, (pthread_cond_t * c, pthread_mutex_t *m), (c, m))
WAIT(old_timedwait, old_cond_timedwait, (pthread_cond_t * c, pthread_mutex_t *m, TS until), (c, m, until))
WAKE(old_signal, old_cond_signal, wake_one_of, (pthread_cond_t * c), (c))
WAKE(old_broadcast, old_cond_broadcast, wake_all_of, (pthread_cond_t * c), (c))
#else
#define cond_entry(name) pthread_cond_##name
#endif

WAIT(cond_entry(wait), pthread_cond_wait, (pthread_cond_t * c, pthread_mutex_t *m), (c, m))
WAIT(cond_entry(timedwait), pthread_cond_timedwait, (pthread_cond_t * c, pthread_mutex_t *m, TS until),
     (c, m, until))
WAIT(pthread_cond_clockwait, pthread_cond_clockwait,
     (pthread_cond_t * c, pthread_mutex_t *m, clockid_t clock, TS until), (c, m, clock, until))
WAKE(cond_entry(signal), pthread_cond_signal, wake_one_of, (pthread_cond_t * c), (c))
WAKE(cond_entry(broadcast), pthread_cond_broadcast, wake_all_of, (pthread_cond_t * c), (c))

/* C11's are the same under another name. */
WAIT(cnd_wait, cnd_wait, (cnd_t * c, mtx_t *m), (c, m))
WAIT(cnd_timedwait, cnd_timedwait, (cnd_t * c, mtx_t *m, TS until), (c, m, until))
WAKE(cnd_signal, cnd_signal, wake_one_of, (cnd_t * c), (c))
WAKE(cnd_broadcast, cnd_broadcast, wake_all_of, (cnd_t * c), (c))

EXPORT int cond_entry(init)(pthread_cond_t *c, const pthread_condattr_t *attr);
EXPORT int cond_entry(init)(pthread_cond_t *c, const pthread_condattr_t *attr)
{
    int ret = real.pthread_cond_init(c, attr);
    if (!ret)
        NOTE_MADE(pthread_cond_init, c);
    return ret;
}

EXPORT int cond_entry(destroy)(pthread_cond_t *c);
EXPORT int cond_entry(destroy)(pthread_cond_t *c)
{
    note_unmade(c);
    return real.pthread_cond_destroy(c);
}
