/*
 * GOMAXPROCS is the number of CPUs that the main thread may use: threads inherit its mask, and one that pins itself to
 * a CPU leaves the others where they are.
 */
#include <sched.h>

#include "preload/wrapper.h"
#include "preload/cpus.h"

static void cpus_changed(struct hook *h)
{
    struct thread *t = h->t;
    if (section_enter(t, 0, LOST_OTHER)) {
        if (!sched_procs_change(&recorder.sched, &t->sched, cpus_of_process(), now()))
            count_lost(LOST_OTHER, LOSS_STATE);
        section_leave(t);
    }
    hook_leave(h);
}

EXPORT int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *mask)
{
    struct hook h;
    int ret = real.sched_setaffinity(pid, size, mask);
    long self_pid = sys_getpid();
    if (!ret && (pid == self_pid || (!pid && sys_gettid() == self_pid)) && HOOK_ENTER(&h, sched_setaffinity))
        cpus_changed(&h);
    return ret;
}

EXPORT int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *mask)
{
    struct hook h;
    int ret = real.pthread_setaffinity_np(thread, size, mask);
    if (!ret && pthread_equal(thread, registry.main_thread) && HOOK_ENTER(&h, pthread_setaffinity_np))
        cpus_changed(&h);
    return ret;
}
