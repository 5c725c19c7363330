/*
 * Calls that return EINTR whenever a handler ran, even one with SA_RESTART (signal(7) lists them). The program knows
 * nothing of our handler, so it must not see that: the call is done again, with the time that is left. The replacements
 * stand between the wrappers and libc, in `real`, and only where samples are taken.
 *
 * It is rare: a thread that waits uses no CPU time, so a sample can only come just before it sleeps.
 */
#include <errno.h>
#include <ucontext.h>

#include "preload/hook.h"
#include "preload/sample.h"

static struct real libc;

/* --- what was interrupted by what ---------------------------------------------------------------------------------- */

/*
 * True when the signal arrived in a system call that returns EINTR to where the handler returns to. If another signal
 * arrived in the same instant, its handler ran on the way out of the call, or runs after ours: to the program it came
 * just before the call.
 */
static bool fails_with_eintr(const ucontext_t *uc)
{
    enum { PAGE_MASK = 4095 };
#if defined(__x86_64__)
    uintptr_t pc = (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
    return uc->uc_mcontext.gregs[REG_RAX] == -EINTR && (pc & PAGE_MASK) >= 2 && ((const uint8_t *)pc)[-2] == 0x0f &&
           ((const uint8_t *)pc)[-1] == 0x05;
#elif defined(__aarch64__)
    const uint32_t svc = 0xd4000001;
    uintptr_t pc = (uintptr_t)uc->uc_mcontext.pc;
    return uc->uc_mcontext.regs[0] == (uint64_t)-EINTR && (pc & PAGE_MASK) >= 4 && ((const uint32_t *)pc)[-1] == svc;
#endif
}

void restart_note(struct thread *t, const void *context)
{
    if (fails_with_eintr(context))
        __atomic_store_n(&t->sample.interrupted, t->sample.interrupted + 1, __ATOMIC_RELAXED);
}

/* The calls of this thread that a sample made fail so far. */
static uint32_t interruptions(void)
{
    const struct thread *t = self;
    return t && t != THREAD_OFF ? __atomic_load_n(&t->sample.interrupted, __ATOMIC_RELAXED) : 0;
}

/* Does `call` until it fails otherwise or not at all; `again` before each further time. errno is that of the last. */
#define RESTARTED(failed, call, again)                                                                                 \
    ({                                                                                                                 \
        int before_ = errno;                                                                                           \
        uint32_t mark_ = interruptions();                                                                              \
        __typeof__(call) result_;                                                                                      \
        while ((result_ = (call)) == (failed) && errno == EINTR && interruptions() != mark_) {                         \
            mark_ = interruptions();                                                                                   \
            errno = before_;                                                                                           \
            again;                                                                                                     \
        }                                                                                                              \
        result_;                                                                                                       \
    })

/* --- sleeping ------------------------------------------------------------------------------------------------------ */

/* The time that is left is in *left, where the program may not want it. */
static int again_nanosleep(const struct timespec *ts, struct timespec *left)
{
    struct timespec rest, *to = left ? left : &rest;
    const struct timespec *next = ts;
    return RESTARTED(-1, libc.nanosleep(next, to), next = to);
}

/* Returns its error. */
static int again_clock_nanosleep(clockid_t clock, int flags, const struct timespec *ts, struct timespec *left)
{
    struct timespec rest, *to = left ? left : &rest;
    const struct timespec *next = ts;
    uint32_t mark = interruptions();
    int err;
    while ((err = libc.clock_nanosleep(clock, flags, next, to)) == EINTR && interruptions() != mark) {
        mark = interruptions();
        if (!(flags & TIMER_ABSTIME))
            next = to;
    }
    return err;
}

static unsigned again_sleep(unsigned seconds)
{
    int before = errno;
    struct timespec ts = {(time_t)seconds, 0};
    if (again_nanosleep(&ts, &ts))
        return (unsigned)ts.tv_sec;
    errno = before;
    return 0;
}

static int again_usleep(useconds_t us)
{
    const struct timespec ts = {(time_t)(us / 1000000), (long)(us % 1000000) * 1000};
    return again_nanosleep(&ts, NULL);
}

/* -1: interrupted by a signal; it leaves errno alone. */
static int again_thrd_sleep(const struct timespec *ts, struct timespec *left)
{
    struct timespec rest, *to = left ? left : &rest;
    uint32_t mark = interruptions();
    int err;
    for (; (err = libc.thrd_sleep(ts, to)) == -1 && interruptions() != mark; ts = to)
        mark = interruptions();
    return err;
}

/* --- until a time -------------------------------------------------------------------------------------------------- */

static int again_sem_timedwait(sem_t *s, const struct timespec *until)
{
    return RESTARTED(-1, libc.sem_timedwait(s, until), (void)0);
}

static int again_sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *until)
{
    return RESTARTED(-1, libc.sem_clockwait(s, clock, until), (void)0);
}

/* --- instead of libc's --------------------------------------------------------------------------------------------- */

#define REPLACE(name) (real.name = again_##name)

void restart_install(void)
{
    libc = real;
    REPLACE(nanosleep);
    REPLACE(clock_nanosleep);
    REPLACE(sleep);
    REPLACE(usleep);
    REPLACE(thrd_sleep);
    REPLACE(sem_timedwait);
    REPLACE(sem_clockwait);
}
