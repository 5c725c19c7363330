/*
 * C11 threads. glibc's are thin covers of the pthread functions, which they call inside libc, past us; so each is
 * wrapped like its pthread counterpart: conditions and call_once next to theirs, the rest here.
 */
#include "preload/hook.h"
#include "preload/thread_start.h"

static int start_c11(void *arg)
{
    struct thread *t = arg;
    thrd_start_t start = (thrd_start_t)(void *)t->start;
    begin_thread(t);
    return start(t->arg);
}

EXPORT int thrd_create(thrd_t *thread, thrd_start_t start, void *arg)
{
    struct hook h;
    if (!HOOK_ENTER(&h, thrd_create))
        return real.thrd_create(thread, start, arg);
    struct thread *child = announce_thread(&h, (const void *)start);
    if (child) {
        child->start = (void *(*)(void *))(void *)start;
        child->arg = arg;
        child->stack_size = default_stack_size();
    }
    hook_leave(&h);
    if (!child)
        return real.thrd_create(thread, start, arg);
    uint64_t g = child->sched.g;
    int ret = real.thrd_create(thread, start_c11, child);
    if (ret != thrd_success)
        unannounce_thread(child);
    else
        know_handle(child, g, *thread);
    return ret;
}

/* There is no trial for thrd_join; a thread that has ended already makes a wait of no length. */
EXPORT int thrd_join(thrd_t thread, int *result)
{
    WAIT_SCOPE w = {.t = NULL};
    struct hook h;
    if (wrapped(CLASS_SYNC) && HOOK_ENTER(&h, thrd_join)) {
        wait_register(&h, (const void *)thread, WAITER_ANY);
        while (!wait_block(&h, &w, REASON_SYNC))
            ;
    }
    return real.thrd_join(thread, result);
}


static int attempt(const struct acquire *a)
{
    int ret = real.mtx_trylock((mtx_t *)a->object);
    if (ret == thrd_busy)
        wait_for_owner(a->object);
    return ret;
}

static int lock(const struct acquire *a) { return real.mtx_lock((mtx_t *)a->object); }
static int timedlock(const struct acquire *a) { return real.mtx_timedlock((mtx_t *)a->object, a->until); }

static OUT_OF_LINE int lock_slow(mtx_t *m)
{
    struct hook h;
    if (!wrapped(CLASS_SYNC) || !HOOK_ENTER(&h, mtx_lock))
        return real.mtx_lock(m);
    return acquire_slow(&h, &(struct acquire){m, WAITER_ANY, REASON_SYNC, thrd_busy, attempt, lock, 0, NULL});
}

EXPORT int mtx_lock(mtx_t *m)
{
    int ret = real.mtx_trylock(m);
    if (likely(ret != thrd_busy))
        return ret;
    return lock_slow(m);
}

static OUT_OF_LINE int timedlock_slow(mtx_t *m, const struct timespec *until)
{
    struct hook h;
    if (!wrapped(CLASS_SYNC) || !HOOK_ENTER(&h, mtx_timedlock))
        return real.mtx_timedlock(m, until);
    return acquire_slow(&h, &(struct acquire){m, WAITER_ANY, REASON_SYNC, thrd_busy, attempt, timedlock, 0, until});
}

EXPORT int mtx_timedlock(mtx_t *m, const struct timespec *until)
{
    int ret = real.mtx_trylock(m);
    if (likely(ret != thrd_busy))
        return ret;
    return timedlock_slow(m, until);
}

static OUT_OF_LINE int unlock_slow(mtx_t *m)
{
    struct hook h;
    if (wrapped(CLASS_SYNC) && HOOK_ENTER(&h, mtx_unlock)) {
        wake_next_owner(&h, (const pthread_mutex_t *)m);
        hook_leave(&h);
    }
    return real.mtx_unlock(m);
}

EXPORT int mtx_unlock(mtx_t *m)
{
    if (waitq_maybe_waiting(&tracer.waits, m))
        return unlock_slow(m);
    return real.mtx_unlock(m);
}
