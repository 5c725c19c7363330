/*
 * The handler of the sampling signal, and where it puts what it finds.
 *
 * It may interrupt its thread anywhere: in the program, in libc with any lock held, in a hook in the middle of a
 * transition. So it touches neither the thread's open chunk nor the stack table, takes no lock, and calls nothing that
 * does. Samples go, stacks and all, into chunks of their own, which a few slots share among all threads: a handler
 * takes a slot that nobody is in, and holds it for a microsecond. As all signals are blocked meanwhile, nothing can
 * tear it out. Which generation a sample belongs to, and which stacks are equal, `thrace finish` works out.
 */
#include "preload/sampler/sample.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <ucontext.h>

#include "preload/expected.h"
#include "preload/go.h"
#include "preload/sampler/retry.h"
#include "preload/sampler/sample_kernel.h"
#include "preload/sampler/sample_record.h"
#include "preload/sampler/sample_timer.h"
#include "preload/sampler/sampler.h"
#include "preload/sampler/wrap_signal.h"
#include "preload/thread.h"
#include "preload/upcalls.h"

static bool is_from_timer(int sig, const siginfo_t *info)
{
    return sig == sampler.signal && info->si_code == SI_TIMER && info->si_value.sival_int == SAMPLER_MARK;
}

static bool is_from_perf(int sig, const siginfo_t *info)
{
    enum { CODE_PERF = 6 }; /* TRAP_PERF; its data is behind the address, and glibc 2.36 has no name for it */
    unsigned long data;
    if (!sampler.trap)
        return sig == sampler.signal && info->si_code == POLL_IN && sampler.perf;
    memcpy(&data, (const char *)&info->si_addr + sizeof info->si_addr, sizeof data);
    return sig == SIGTRAP && info->si_code == CODE_PERF && data == SAMPLER_MARK;
}

/* For how many periods this signal stands. */
static uint64_t weight_of(struct thread *t, bool by_timer, const siginfo_t *info, const ucontext_t *uc)
{
    uint64_t periods = by_timer ? 1 + (uint64_t)(info->si_overrun > 0 ? info->si_overrun : 0) : 1;
    if (!__atomic_load_n(&t->sample.perf, __ATOMIC_RELAXED))
        return periods;
    return by_timer ? sample_kernel_time(t, periods, uc) : sample_user_time(t);
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
    struct thread *t = self;
    bool by_timer = is_from_timer(sig, info);
    if (!by_timer && !is_from_perf(sig, info)) {
        signal_foreign(sig, info, context);
        return;
    }
    if (t == THREAD_OFF || (!t && !(t = expected_thread())))
        return;
    if (t == self) /* else the call that it was in was none of ours */
        retry_note(t, context);
    if (!recording())
        return;
    uint64_t weight = weight_of(t, by_timer, info, context);
    sample_take(t, context, weight);
}

/* --- beginning and end -------------------------------------------------------------------------------------------- */

/* So many signals a second does a CPU-clock timer deliver at most: one at each tick of the kernel. */
static uint64_t tick_hz(void)
{
    struct timespec tick;
    if (clock_getres(CLOCK_REALTIME_COARSE, &tick) || tick.tv_sec || tick.tv_nsec <= 0)
        return 100;
    return (uint64_t)(1000000000 / tick.tv_nsec);
}

/* Since 6.1; before, an event on a clock stopped when its thread was first asked. */
static bool trap_is_sound(void)
{
    struct utsname u;
    if (sys_failed(raw_syscall(SYS_uname, (long)&u, 0, 0, 0, 0, 0)))
        return false;
    char *end;
    unsigned long major = strtoul(u.release, &end, 10);
    return major > 6 || (major == 6 && *end == '.' && strtoul(end + 1, NULL, 10) >= 1);
}

void sample_thread_from(const void *caller)
{
    if (go_comes_from(caller))
        signal_to_their_stacks();
}

/* A runtime that gives its handlers by system calls replaces ours, and takes what is sent to them for an accident. */
void sample_init(uint64_t hz)
{
    enum go_code go = go_at_start();
    if (go != NO_GO)
        signal_to_their_stacks();
    if (!hz || go == GO_WITHOUT_LIBC || !(sampler.signal = signal_take(on_signal)))
        return;
    sampler.hz = hz;
    sampler.tick_hz = tick_hz();
    retry_install();
    sampler.perf = 2 * hz > sampler.tick_hz; /* with less, two samples fall into one tick too often */
    sampler.trap = sampler.perf && trap_is_sound() && signal_take_trap();
    if (sampler.perf && !sampler.trap)
        signal_guard_sigio();
    signal_unblock(0); /* this thread is known already, and may have come with all signals blocked */
}

bool sample_perf_wanted(void) { return sampler.perf; }

void sample_start(void)
{
    if (!sampler.signal)
        return;
    sampler_counts()->hz = sampler.hz;
    sample_arm_all();
}

void sample_stop(void)
{
    if (!sampler.signal)
        return;
    sample_disarm_all();
    if (sampler.perf)
        upcalls.wake_helper(); /* which closes the events */
}

void sample_forget(void)
{
    sample_forget_slots();
    sample_forget_timer();
}

static void mask(int how)
{
    uint64_t set = signals_reserved;
    if (set)
        raw_syscall(SYS_rt_sigprocmask, how, (long)&set, 0, sizeof set, 0, 0);
}

void sample_pause(void) { mask(SIG_BLOCK); }
void sample_resume(void) { mask(SIG_UNBLOCK); }
