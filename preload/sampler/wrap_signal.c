/*
 * The sampling signals, hidden. The kernel never has them blocked in a recorded thread, and always has our handler for
 * them; what the program asks about them is answered from what the program said of them. A signal of such a number that
 * somebody else sends goes where the program wants it.
 *
 * SIGIO is guarded as long as the program has nothing to say about it: it is what the kernel sends for a perf event
 * when the user's queue of signals is full, and by default it ends the process.
 */
#include <string.h>
#include <ucontext.h>

#include "preload/held_signals.h"
#include "preload/readable.h"
#include "preload/real.h"
#include "preload/recorder.h"
#include "preload/sampler/sampler.h"
#include "preload/sampler/wrap_signal.h"
#include "preload/thread.h"

enum { LAST_SIGNAL = 64 };


/* glibc's sets are larger than the kernel's, whose signals are the first 64. */
static uint64_t load(const sigset_t *set)
{
    uint64_t v;
    memcpy(&v, set, sizeof v);
    return v;
}

static void store(sigset_t *set, uint64_t v) { memcpy(set, &v, sizeof v); }

uint64_t signals_reserved;

/* Those of ours that are to be in the set, in place of those that are. */
static void put(sigset_t *set, uint64_t in) { store(set, (load(set) & ~signals_reserved) | (in & signals_reserved)); }

static const sigset_t *changed(const sigset_t *set, sigset_t *copy, uint64_t in)
{
    if (!set || !is_readable((uintptr_t)set)) /* the kernel is to say EFAULT */
        return set;
    sigemptyset(copy);
    store(copy, load(set));
    put(copy, in);
    return copy;
}

const sigset_t *signal_without(const sigset_t *set, sigset_t *copy) { return changed(set, copy, 0); }
const sigset_t *signal_with(const sigset_t *set, sigset_t *copy) { return changed(set, copy, ~UINT64_C(0)); }

/* --- masks -------------------------------------------------------------------------------------------------------- */

/* Which of ours the calling thread has blocked by the program's reckoning. Inherited by the threads that it makes. */
static __thread uint64_t thinks_blocked __attribute__((tls_model("initial-exec")));

static void thinks(int how, uint64_t in_set)
{
    if (how == SIG_SETMASK)
        thinks_blocked = in_set;
    else if (how == SIG_BLOCK)
        thinks_blocked |= in_set;
    else
        thinks_blocked &= ~in_set;
}

#define CHANGE_MASK(entry)                                                                                             \
    EXPORT int entry(int how, const sigset_t *set, sigset_t *old)                                                      \
    {                                                                                                                  \
        sigset_t copy;                                                                                                 \
        uint64_t in_set = 0, before = thinks_blocked;                                                                  \
        if (!sampler.signal)                                                                                            \
            return real.entry(how, set, old);                                                                          \
        if (set) { /* old may be the same */                                                                           \
            copy = *set;                                                                                               \
            in_set = load(set) & signals_reserved;                                                                        \
            put(&copy, 0);                                                                                             \
        }                                                                                                              \
        int ret = real.entry(how, set ? &copy : NULL, old);                                                            \
        if (!ret && set)                                                                                               \
            thinks(how, in_set);                                                                                       \
        if (!ret && old)                                                                                               \
            put(old, before);                                                                                          \
        return ret;                                                                                                    \
    }

CHANGE_MASK(pthread_sigmask)
CHANGE_MASK(sigprocmask)

uint64_t signal_blocked_for_child(void) { return thinks_blocked; }

void signal_unblock(uint64_t inherited)
{
    uint64_t set = signals_reserved, old = 0;
    raw_syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&set, (long)&old, sizeof set, 0, 0);
    thinks_blocked = inherited | (old & set);
}

/* --- dispositions ------------------------------------------------------------------------------------------------- */

static void (*handler)(int, siginfo_t *, void *);
static struct sigaction wanted_of_ours[2]; /* what the program wants done about our signals */
static struct lock wanted_lock;
static bool sigio_guarded;

static struct sigaction *wanted(int sig) { return &wanted_of_ours[sig == SIGTRAP]; }

/* What the program said of other signals. */
static struct disposition {
    uint64_t masked;    /* those of ours that it wants blocked in the handler; the kernel is told other things */
    uintptr_t on_stack; /* its handler, where the kernel has on_its_stack */
    bool plain;         /* that handler was given without SA_SIGINFO */
    bool known;         /* it said something since we look */
} dispositions[LAST_SIGNAL + 1];

/* sigaction may be called in a handler: nothing may interrupt who holds the lock. */
static uint64_t lock_wanted(void)
{
    uint64_t all = ~UINT64_C(0), old = 0;
    raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&old, sizeof all, 0, 0);
    lock_take(&wanted_lock);
    return old;
}

static void unlock_wanted(uint64_t old)
{
    lock_drop(&wanted_lock);
    raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)&old, 0, sizeof old, 0, 0);
}

