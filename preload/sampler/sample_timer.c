#include "preload/sampler/sample_timer.h"

#include <errno.h>
#include <signal.h>

#include "preload/sampler/sample_perf.h"
#include "preload/sampler/sampler.h"
#include "preload/sampler/wrap_signal.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static uint64_t ended_ns; /* CPU time of the sampled threads that are gone */

/* The kernel's name for the CPU clock of any thread of this process. */
static long cpu_clock(const struct thread *t)
{
    enum { PER_THREAD = 4, SCHEDULER = 2 };
    return (long)(~(uint32_t)t->sched.m << 3 | PER_THREAD | SCHEDULER);
}

static uint64_t cpu_ns(const struct thread *t)
{
    struct timespec ts = {0, 0};
    raw_syscall(SYS_clock_gettime, cpu_clock(t), (long)&ts, 0, 0, 0, 0);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* The first period is a part of one, at random: else threads that live shorter than a period would never be seen. */
static uint64_t random_part(const struct thread *t, uint64_t period)
{
    uint64_t h = (now() ^ t->sched.g << 40) * UINT64_C(0x9e3779b97f4a7c15);
    return (h ^ h >> 32) % period + 1;
}

static struct timespec timespec_of(uint64_t ns)
{
    return (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
}

/* By the thread's end, or by whoever ends the recording: only one of them. */
static void stop_timer(struct thread *t)
{
    int timer = __atomic_exchange_n(&t->sample.timer, 0, __ATOMIC_ACQ_REL);
    if (timer)
        raw_syscall(SYS_timer_delete, timer - 1, 0, 0, 0, 0, 0);
}

/* False: the thread is gone, and did not say so. */
static bool start_timer(struct thread *t)
{
    struct sigevent event = {.sigev_signo = sampler.signal, .sigev_notify = SIGEV_THREAD_ID};
    event.sigev_value.sival_int = SAMPLER_MARK;
    event.sigev_notify_thread_id = (pid_t)t->sched.m;
    uint64_t period = sampler_period_ns();
    int id;
    const struct itimerspec times = {timespec_of(period), timespec_of(random_part(t, period))};
    long err = raw_syscall(SYS_timer_create, cpu_clock(t), (long)&event, (long)&id, 0, 0, 0);
    if (sys_failed(err))
        return err != -EINVAL;
    raw_syscall(SYS_timer_settime, id, 0, (long)&times, 0, 0, 0);
    __atomic_store_n(&t->sample.timer, id + 1, __ATOMIC_SEQ_CST);
    if (!recording()) /* it ended since; who ended it may have looked before there was a timer */
        stop_timer(t);
    return true;
}

/* By the thread itself, or by whoever starts a session: only one of them. */
static void arm(struct thread *t)
{
    if (__atomic_exchange_n(&t->sample.counted, true, __ATOMIC_ACQ_REL))
        return;
    t->sample.cpu_ns = cpu_ns(t);
    t->sample.due = 0;
    if (!start_timer(t))
        return;
    if (sampler.perf)
        sample_perf_ask(t);
    else
        sample_has_no_event(t);
}

void sample_arm(struct thread *t)
{
    if (!sampler.signal)
        return;
    signal_unblock(t->sample.inherits_block); /* for sessions to come, too */
    if (!recording())
        return;
    arm(t);
    sample_perf_await(t);
}

/* 0 for one that is gone without having said so. */
static uint64_t sampled_ns(const struct thread *t)
{
    uint64_t ns = t->sample.counted ? cpu_ns(t) : 0;
    return ns > t->sample.cpu_ns ? ns - t->sample.cpu_ns : 0;
}

void sample_disarm(struct thread *t)
{
    if (!sampler.signal)
        return;
    lock_take(&registry.lock); /* a session may begin now */
    t->sample.gone = true;
    stop_timer(t);
    sample_perf_forget(t);
    sampler_count(&ended_ns, sampled_ns(t));
    t->sample.counted = false;
    lock_drop(&registry.lock);
}

static void add_up(void)
{
    uint64_t sum = __atomic_load_n(&ended_ns, __ATOMIC_RELAXED);
    for (const struct thread *t = registry.threads; t; t = t->next)
        sum += sampled_ns(t);
    __atomic_store_n(&sampler_counts()->cpu_ns, sum, __ATOMIC_RELAXED);
}

void sample_account(void)
{
    if (!sampler.signal || !recording())
        return;
    lock_take(&registry.lock);
    add_up();
    lock_drop(&registry.lock);
}

void sample_arm_all(void)
{
    ended_ns = 0;
    for (struct thread *t = registry.threads; t; t = t->next)
        if (t->sched.m && !t->sample.gone)
            arm(t);
}

void sample_disarm_all(void)
{
    add_up();
    for (struct thread *t = registry.threads; t; t = t->next) {
        stop_timer(t);
        sample_perf_forget(t);
        t->sample.counted = false;
    }
}

void sample_forget_timer(void)
{
    if (self && self != THREAD_OFF) {
        self->sample.timer = self->sample.perf = 0;
        self->sample.wants_perf = 0;
        self->sample.counted = false;
    }
    ended_ns = 0;
}
