/* What changes the ground we stand on: prctl, capset, exec, dlclose. And prctl's other use, names. */
#include <stdarg.h>
#include <sys/prctl.h>

#include "preload/hooks/openmp.h"
#include "preload/modules.h"
#include "preload/thread_name.h"
#include "preload/upcalls.h"
#include "preload/wrapper.h"

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
        upcalls.prctl_is_coming(option, a[0]);
    int ret = real.prctl_call(option, a[0], a[1], a[2], a[3]);
    if (option == PR_SET_NAME && !ret)
        named_by_prctl((const char *)a[0]);
    if (option == PR_SET_NO_NEW_PRIVS && !ret)
        upcalls.privileges_changed();
    return ret;
}

/* libc has it and no header does. The kernel changes the calling thread only. */
EXPORT int capset(void *header, const void *data);
EXPORT int capset(void *header, const void *data)
{
    int ret = real.capset_call(header, data);
    if (!ret)
        upcalls.privileges_changed();
    return ret;
}

/*
 * The next program may run without us. If it does not, its constructor says so in this one's spool. In a child of
 * vfork, which has the parent's memory, that is not ours to say.
 */
static void execs(uint32_t now)
{
    if (recording() && recorder.pid == (int)sys_getpid())
        recorder.spool.header->unseen.execs = now;
}

#define EXEC(entry, params, args)                                                                                      \
    EXPORT int entry params                                                                                            \
    {                                                                                                                  \
        execs(SPOOL_EXEC);                                                                                             \
        int ret = real.entry args;                                                                                     \
        execs(SPOOL_NO_EXEC);                                                                                          \
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
        upcalls.module_closed();
        openmp_forget();
        return ret;
    }
    modules_refresh();
    __atomic_fetch_add(&module_map.unloading, 1, __ATOMIC_SEQ_CST);
    int ret = real.dlclose(handle);
    upcalls.module_closed();
    openmp_forget();
    modules_refresh();
    __atomic_fetch_sub(&module_map.unloading, 1, __ATOMIC_SEQ_CST);
    return ret;
}
