/*
 * Calls that return EINTR whenever a handler ran, even one with SA_RESTART (signal(7) lists them). The program knows
 * nothing of our handler, so it must not see that: the call is done again, with the time that is left. The replacements
 * stand between the wrappers and libc, in `real`, and only where samples are taken. Wrappers that receive or send do it
 * themselves (retry.h); for those there are replacements only where the wrapper jumps to the real call, and only once
 * a socket has a timeout: without one the kernel does them again.
 *
 * It is rare: a thread that waits uses no CPU time, so a sample can only come just before it sleeps, or behind a stop.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "lib/clock.h"
#include "lib/rawsys.h"
#include "preload/config.h"
#include "preload/held_signals.h"
#include "preload/real.h"
#include "preload/retry.h"
#include "preload/sampler/retry.h"
#include "preload/sampler/wrap_signal.h"

static struct real libc;

/* --- what was interrupted by what --------------------------------------------------------------------------------- */

/* What makes a system call. */
#if defined(__x86_64__)
typedef uint8_t insn_t;
static const insn_t syscall_insn[] = {0x0f, 0x05};
#elif defined(__aarch64__)
typedef uint32_t insn_t;
static const insn_t syscall_insn[] = {0xd4000001}; /* svc #0 */
#endif

static bool is_syscall(uintptr_t at)
{
    const insn_t *insn = (const insn_t *)at;
    for (size_t i = 0; i < sizeof syscall_insn / sizeof *syscall_insn; i++)
        if (insn[i] != syscall_insn[i])
            return false;
    return true;
}

/*
 * True when the signal arrived in a system call that returns EINTR to where the handler returns to. If another signal
 * arrived in the same instant, and its handler comes first, that is where ours returns to.
 *
 * Also when it arrived just after a stop, which had interrupted the call: the handler returns to restart_syscall, which
 * goes on with what was interrupted, but forgets that where a handler came in between.
 */
static bool fails_with_eintr(const ucontext_t *uc)
{
    enum { PAGE_MASK = 4095, SIZE = sizeof syscall_insn };
#if defined(__x86_64__)
    const greg_t *r = uc->uc_mcontext.gregs;
    uintptr_t pc = (uintptr_t)r[REG_RIP];
    bool failed = r[REG_RAX] == -EINTR, goes_on = r[REG_RAX] == SYS_restart_syscall;
#elif defined(__aarch64__)
    uintptr_t pc = (uintptr_t)uc->uc_mcontext.pc;
    bool failed = uc->uc_mcontext.regs[0] == (uint64_t)-EINTR, goes_on = uc->uc_mcontext.regs[8] == SYS_restart_syscall;
#endif
    return (failed && (pc & PAGE_MASK) >= SIZE && is_syscall(pc - SIZE)) ||
           (goes_on && (pc & PAGE_MASK) <= PAGE_MASK + 1 - SIZE && is_syscall(pc));
}

static bool is_handled(int sig)
{
    struct kernel_sigaction now;
    return !signal_action(sig, NULL, &now) && now.handler != SIG_DFL && now.handler != SIG_IGN;
}

/*
 * A handler of the program's runs after ours, before the call returns: its signal ended the call as well, and may be
 * what the program waits for. All signals are blocked here, so each that was sent is pending still.
 */
static bool another_follows(const ucontext_t *uc)
{
    uint64_t pending = 0, blocked;
    memcpy(&blocked, &uc->uc_sigmask, sizeof blocked);
    raw_syscall(SYS_rt_sigpending, (long)&pending, sizeof pending, 0, 0, 0, 0);
    pending &= ~(blocked | signals_reserved);
    for (; pending; pending &= pending - 1)
        if (is_handled(__builtin_ctzll(pending) + 1))
            return true;
    return false;
}

void retry_note(struct thread *t, const void *context)
{
    if (fails_with_eintr(context) && !another_follows(context))
        __atomic_store_n(&t->sample.interrupted, t->sample.interrupted + 1, __ATOMIC_RELAXED);
}

/* --- sleeping ----------------------------------------------------------------------------------------------------- */

/* The time that is left is in *left, where the program may not want it. */
static int retry_nanosleep(const struct timespec *ts, struct timespec *left)
{
    struct timespec rest, *to = left ? left : &rest;
    const struct timespec *next = ts;
    return RETRIED(-1, libc.nanosleep(next, to), next = to);
}

/* Returns its error. */
static int retry_clock_nanosleep(clockid_t clock, int flags, const struct timespec *ts, struct timespec *left)
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

