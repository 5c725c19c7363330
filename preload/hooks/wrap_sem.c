/* sem_post, a release that is news when somebody waits; what waits is in locks.def. */
#include "preload/old_waiters.h"
#include "preload/wrapper.h"

static OUT_OF_LINE int post_slow(sem_t *s)
{
    struct hook h;
    if (!futex_old_waiters(s) && wrapped(CLASS_SYNC) && HOOK_ENTER(&h, sem_post)) {
        wake_one(&h, s, WAITER_ANY);
        hook_leave(&h);
    }
    return real.sem_post(s);
}

EXPORT int sem_post(sem_t *s)
{
    if (waitq_maybe_waiting(&recorder.waits, s))
        return post_slow(s);
    return real.sem_post(s);
}
