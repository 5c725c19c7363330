/*
 * C11 threads. glibc's are thin covers of the pthread functions, which they call inside libc, past us; so each is
 * wrapped like its pthread counterpart: locks in locks.def, conditions and call_once next to theirs, the rest here.
 */
#include "preload/thread_start.h"
#include "preload/wrapper.h"

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
        hook_waits_for(&h, OBJECT_THREAD, (const void *)thread);
        wait_register(&h, (const void *)thread, WAITER_ANY);
        while (!wait_block(&h, &w, REASON_SYNC))
            ;
    }
    return real.thrd_join(thread, result);
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
    if (waitq_maybe_waiting(&recorder.waits, m))
        return unlock_slow(m);
    return real.mtx_unlock(m);
}