static unsigned retry_sleep(unsigned seconds)
{
    int before = errno;
    struct timespec ts = {(time_t)seconds, 0};
    if (retry_nanosleep(&ts, &ts))
        return (unsigned)ts.tv_sec;
    errno = before;
    return 0;
}

static int retry_usleep(useconds_t us)
{
    const struct timespec ts = {(time_t)(us / 1000000), (long)(us % 1000000) * 1000};
    return retry_nanosleep(&ts, NULL);
}

/* -1: interrupted by a signal; it leaves errno alone. */
static int retry_thrd_sleep(const struct timespec *ts, struct timespec *left)
{
    struct timespec rest, *to = left ? left : &rest;
    uint32_t mark = interruptions();
    int err;
    for (; (err = libc.thrd_sleep(ts, to)) == -1 && interruptions() != mark; ts = to)
        mark = interruptions();
    return err;
}

/* --- for some time ------------------------------------------------------------------------------------------------ */

/* A call with a timeout in the variable of that name; NULL means none. */
#define RETRIED_WITH_TIMEOUT(call)                                                                                     \
    ({                                                                                                                 \
        const struct timespec *whole_ = timeout;                                                                       \
        struct timespec rest_;                                                                                         \
        uint64_t began_ = timeout ? clock_mono_ns() : 0;                                                               \
        RETRIED(-1, call, timeout = retry_rest(began_, whole_, &rest_));                                               \
    })

/* The same with milliseconds; negative ones mean none. */
#define RETRIED_WITH_MS(call)                                                                                          \
    ({                                                                                                                 \
        const int whole_ = timeout;                                                                                    \
        uint64_t began_ = timeout > 0 ? clock_mono_ns() : 0;                                                           \
        RETRIED(-1, call, timeout = retry_rest_ms(began_, whole_));                                                    \
    })

static int retry_poll(struct pollfd *fds, nfds_t n, int timeout)
{
    return RETRIED_WITH_MS(libc.poll(fds, n, timeout));
}

static int retry___poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t size)
{
    return RETRIED_WITH_MS(libc.__poll_chk(fds, n, timeout, size));
}

static int retry_epoll_wait(int fd, struct epoll_event *events, int n, int timeout)
{
    if (!timeout)
        return libc.epoll_wait(fd, events, n, 0);
    return RETRIED_WITH_MS(libc.epoll_wait(fd, events, n, timeout));
}

/* With a mask there need be nothing to do again: for so long, our signal is in it. */
static int retry_epoll_pwait(int fd, struct epoll_event *events, int n, int timeout, const sigset_t *mask)
{
    sigset_t copy;
    return RETRIED_WITH_MS(libc.epoll_pwait(fd, events, n, timeout, signal_with(mask, &copy)));
}

static int retry_epoll_pwait2(int fd, struct epoll_event *events, int n, const struct timespec *timeout,
                              const sigset_t *mask)
{
    sigset_t copy;
    return RETRIED_WITH_TIMEOUT(libc.epoll_pwait2(fd, events, n, timeout, signal_with(mask, &copy)));
}

static int retry_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
    sigset_t copy;
    return RETRIED_WITH_TIMEOUT(libc.ppoll(fds, n, timeout, signal_with(mask, &copy)));
}

static int retry___ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask,
                             size_t size)
{
    sigset_t copy;
    return RETRIED_WITH_TIMEOUT(libc.__ppoll_chk(fds, n, timeout, signal_with(mask, &copy), size));
}

static int retry_pselect(int n, fd_set *in, fd_set *out, fd_set *err, const struct timespec *timeout,
                         const sigset_t *mask)
{
    sigset_t copy;
    return RETRIED_WITH_TIMEOUT(libc.pselect(n, in, out, err, timeout, signal_with(mask, &copy)));
}

/* The kernel leaves in *timeout what is left. */
static int retry_select(int n, fd_set *in, fd_set *out, fd_set *err, struct timeval *timeout)
{
    return RETRIED(-1, libc.select(n, in, out, err, timeout), (void)0);
}

static int retry_semtimedop(int set, void *operations, size_t n, const struct timespec *timeout)
{
    return RETRIED_WITH_TIMEOUT(libc.semtimedop(set, operations, n, timeout));
}

/* --- until a time ------------------------------------------------------------------------------------------------- */

static int retry_sem_timedwait(sem_t *s, const struct timespec *until)
{
    return RETRIED(-1, libc.sem_timedwait(s, until), (void)0);
}

