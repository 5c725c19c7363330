/*
 * Time in the kernel, where a thread has both a timer and a perf event. The event tells of each period that ends in the
 * program, and of none that ends in the kernel. The timer counts all periods, but speaks only at a tick of the
 * kernel's. So what the timer has counted and the event has not shown is time in the kernel; and of that the ticks that
 * hit the kernel are a fair sample. One that did gets all that is due: it stands for so many samples.
 *
 * A tick hit the kernel when the signal arrives on the way out of a system call, or when the kernel booked the tick as
 * system time (page faults, for one).
 */
#include "preload/sampler/sample_kernel.h"

#include <sys/resource.h>
#include <ucontext.h>

#include "lib/rawsys.h"
#include "preload/sampler/sampler.h"

/* The kernel has done the call, or is about to do it again. */
static bool in_system_call(const ucontext_t *uc)
{
#if defined(__x86_64__)
    enum { INSTRUCTION = 2 };
    uintptr_t pc = (uintptr_t)uc->uc_mcontext.gregs[REG_RIP], back = (uintptr_t)uc->uc_mcontext.gregs[REG_RCX];
    return back == pc || back == pc + INSTRUCTION; /* the instruction leaves in rcx where it returns to */
#elif defined(__aarch64__)
    enum { PAGE_MASK = 4095 };
    const uint32_t svc = 0xd4000001;
    const uint32_t *pc = (const uint32_t *)uc->uc_mcontext.pc;
    return *pc == svc || ((uintptr_t)pc & PAGE_MASK && pc[-1] == svc);
#endif
}

static int64_t us(struct timeval t) { return (int64_t)t.tv_sec * 1000000 + t.tv_usec; }

/*
 * The kernel counts the ticks that hit the program and those that hit it itself, and gives the thread's exact CPU time
 * out in that proportion. So with each call, s of u + s grows by a tick's worth if this one hit the kernel, and by a
 * share of how much more or less than a tick went by, whatever it hit.
 */
static bool is_booked_as_system(struct thread *t)
{
    struct rusage r;
    if (raw_syscall(SYS_getrusage, RUSAGE_THREAD, (long)&r, 0, 0, 0, 0))
        return false;
    int64_t user = (int64_t)t->sample.user_us, system = (int64_t)t->sample.system_us;
    int64_t tick = 1000000 / (int64_t)sampler.tick_hz, more = us(r.ru_stime) - system;
    int64_t passed = us(r.ru_utime) - user + more;
    t->sample.user_us = (uint64_t)us(r.ru_utime);
    t->sample.system_us = (uint64_t)us(r.ru_stime);
    return (more - tick / 2) * (user + system) > system * (passed - tick);
}

/* How far the two may be apart: ticks hit a thread late, when it executes in short pieces. */
static int64_t leeway(void) { return (int64_t)sampler.hz / 10 + 1; }

uint64_t sample_user_time(struct thread *t)
{
    if (t->sample.due > -leeway())
        t->sample.due--;
    return 1;
}

uint64_t sample_kernel_time(struct thread *t, uint64_t periods, const void *context)
{
    bool booked = is_booked_as_system(t);
    int64_t due = t->sample.due += (int64_t)periods;
    if (due <= 0)
        return 0;
    if (booked || in_system_call(context)) {
        t->sample.due = 0;
        return (uint64_t)due;
    }
    if (due > leeway()) { /* the processor was taken away from us: nobody knows from where */
        sampler_count(&sampler_counts()->missed, (uint64_t)(due - leeway()));
        t->sample.due = leeway();
    }
    return 0;
}
