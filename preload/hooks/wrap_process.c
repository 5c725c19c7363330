/*
 * What changes the ground we stand on: fork, seccomp filters, clocks that are taken away, dlclose. And prctl's other
 * use, names.
 *
 * After a filter is installed a system call of ours could kill the program. So recording ends before: everything that
 * was recorded is in the mapping then, and nothing more is asked of the kernel.
 */
#include <stdarg.h>
#include <sys/prctl.h>

#include "preload/hook.h"
#include "preload/session/helper.h"
#include "preload/session/lifecycle.h"
#include "preload/hooks/openmp.h"
#include "preload/heap/operators.h"
#include "preload/session/privileges.h"
#include "preload/sampler/sample.h"
#include "preload/session/session.h"
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

/*
 * The thread is not to read the processor's counter any more, nor are those that it makes: neither we nor the clocks of
 * libc can then. A trace has one clock, and threads come and go, so the recording of all ends.
 */
static void counter_is_forbidden(void)
{
    int state;
    /* A child that has our memory, as vfork makes it, speaks for itself. */
    if (!tracer.owner->alive || tracer.pid != (int)sys_getpid() ||
        sys_failed(raw_syscall(SYS_prctl, PR_GET_TSC, (long)&state, 0, 0, 0, 0)))
        return;
    bool ends = recording();
    session_stop_for_good();
    clock_forbid(&tracer.clock);
    if (ends)
        say("the program forbids itself to read clocks (PR_SET_TSC), the recording ended: ", session_spool());
}

void lifecycle_prctl_is_coming(long option, unsigned long arg)
{
    if (option == PR_SET_SECCOMP)
        lifecycle_seccomp_is_coming();
    else if (option == PR_SET_TSC && arg == PR_TSC_SIGSEGV)
        counter_is_forbidden();
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
    if (unlikely(option == PR_SET_SECCOMP || option == PR_SET_TSC))
        lifecycle_prctl_is_coming(option, a[0]);
    int ret = real.prctl_call(option, a[0], a[1], a[2], a[3]);
    if (option == PR_SET_NAME && !ret)
        named_by_prctl((const char *)a[0]);
    if (option == PR_SET_NO_NEW_PRIVS && !ret)
        privileges_follow();
    return ret;
}

/* libc has it and no header does. The kernel changes the calling thread only. */
EXPORT int capset(void *header, const void *data);
EXPORT int capset(void *header, const void *data)
{
    int ret = real.capset_call(header, data);
    if (!ret)
        privileges_follow();
    return ret;
}

/*
 * The next program may run without us. If it does not, its constructor says so in this one's spool. In a child of
 * vfork, which has the parent's memory, that is not ours to say.
 */
static void execs(uint32_t now)
{
    if (recording() && tracer.pid == (int)sys_getpid())
        tracer.spool.header->unseen.execs = now;
}

#define EXEC(entry, params, args)                                                                                      \
    EXPORT int entry params                                                                                            \
    {                                                                                                                  \
        execs(1);                                                                                                      \
        int ret = real.entry args;                                                                                     \
        execs(0);                                                                                                      \
        return ret;                                                                                                    \
    }

EXEC(execve, (const char *path, char *const argv[], char *const envp[]), (path, argv, envp))
EXEC(execv, (const char *path, char *const argv[]), (path, argv))
EXEC(execvp, (const char *file, char *const argv[]), (file, argv))
EXEC(execvpe, (const char *file, char *const argv[], char *const envp[]), (file, argv, envp))
EXEC(fexecve, (int fd, char *const argv[], char *const envp[]), (fd, argv, envp))

/* A module that goes is recorded first, and leaves the unwinder's snapshot when it is gone. */
EXPORT int dlclose(void *handle)
{
    if (!recording() || self == THREAD_OFF) {
        int ret = real.dlclose(handle);
        operators_forget();
        openmp_forget();
        return ret;
    }
    modules_refresh();
    __atomic_fetch_add(&tracer.unloading, 1, __ATOMIC_SEQ_CST);
    int ret = real.dlclose(handle);
    operators_forget();
    openmp_forget();
    modules_refresh();
    __atomic_fetch_sub(&tracer.unloading, 1, __ATOMIC_SEQ_CST);
    return ret;
}
