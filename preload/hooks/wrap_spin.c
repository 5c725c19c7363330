/*
 * pthread_spin_lock: who spins runs, and after a while waits, as far as a reader of the trace is concerned. A spinner
 * past its budget is shown waiting until it has the lock.
 */
#include <errno.h>

#include "preload/hook.h"

enum { SPIN_BUDGET = 200 };

static int attempt(const struct acquire *a) { return real.pthread_spin_trylock((pthread_spinlock_t *)a->object); }
static int spin(const struct acquire *a) { return real.pthread_spin_lock((pthread_spinlock_t *)a->object); }

static OUT_OF_LINE int lock_slow(pthread_spinlock_t *lock)
{
    struct hook h;
    for (int i = 0; i < SPIN_BUDGET; i++) {
        cpu_relax();
        int ret = real.pthread_spin_trylock(lock);
        if (ret != EBUSY)
            return ret;
    }
    if (!wrapped(CLASS_SYNC) || !HOOK_ENTER(&h, pthread_spin_lock))
        return real.pthread_spin_lock(lock);
    return acquire_slow(
        &h, &(struct acquire){(const void *)lock, WAITER_ANY, REASON_SYNC, EBUSY, attempt, spin, 0, NULL});
}

EXPORT int pthread_spin_lock(pthread_spinlock_t *lock)
{
    int ret = real.pthread_spin_trylock(lock);
    if (likely(ret != EBUSY))
        return ret;
    return lock_slow(lock);
}

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
    if (waitq_maybe_waiting(&tracer.waits, (const void *)lock))
        return unlock_slow(lock);
    return real.pthread_spin_unlock(lock);
}
