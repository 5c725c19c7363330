/*
 * pthread_rwlock_unlock; what locks is in locks.def. Whom an unlock wakes depends on who holds the lock and who waits. A
 * writer's unlock lets in all waiting readers if there are any, else one writer (glibc prefers readers unless told
 * otherwise); of the readers, the last one to leave lets in a writer. Whether a reader is the last one, and whether it
 * is a writer that leaves, the lock's own words say; we read them and change nothing.
 */
#include "preload/wrapper.h"

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
    if (waitq_maybe_waiting(&recorder.waits, l))
        return unlock_slow(l);
    return real.pthread_rwlock_unlock(l);
}
