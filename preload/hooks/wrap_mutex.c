/*
 * pthread_mutex_unlock; what locks is in locks.def. A release is news when somebody waits: without, it costs one load
 * and a branch.
 */
#include "preload/wrapper.h"

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
    if (waitq_maybe_waiting(&recorder.waits, m))
        return unlock_slow(m);
    return real.pthread_mutex_unlock(m);
}
