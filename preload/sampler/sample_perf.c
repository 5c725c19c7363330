/*
 * Above what the kernel's tick delivers: a perf event on the CPU clock of each thread, which any user may have of his
 * own threads (perf_event_paranoid up to 2). The events are descriptors, and only the helper, whose file table is its
 * own, can have any that the program does not see. It opens them for threads that ask, and closes them for threads that
 * end.
 *
 * An overflow becomes a SIGTRAP to its thread, which the kernel sends on the way back to the program (attr.sigtrap). A
 * signal of our choice (F_SETSIG) would cost an interrupt more, a third of the whole sample in a virtual machine; it is
 * left to old kernels, and to programs whose SIGTRAP is taken.
 *
 * An execve must not take our signal along: the new image has no handler for it. So the kernel itself has to remove the
 * event (remove_on_exec, since 5.13), and time in the kernel is not sampled, because a signal could become pending in
 * the middle of execve; and most users may not sample it. sample_kernel.c makes up for that.
 */
#include "preload/sampler/sample_perf.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>

#include "preload/perf.h"
#include "preload/recorder.h"
#include "preload/sampler/sampler.h"
#include "preload/upcalls.h"

enum { CLOSING_MAX = 1024, CLOSE_SOON = 64, PATIENCE_NS = 5000000 };

/* Under the registry lock. */
static struct {
    uint32_t asked;       /* threads want one */
    int closing[CLOSING_MAX]; /* descriptors of threads that ended */
    int nclosing;
} perf;

static long fcntl_raw(int fd, int command, long arg) { return raw_syscall(SYS_fcntl, fd, command, arg, 0, 0, 0); }

static long open_event(long tid)
{
    union perf_attributes a = {.attr = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof a,
        .config = PERF_COUNT_SW_TASK_CLOCK,
        .sample_period = sampler_period_ns(),
        .wakeup_events = 1,
        .disabled = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    }};
    a.flags |= PERF_REMOVE_ON_EXEC | (sampler.trap ? PERF_SIGTRAP : 0);
    a.sig_data = sampler.trap ? SAMPLER_MARK : 0;
    return perf_open(&a.attr, tid, -1);
}

/* Without SIGTRAP, its overflows become the timers' signal, to that thread. */
static long direct(int fd, const struct thread *t)
{
    const struct f_owner_ex owner = {F_OWNER_TID, (pid_t)t->sched.m};
    long err = 0;
    if (!sampler.trap && !(err = fcntl_raw(fd, F_SETSIG, sampler.signal)) &&
        !(err = fcntl_raw(fd, F_SETOWN_EX, (long)&owner)))
        err = fcntl_raw(fd, F_SETFL, O_ASYNC);
    return err;
}

static bool start_event(struct thread *t)
{
    long fd = open_event((long)t->sched.m), err = fd;
    if (fd >= 0 && !(err = direct((int)fd, t)) &&
        !(err = raw_syscall(SYS_ioctl, fd, PERF_EVENT_IOC_ENABLE, 0, 0, 0, 0))) {
        __atomic_store_n(&t->sample.perf, (int)fd + 1, __ATOMIC_RELAXED);
        __atomic_fetch_add(&recorder.spool.header->samples.threads_by_perf, 1, __ATOMIC_RELAXED);
        return true;
    }
    if (fd >= 0)
        sys_close((int)fd);
    if (!recorder.spool.header->samples.perf_error)
        recorder.spool.header->samples.perf_error = (uint32_t)-err;
    return false;
}

static long kept = -1; /* the helper's own event; or a negative errno */

void sample_perf_end(void)
{
    if (kept >= 0)
        sys_close((int)kept);
    kept = -1;
}

void sample_perf_in_child(void) { kept = -1; }

/*
 * The first event of a thread in the whole system takes a grace period: tens of milliseconds, a minute where the
 * kernel's own threads starve. So the helper has one itself, which never runs, before it takes the lock that threads
 * take when they begin and end.
 */
static void keep_one(void)
{
    if (recording() && kept < 0)
        kept = open_event(0);
    else if (!recording())
        sample_perf_end();
}

static void close_ended(void)
{
    while (perf.nclosing)
        sys_close(perf.closing[--perf.nclosing]);
}

void sample_perf_forget(struct thread *t)
{
    t->sample.wants_perf = 0;
    if (!t->sample.perf)
        return;
    if (perf.nclosing < CLOSING_MAX)
        perf.closing[perf.nclosing++] = t->sample.perf - 1;
    t->sample.perf = 0;
    __atomic_store_n(&perf.asked, 1, __ATOMIC_RELEASE);
    if (perf.nclosing >= CLOSE_SOON)
        upcalls.wake_helper();
}

void sample_has_no_event(const struct thread *t)
{
    __atomic_fetch_add(t->sample.timer ? &sampler_counts()->threads_by_timer : &sampler_counts()->threads_unsampled, 1,
                       __ATOMIC_RELAXED);
}

void sample_perf_ask(struct thread *t)
{
    __atomic_store_n(&t->sample.wants_perf, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&perf.asked, 1, __ATOMIC_RELEASE);
}

/*
 * Some 50 us: else what the thread does first would not be sampled often enough, which for many a thread is all. When
 * the helper does not come to it, the timer has to do until it does.
 */
void sample_perf_await(struct thread *t)
{
    const struct timespec patience = {0, PATIENCE_NS};
    if (__atomic_load_n(&t->sample.wants_perf, __ATOMIC_ACQUIRE) && upcalls.wake_helper())
        sys_futex_wait(&t->sample.wants_perf, 1, &patience);
}

void sample_perf_serve(void)
{
    if (!__atomic_exchange_n(&perf.asked, 0, __ATOMIC_ACQUIRE))
        return;
    keep_one();
    lock_take(&registry.lock);
    close_ended();
    for (struct thread *t = registry.threads; t; t = t->next) {
        if (!t->sample.wants_perf)
            continue;
        if (!start_event(t))
            sample_has_no_event(t);
        __atomic_store_n(&t->sample.wants_perf, 0, __ATOMIC_RELEASE);
        sys_futex_wake(&t->sample.wants_perf, 1);
    }
    lock_drop(&registry.lock);
}
