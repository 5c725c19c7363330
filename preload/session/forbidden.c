#include "preload/session/forbidden.h"

#include <sys/prctl.h>

#include "preload/recorder.h"
#include "preload/say.h"
#include "preload/session/finisher.h"
#include "preload/session/own_threads.h"
#include "preload/session/state.h"
#include "preload/session/stop.h"
#include "preload/thread.h"

static bool others_are_in_hooks(void)
{
    lock_take(&registry.lock);
    bool any = any_in_hook(self);
    lock_drop(&registry.lock);
    return any;
}

/*
 * Another thread's hook that began while something was recorded may be about to make a system call, and the filter may
 * be for all threads. A hook takes microseconds, unless its thread has lost its processor; one may also have been left
 * by siglongjmp, and look as if it went on.
 */
static void let_hooks_end(void)
{
    static const struct timespec pause = {.tv_nsec = 200000};
    enum { LOOKS = 250 };
    for (int i = 0; i < LOOKS && others_are_in_hooks(); i++)
        raw_syscall(SYS_nanosleep, (long)&pause, 0, 0, 0, 0, 0);
}

void seccomp_is_coming(void)
{
    if (!recorder.owner->alive)
        return;
    session_stop_for_good();
    let_hooks_end();
    own_threads_stop();
    forbid_finisher();
}

/*
 * The thread is not to read the processor's counter any more, nor are those that it makes: neither we nor the clocks of
 * libc can then. A trace has one clock, and threads come and go, so the recording of all ends.
 */
static void counter_is_forbidden(void)
{
    int state;
    /* A child that has our memory, as vfork makes it, speaks for itself. */
    if (!recorder.owner->alive || recorder.pid != (int)sys_getpid() ||
        sys_failed(raw_syscall(SYS_prctl, PR_GET_TSC, (long)&state, 0, 0, 0, 0)))
        return;
    bool ends = recording();
    session_stop_for_good();
    clock_forbid(&recorder.clock);
    if (ends)
        say("the program forbids itself to read clocks (PR_SET_TSC), the recording ended: ", session_spool());
}

void prctl_is_coming(long option, unsigned long arg)
{
    if (option == PR_SET_SECCOMP)
        seccomp_is_coming();
    else if (option == PR_SET_TSC && arg == PR_TSC_SIGSEGV)
        counter_is_forbidden();
}
