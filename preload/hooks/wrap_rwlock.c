/*
 * pthread_rwlock_unlock; what locks is in locks.def. Whom an unlock wakes depends on who holds the lock and who waits. A
 * writer's unlock lets in all waiting readers if there are any, else one writer (glibc prefers readers unless told
 * otherwise); of the readers, the last one to leave lets in a writer. Whether a reader is the last one, and whether it
 * is a writer that leaves, the lock's own words say; we read them and change nothing.
 */
#include "preload/libc_words.h"
#include "preload/wrapper.h"

/* Once the calling thread has unlocked it. */
static bool is_free_then(const pthread_rwlock_t *l)
{
    return rwlock_is_held_by_writer(l) || !rwlock_is_held_by_several(l);
}

/*
 * Asked before anything that costs: a writer waits as long as there are readers, and one that was let in until it has a
 * processor, while others lock and unlock many thousand times.
 */
static bool may_let_in(const pthread_rwlock_t *l)
{
    return is_free_then(l) && waitq_may_claim(&recorder.waits, l, CLAIMED_SERVED);
}

static OUT_OF_LINE int unlock_slow(pthread_rwlock_t *l)
{
    struct hook h;
    if (is_trusted(WORD_RWLOCK) && wrapped(CLASS_SYNC) && may_let_in(l) && HOOK_ENTER(&h, pthread_rwlock_unlock)) {
        bool readers_let_in = rwlock_is_held_by_writer(l) && wake_all(&h, l, WAITER_READER);
        if (!readers_let_in && is_free_then(l))
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
