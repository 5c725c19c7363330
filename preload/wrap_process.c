/*
 * What changes the ground we stand on: fork, seccomp filters, dlclose. And prctl's other use, names.
 *
 * After a filter is installed a system call of ours could kill the program. So recording ends before: everything that
 * was recorded is in the mapping then, and nothing more is asked of the kernel.
 */
#include <stdarg.h>
#include <sys/prctl.h>

#include "preload/hook.h"
#include "preload/helper.h"
#include "preload/lifecycle.h"
#include "preload/operators.h"
#include "preload/sample.h"
#include "preload/session.h"
#include "preload/thread_start.h"

static void before_fork(void)
{
    sample_pause();
    session_lock();
    lock_take(&tracer.advance_lock);
    lock_take(&tracer.registry_lock);
}

static void after_fork_in_parent(void)
{
    lock_drop(&tracer.registry_lock);
    lock_drop(&tracer.advance_lock);
    session_unlock();
    sample_resume();
}

static void after_fork_in_child(void)
{
    tracer.registry_lock.word = 0;
    tracer.advance_lock.word = 0;
    session_forget_lock();
    struct thread *t = self;
    tracer_forget();
    lifecycle_in_child(t);
    sample_resume();
}

void process_init(void) { pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child); }

void lifecycle_seccomp_is_coming(void)
{
    if (!tracer.owner->alive)
        return;
    session_stop_for_good();
    helper_stop();
    lifecycle_forbid_finish();
}

/* Older than pthread_setname_np, and of the same effect. */
static void named_by_prctl(const char *name)
{
    struct hook h;
    if (HOOK_ENTER(&h, prctl_call)) {
        record_thread_name(h.t, h.t->sched.g, name);
        hook_leave(&h);
    }
}

EXPORT int prctl(int option, ...)
{
    va_list ap;
    unsigned long a[4];
    va_start(ap, option);
    for (int i = 0; i < 4; i++)
        a[i] = va_arg(ap, unsigned long);
    va_end(ap);
    if (option == PR_SET_SECCOMP)
        lifecycle_seccomp_is_coming();
    int ret = real.prctl_call(option, a[0], a[1], a[2], a[3]);
    if (option == PR_SET_NAME && !ret)
        named_by_prctl((const char *)a[0]);
    return ret;
}

/* A module that goes is recorded first, and leaves the unwinder's snapshot when it is gone. */
EXPORT int dlclose(void *handle)
{
    if (!recording() || self == THREAD_OFF) {
        int ret = real.dlclose(handle);
        operators_forget();
        return ret;
    }
    modules_refresh();
    __atomic_fetch_add(&tracer.unloading, 1, __ATOMIC_SEQ_CST);
    int ret = real.dlclose(handle);
    operators_forget();
    modules_refresh();
    __atomic_fetch_sub(&tracer.unloading, 1, __ATOMIC_SEQ_CST);
    return ret;
}