static int change_ours(int sig, const struct sigaction *act, struct sigaction *old)
{
    struct sigaction new;
    if (act)
        new = *act;
    uint64_t mask = lock_wanted();
    struct sigaction before = *wanted(sig);
    if (act)
        *wanted(sig) = new;
    unlock_wanted(mask);
    if (old)
        *old = before;
    return 0;
}

static bool is_ours(const struct sigaction *a) { return a->sa_flags & SA_SIGINFO && a->sa_sigaction == handler; }

static int stack_flag; /* SA_ONSTACK, once there is code whose own stacks are too small for signals */

static struct sigaction our_action(void)
{
    struct sigaction a = {.sa_flags = SA_SIGINFO | SA_RESTART | stack_flag, .sa_sigaction = handler};
    store(&a.sa_mask, ~UINT64_C(0)); /* nothing tears the handler out, cancellation included */
    return a;
}

/* --- handlers on a stack of their own ----------------------------------------------------------------------------- */

enum { LEAST_ROOM = 24 << 10 };

/* Not in on_its_stack, whose frame is to be gone when the program's handler runs. */
static __attribute__((noinline)) void let_in(uint64_t set)
{
    raw_syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&set, 0, sizeof set, 0, 0);
}

/*
 * Such a stack may be just large enough for the program's handler, so the kernel blocks our signals in it. They are let
 * in where there is room, and then the program's handler is jumped to.
 */
static void on_its_stack(int sig, siginfo_t *info, void *context)
{
    const ucontext_t *uc = context;
    uintptr_t room = (uintptr_t)context - (uintptr_t)uc->uc_stack.ss_sp;
    uint64_t ours = signals_reserved & ~load(&uc->uc_sigmask);
    if (ours && (uc->uc_stack.ss_flags & SS_DISABLE || room >= uc->uc_stack.ss_size || room >= LEAST_ROOM))
        let_in(ours);
    ((void (*)(int, siginfo_t *, void *))__atomic_load_n(&dispositions[sig].on_stack, __ATOMIC_RELAXED))(sig, info, context);
}

/* In a child that shares its parent's memory, vfork's for one, what is noted would be noted of the parent. */
static bool may_enter(const struct sigaction *a)
{
    return a->sa_flags & SA_ONSTACK && a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN && self != THREAD_OFF;
}

static void enter_by_us(int sig, struct sigaction *a)
{
    dispositions[sig].plain = !(a->sa_flags & SA_SIGINFO);
    __atomic_store_n(&dispositions[sig].on_stack, (uintptr_t)a->sa_sigaction, __ATOMIC_RELAXED);
    a->sa_flags |= SA_SIGINFO;
    a->sa_sigaction = on_its_stack;
}

static void show_as_given(const struct disposition *d, struct sigaction *a)
{
    if (!(a->sa_flags & SA_SIGINFO) || a->sa_sigaction != on_its_stack)
        return;
    a->sa_sigaction = (void (*)(int, siginfo_t *, void *))d->on_stack;
    if (d->plain)
        a->sa_flags &= ~SA_SIGINFO;
}

/* --- dispositions of the program ---------------------------------------------------------------------------------- */

static int change_other(int sig, const struct sigaction *act, struct sigaction *old)
{
    const struct disposition before = dispositions[sig];
    struct sigaction new;
    uint64_t masked = 0;
    if (act) {
        new = *act;
        masked = load(&new.sa_mask) & signals_reserved;
        put(&new.sa_mask, new.sa_flags & SA_ONSTACK ? ~UINT64_C(0) : 0);
        if (may_enter(&new))
            enter_by_us(sig, &new);
        if (sigio_guarded && sig == SIGIO && !(new.sa_flags & SA_SIGINFO) && new.sa_handler == SIG_DFL)
            new = our_action();
    }
    int ret = real.sigaction(sig, act ? &new : NULL, old);
    if (ret) {
        dispositions[sig] = before;
        return ret;
    }
    if (old && is_ours(old))
        *old = (struct sigaction){.sa_handler = SIG_DFL};
    else if (old && before.known)
        put(&old->sa_mask, before.masked);
    if (old)
        show_as_given(&before, old);
    if (act) {
        dispositions[sig].masked = masked;
        dispositions[sig].known = true;
    }
    return 0;
}

EXPORT int sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
    if (!sampler.signal || sig < 1 || sig > LAST_SIGNAL)
        return real.sigaction(sig, act, old);
    return signals_reserved & SIGNAL_BIT(sig) ? change_ours(sig, act, old) : change_other(sig, act, old);
}

/* Those that are made of sigaction inside libc, for the signals of which we have something to hide. */
static bool is_reserved(int sig)
{
    return sig > 0 && sig <= LAST_SIGNAL && (signals_reserved & SIGNAL_BIT(sig) || (sigio_guarded && sig == SIGIO));
}

