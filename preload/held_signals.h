/*
 * The program's signals wait while one of its threads has a lock of ours, or keeps the gate closed, outside of a hook.
 * The hook of a handler that came in there would wait for the thread that it interrupted, and one that left by
 * siglongjmp would leave the lock taken. Within a hook that is not needed: a handler's hook writes nothing there.
 */
#ifndef THRACE_PRELOAD_HELD_SIGNALS_H
#define THRACE_PRELOAD_HELD_SIGNALS_H

#include <signal.h>

#include "lib/rawsys.h"

#define SIGNAL_BIT(sig) (UINT64_C(1) << ((sig)-1))

/*
 * Not those that an instruction causes: blocked, they would kill. Nor glibc's 33, or musl's 34: setuid waits until
 * every thread has answered it, and its handler comes to no hook.
 */
#ifdef __GLIBC__
enum { SIGNAL_SETXID = 33 };
#else
enum { SIGNAL_SETXID = 34 };
#endif
#define SIGNALS_NOT_HELD                                                                                               \
    (SIGNAL_BIT(SIGILL) | SIGNAL_BIT(SIGTRAP) | SIGNAL_BIT(SIGBUS) | SIGNAL_BIT(SIGFPE) | SIGNAL_BIT(SIGSEGV) |        \
     SIGNAL_BIT(SIGSYS) | SIGNAL_BIT(SIGNAL_SETXID))

struct kernel_sigaction {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};

/* rt_sigaction, of the kernel, whatever the program was told of our signals. Either may be NULL. */
static inline long signal_action(int sig, const struct kernel_sigaction *set, struct kernel_sigaction *before)
{
    return raw_syscall(SYS_rt_sigaction, sig, (long)set, (long)before, sizeof set->mask, 0, 0);
}

/*
 * Of the first 31, those that nobody handles. The kernel drops them where they are sent, but keeps one that is blocked
 * there, and wakes another thread for it, whose epoll_wait then fails with EINTR: SIGCHLD, when a child ends while its
 * parent holds signals.
 */
static inline uint64_t signals_unhandled(void)
{
    struct kernel_sigaction now;
    const uint64_t dropped = SIGNAL_BIT(SIGCHLD) | SIGNAL_BIT(SIGCONT) | SIGNAL_BIT(SIGURG) | SIGNAL_BIT(SIGWINCH);
    uint64_t unhandled = 0;
    for (int sig = 1; sig < 32; sig++) {
        if (SIGNAL_BIT(sig) & SIGNALS_NOT_HELD || signal_action(sig, NULL, &now))
            continue;
        if (now.handler == SIG_IGN || (now.handler == SIG_DFL && SIGNAL_BIT(sig) & dropped))
            unhandled |= SIGNAL_BIT(sig);
    }
    return unhandled;
}

static inline uint64_t signals_hold_but(uint64_t others)
{
    uint64_t held = ~(SIGNALS_NOT_HELD | others), before = 0;
    raw_syscall(SYS_rt_sigprocmask, SIG_BLOCK, (long)&held, (long)&before, sizeof held, 0, 0);
    return before;
}

/* Which signals are blocked, for signals_release. May be called while they are held. */
static inline uint64_t signals_hold(void) { return signals_hold_but(signals_unhandled()); }

/* The same, in a process of one thread, where nobody can be woken: 1 system call instead of 25. */
static inline uint64_t signals_hold_alone(void) { return signals_hold_but(0); }

static inline void signals_release(uint64_t before)
{
    raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)&before, 0, sizeof before, 0, 0);
}

#endif
