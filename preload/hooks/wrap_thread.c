/* pthread_create, and the names of threads. pthread_join and its kin are in locks.def. */
#include "preload/thread_name.h"
#include "preload/thread_start.h"
#include "preload/upcalls.h"
#include "preload/wrapper.h"

static void *thread_start(void *arg)
{
    struct thread *t = arg;
    void *(*start)(void *) = t->start;
    begin_thread(t);
    return start(t->arg);
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
    struct hook h;
    if (!HOOK_ENTER(&h, pthread_create))
        return real.pthread_create(thread, attr, start, arg);
    upcalls.creates_thread(__builtin_return_address(0));
    struct thread *child = announce_thread(&h, (const void *)start);
    if (child) {
        child->start = start;
        child->arg = arg;
        child->stack_size = default_stack_size();
        if (attr)
            pthread_attr_getstacksize(attr, &child->stack_size);
    }
    hook_leave(&h);
    if (!child)
        return real.pthread_create(thread, attr, start, arg);
    uint64_t g = child->sched.g;
    int ret = real.pthread_create(thread, attr, thread_start, child);
    if (ret)
        unannounce_thread(child);
    else
        know_handle(child, g, *thread);
    return ret;
}

/* --- names -------------------------------------------------------------------------------------------------------- */

EXPORT int pthread_setname_np(pthread_t thread, const char *name)
{
    struct hook h;
    int ret = real.pthread_setname_np(thread, name);
    if (!ret && HOOK_ENTER(&h, pthread_setname_np)) {
        uint64_t g = thread == pthread_self() ? h.t->sched.g : name_thread(thread, name);
        if (g)
            record_thread_name(h.t, g, name);
        hook_leave(&h);
    }
    return ret;
}