static sighandler_t set_handler(int sig, sighandler_t f, int flags)
{
    struct sigaction old, new = {.sa_handler = f, .sa_flags = flags};
    if (!(flags & SA_NODEFER))
        store(&new.sa_mask, SIGNAL_BIT(sig));
    return sigaction(sig, &new, &old) ? SIG_ERR : old.sa_handler;
}

#define SET_HANDLER(entry, flags)                                                                                      \
    EXPORT sighandler_t entry(int sig, sighandler_t f);                                                                \
    EXPORT sighandler_t entry(int sig, sighandler_t f)                                                                 \
    {                                                                                                                  \
        if (is_reserved(sig) && f != SIG_ERR)                                                                            \
            return set_handler(sig, f, flags);                                                                         \
        sighandler_t old = real.entry(sig, f);                                                                         \
        return (uintptr_t)old == (uintptr_t)on_its_stack ? (sighandler_t)dispositions[sig].on_stack : old;                     \
    }

SET_HANDLER(signal, SA_RESTART)
SET_HANDLER(bsd_signal, SA_RESTART)
SET_HANDLER(sysv_signal, (int)(SA_RESETHAND | SA_NODEFER))
SET_HANDLER(__sysv_signal, (int)(SA_RESETHAND | SA_NODEFER))

/* --- signals of others -------------------------------------------------------------------------------------------- */

static void die_of(int sig)
{
    const struct sigaction fatal = {.sa_handler = SIG_DFL};
    uint64_t set = SIGNAL_BIT(sig);
    real.sigaction(sig, &fatal, NULL);
    raw_syscall(SYS_tgkill, sys_getpid(), sys_gettid(), sig, 0, 0, 0);
    raw_syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&set, 0, sizeof set, 0, 0);
}

static void lost_by_queue(void)
{
    if (recording())
        __atomic_fetch_add(&recorder.spool.header->samples.lost, 1, __ATOMIC_RELAXED);
}

/* With all signals blocked, as our own handler runs. */
void signal_foreign(int sig, siginfo_t *info, void *context)
{
    struct sigaction act = {.sa_handler = SIG_DFL};
    const ucontext_t *uc = context;
    if (sig == SIGIO && info->si_code == SI_KERNEL) {
        lost_by_queue();
        return;
    }
    if (signals_reserved & SIGNAL_BIT(sig)) {
        lock_take(&wanted_lock); /* its holder has all signals blocked, so it is another thread */
        act = *wanted(sig);
        if (act.sa_flags & (int)SA_RESETHAND)
            wanted(sig)->sa_handler = SIG_DFL;
        lock_drop(&wanted_lock);
    }
    if (!(act.sa_flags & SA_SIGINFO) && act.sa_handler == SIG_IGN)
        return;
    if (!(act.sa_flags & SA_SIGINFO) && act.sa_handler == SIG_DFL) {
        die_of(sig);
        return;
    }
    uint64_t mask = load(&uc->uc_sigmask) | load(&act.sa_mask) | (act.sa_flags & SA_NODEFER ? 0 : SIGNAL_BIT(sig));
    raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, sizeof mask, 0, 0);
    if (act.sa_flags & SA_SIGINFO)
        act.sa_sigaction(sig, info, context);
    else
        act.sa_handler(sig);
}

/* --- the signal --------------------------------------------------------------------------------------------------- */

/* Programs count from either end of the real-time signals; this is neither. */
enum { FIRST_CHOICE = 57, LAST_CHOICE = 40 };

static bool take(int sig)
{
    const struct sigaction ours = our_action();
    struct sigaction there;
    if (real.sigaction(sig, NULL, &there) || there.sa_handler != SIG_DFL)
        return false;
    *wanted(sig) = there;
    if (real.sigaction(sig, &ours, NULL))
        return false;
    signals_reserved |= SIGNAL_BIT(sig);
    return true;
}

int signal_take(void (*f)(int, siginfo_t *, void *))
{
    handler = f;
    for (int sig = FIRST_CHOICE; sig >= LAST_CHOICE; sig--)
        if (take(sig))
            return sig;
    return 0;
}

/*
 * Not for everybody: a signal stack may be too small, or shared by threads that never get the signals that it is for.
 */
void signal_to_their_stacks(void)
{
    stack_flag = SA_ONSTACK;
    const struct sigaction ours = our_action();
    for (int sig = 1; sig <= LAST_SIGNAL; sig++)
        if (signals_reserved & SIGNAL_BIT(sig) || (sigio_guarded && sig == SIGIO))
            real.sigaction(sig, &ours, NULL);
}

int signal_stack_flag(void) { return stack_flag; }

bool signal_take_trap(void) { return take(SIGTRAP); }

void signal_guard_sigio(void)
{
    struct sigaction ours = our_action(), there;
    if (!real.sigaction(SIGIO, NULL, &there) && there.sa_handler == SIG_DFL)
        sigio_guarded = !real.sigaction(SIGIO, &ours, NULL);
}