static int retry_sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *until)
{
    return RETRIED(-1, libc.sem_clockwait(s, clock, until), (void)0);
}

/* --- without timeout, or with one of the socket's ----------------------------------------------------------------- */

#define AGAIN(ret, name, params, args)                                                                                 \
    static ret retry_##name params { return RETRIED(-1, libc.name args, (void)0); }

AGAIN(int, semop, (int set, void *operations, size_t n), (set, operations, n))
AGAIN(ssize_t, msgrcv, (int queue, void *p, size_t n, long type, int flags), (queue, p, n, type, flags))
AGAIN(int, msgsnd, (int queue, const void *p, size_t n, int flags), (queue, p, n, flags))
AGAIN(ssize_t, read, (int fd, void *p, size_t n), (fd, p, n))
AGAIN(ssize_t, recv, (int fd, void *p, size_t n, int flags), (fd, p, n, flags))
AGAIN(ssize_t, recvfrom, (int fd, void *p, size_t n, int flags, void *addr, socklen_t *len),
      (fd, p, n, flags, addr, len))
AGAIN(ssize_t, recvmsg, (int fd, struct msghdr *m, int flags), (fd, m, flags))
AGAIN(int, accept, (int fd, void *addr, socklen_t *len), (fd, addr, len))
AGAIN(int, accept4, (int fd, void *addr, socklen_t *len, int flags), (fd, addr, len, flags))

/* --- for signals -------------------------------------------------------------------------------------------------- */

/*
 * These must not be done again: the signal that was waited for may have come. But our signal can be kept out of them.
 */
static int retry_sigsuspend(const sigset_t *mask)
{
    sigset_t copy;
    return libc.sigsuspend(signal_with(mask, &copy));
}

static int retry_pause(void)
{
    sigset_t mask, copy;
    libc.pthread_sigmask(SIG_BLOCK, NULL, &mask);
    return libc.sigsuspend(signal_with(&mask, &copy));
}

/* glibc's own does not return EINTR. */
static int retry_sigwait(const sigset_t *set, int *sig)
{
    sigset_t copy;
    return libc.sigwait(signal_without(set, &copy), sig);
}

static int retry_sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
    sigset_t copy;
    return RETRIED(-1, libc.sigwaitinfo(signal_without(set, &copy), info), (void)0);
}

static int retry_sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
    sigset_t copy;
    return RETRIED_WITH_TIMEOUT(libc.sigtimedwait(signal_without(set, &copy), info, timeout));
}

static int retry_signalfd(int fd, const sigset_t *mask, int flags)
{
    sigset_t copy;
    return libc.signalfd(fd, signal_without(mask, &copy), flags);
}

/* --- instead of libc's -------------------------------------------------------------------------------------------- */

#define REPLACE(name) (real.name = retry_##name)
#define REPLACE_UNWRAPPED(class, name) (config.classes & CLASS_##class ? (void)0 : (void)REPLACE(name))

void retry_sockets(void)
{
    static uint32_t done;
    if (!libc.read || __atomic_exchange_n(&done, 1, __ATOMIC_RELAXED))
        return;
    REPLACE_UNWRAPPED(IO, read);
    REPLACE_UNWRAPPED(NET, recv);
    REPLACE_UNWRAPPED(NET, recvfrom);
    REPLACE_UNWRAPPED(NET, recvmsg);
    REPLACE_UNWRAPPED(NET, accept);
    REPLACE_UNWRAPPED(NET, accept4);
}

void retry_install(void)
{
    libc = real;
    REPLACE(nanosleep);
    REPLACE(clock_nanosleep);
    REPLACE(sleep);
    REPLACE(usleep);
    REPLACE(thrd_sleep);
    REPLACE(poll);
    REPLACE(__poll_chk);
    REPLACE(ppoll);
    REPLACE(__ppoll_chk);
    REPLACE(select);
    REPLACE(pselect);
    REPLACE(epoll_wait);
    REPLACE(epoll_pwait);
    REPLACE(epoll_pwait2);
    REPLACE(sem_timedwait);
    REPLACE(sem_clockwait);
    REPLACE(semop);
    REPLACE(semtimedop);
    REPLACE(msgrcv);
    REPLACE(msgsnd);
    REPLACE(sigsuspend);
    REPLACE(pause);
    REPLACE(sigwait);
    REPLACE(sigwaitinfo);
    REPLACE(sigtimedwait);
    REPLACE(signalfd);
}
