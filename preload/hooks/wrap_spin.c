/* pthread_spin_unlock; what locks is in locks.def. */
#include "preload/wrapper.h"

static OUT_OF_LINE int unlock_slow(pthread_spinlock_t *lock)
{
    struct hook h;
    if (wrapped(CLASS_SYNC) && HOOK_ENTER(&h, pthread_spin_unlock)) {
        wake_one(&h, (const void *)lock, WAITER_ANY);
        hook_leave(&h);
    }
    return real.pthread_spin_unlock(lock);
}

EXPORT int pthread_spin_unlock(pthread_spinlock_t *lock)
{
    if (waitq_maybe_waiting(&recorder.waits, (const void *)lock))
        return unlock_slow(lock);
    return real.pthread_spin_unlock(lock);
}
