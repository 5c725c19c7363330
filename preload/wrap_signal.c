/*
 * The sampling signal, hidden. The kernel never has it blocked in a recorded thread, and always has our handler for it;
 * what the program asks about it is answered from what the program said of it. A signal of that number that somebody
 * else sends goes where the program wants it.
 *
 * SIGIO is guarded as long as the program has nothing to say about it: it is what the kernel sends for a perf event when
 * the user's queue of signals is full, and by default it ends the process.
 */
#include <string.h>
#include <ucontext.h>

#include "preload/hook.h"
#include "preload/sample.h"

static uint64_t bit(int sig) { return UINT64_C(1) << (sig - 1); }

/* glibc's sets are larger than the kernel's, whose signals are the first 64. */
static uint64_t load(const sigset_t *set)
{
    uint64_t v;
    memcpy(&v, set, sizeof v);
    return v;
}

static void store(sigset_t *set, uint64_t v) { memcpy(set, &v, sizeof v); }

static void put(sigset_t *set, bool in)
{
    uint64_t b = bit(sample_signal);
    store(set, in ? load(set) | b : load(set) & ~b);
}

/* The kernel would say EFAULT of such a pointer, and must be asked, before it is followed here. */
static bool is_readable(const sigset_t *set)
{
    const int no_such_change = 77;
    return raw_syscall(SYS_rt_sigprocmask, no_such_change, (long)set, 0, sizeof(uint64_t), 0, 0) != -EFAULT;
}

static const sigset_t *changed(const sigset_t *set, sigset_t *copy, bool in)
{
    if (!set || !is_readable(set))
        return set;
    sigemptyset(copy);
    store(copy, load(set));
    put(copy, in);
    return copy;
}

const sigset_t *signal_without(const sigset_t *set, sigset_t *copy) { return changed(set, copy, false); }
const sigset_t *signal_with(const sigset_t *set, sigset_t *copy) { return changed(set, copy, true); }

/* --- masks --------------------------------------------------------------------------------------------------------- */

/* By the program's reckoning the calling thread has the signal blocked. Inherited by the threads that it makes. */
static __thread bool thinks_blocked __attribute__((tls_model("initial-exec")));

static void thinks(int how, bool in_set)
{
    if (how == SIG_SETMASK)
        thinks_blocked = in_set;
    else if (in_set)
        thinks_blocked = how == SIG_BLOCK;
}

#define CHANGE_MASK(entry)                                                                                             \
    EXPORT int entry(int how, const sigset_t *set, sigset_t *old)                                                      \
    {                                                                                                                  \
        sigset_t copy;                                                                                                 \
        bool in_set, before = thinks_blocked;                                                                          \
        if (!sample_signal)                                                                                            \
            return real.entry(how, set, old);                                                                          \
        if (set) { /* old may be the same */                                                                           \
            copy = *set;                                                                                               \
            put(&copy, false);                                                                                         \
        }                                                                                                              \
        in_set = set && load(set) & bit(sample_signal);                                                                \
        int ret = real.entry(how, set ? &copy : NULL, old);                                                            \
        if (!ret && set)                                                                                               \
            thinks(how, in_set);                                                                                       \
        if (!ret && old)                                                                                               \
            put(old, before);                                                                                          \
        return ret;                                                                                                    \
    }

CHANGE_MASK(pthread_sigmask)
CHANGE_MASK(sigprocmask)

bool signal_blocked_for_child(void) { return thinks_blocked; }

void signal_unblock(bool inherited)
{
    uint64_t set = bit(sample_signal), old = 0;
    raw_syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&set, (long)&old, sizeof set, 0, 0);
    thinks_blocked = inherited || old & set;
}

/* --- dispositions -------------------------------------------------------------------------------------------------- */

static void (*handler)(int, siginfo_t *, void *);
static struct sigaction wanted; /* what the program wants done about our signal */
static struct lock wanted_lock;
static bool sigio_guarded;

/*
 * Signals whose handlers the program wants to run with ours blocked. The kernel is told so only of handlers that run on
 * a stack of their own, which may be a small one. known: the program set the disposition since we look.
 */
static uint64_t masked_by_program, known;

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

static int change_ours(const struct sigaction *act, struct sigaction *old)
{
    struct sigaction new;
    if (act)
        new = *act;
    uint64_t mask = lock_wanted();
    struct sigaction before = wanted;
    if (act)
        wanted = new;
    unlock_wanted(mask);
    if (old)
        *old = before;
    return 0;
}

static bool is_ours(const struct sigaction *a) { return a->sa_flags & SA_SIGINFO && a->sa_sigaction == handler; }

static struct sigaction our_action(void)
{
    struct sigaction a = {.sa_flags = SA_SIGINFO | SA_RESTART, .sa_sigaction = handler};
    store(&a.sa_mask, ~UINT64_C(0)); /* nothing tears the handler out, cancellation included */
    return a;
}

static void mark(uint64_t *set, int sig, bool in)
{
    if (in)
        __atomic_fetch_or(set, bit(sig), __ATOMIC_RELAXED);
    else
        __atomic_fetch_and(set, ~bit(sig), __ATOMIC_RELAXED);
}

static int change_other(int sig, const struct sigaction *act, struct sigaction *old)
{
    struct sigaction new;
    bool was_known = __atomic_load_n(&known, __ATOMIC_RELAXED) & bit(sig);
    bool was_masked = __atomic_load_n(&masked_by_program, __ATOMIC_RELAXED) & bit(sig), is_masked = false;
    if (act) {
        new = *act;
        is_masked = load(&new.sa_mask) & bit(sample_signal);
        put(&new.sa_mask, new.sa_flags & SA_ONSTACK);
        if (sigio_guarded && sig == SIGIO && !(new.sa_flags & SA_SIGINFO) && new.sa_handler == SIG_DFL)
            new = our_action();
    }
    int ret = real.sigaction(sig, act ? &new : NULL, old);
    if (ret)
        return ret;
    if (old && is_ours(old))
        *old = (struct sigaction){.sa_handler = SIG_DFL};
    else if (old && was_known)
        put(&old->sa_mask, was_masked);
    if (act) {
        mark(&masked_by_program, sig, is_masked);
        mark(&known, sig, true);
    }
    return 0;
}

EXPORT int sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
    if (!sample_signal || sig < 1 || sig > 64)
        return real.sigaction(sig, act, old);
    return sig == sample_signal ? change_ours(act, old) : change_other(sig, act, old);
}

/* Those that are made of sigaction inside libc, for the two signals of which we have something to hide. */
static bool is_hidden(int sig) { return sample_signal && (sig == sample_signal || (sigio_guarded && sig == SIGIO)); }

static sighandler_t set_handler(int sig, sighandler_t f, int flags)
{
    struct sigaction old, new = {.sa_handler = f, .sa_flags = flags};
    if (!(flags & SA_NODEFER))
        store(&new.sa_mask, bit(sig));
    return sigaction(sig, &new, &old) ? SIG_ERR : old.sa_handler;
}

#define SET_HANDLER(entry, flags)                                                                                      \
    EXPORT sighandler_t entry(int sig, sighandler_t f);                                                                \
    EXPORT sighandler_t entry(int sig, sighandler_t f)                                                                 \
    {                                                                                                                  \
        return is_hidden(sig) && f != SIG_ERR ? set_handler(sig, f, flags) : real.entry(sig, f);                       \
    }

SET_HANDLER(signal, SA_RESTART)
SET_HANDLER(bsd_signal, SA_RESTART)
SET_HANDLER(sysv_signal, (int)(SA_RESETHAND | SA_NODEFER))
SET_HANDLER(__sysv_signal, (int)(SA_RESETHAND | SA_NODEFER))

/* --- signals of others --------------------------------------------------------------------------------------------- */

static void die_of(int sig)
{
    const struct sigaction fatal = {.sa_handler = SIG_DFL};
    uint64_t set = bit(sig);
    real.sigaction(sig, &fatal, NULL);
    raw_syscall(SYS_tgkill, sys_getpid(), sys_gettid(), sig, 0, 0, 0);
    raw_syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&set, 0, sizeof set, 0, 0);
}

static void lost_by_queue(void)
{
    if (recording())
        __atomic_fetch_add(&tracer.spool.header->samples.lost, 1, __ATOMIC_RELAXED);
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
    if (sig == sample_signal) {
        lock_take(&wanted_lock); /* its holder has all signals blocked, so it is another thread */
        act = wanted;
        if (act.sa_flags & (int)SA_RESETHAND)
            wanted.sa_handler = SIG_DFL;
        lock_drop(&wanted_lock);
    }
    if (!(act.sa_flags & SA_SIGINFO) && act.sa_handler == SIG_IGN)
        return;
    if (!(act.sa_flags & SA_SIGINFO) && act.sa_handler == SIG_DFL) {
        die_of(sig);
        return;
    }
    uint64_t mask = load(&uc->uc_sigmask) | load(&act.sa_mask) | (act.sa_flags & SA_NODEFER ? 0 : bit(sig));
    raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, sizeof mask, 0, 0);
    if (act.sa_flags & SA_SIGINFO)
        act.sa_sigaction(sig, info, context);
    else
        act.sa_handler(sig);
}

/* --- the signal ---------------------------------------------------------------------------------------------------- */

/* Programs count from either end of the real-time signals; this is neither. */
enum { FIRST_CHOICE = 57, LAST_CHOICE = 40 };

int signal_take(void (*f)(int, siginfo_t *, void *))
{
    struct sigaction ours;
    handler = f;
    ours = our_action();
    for (int sig = FIRST_CHOICE; sig >= LAST_CHOICE; sig--) {
        struct sigaction there;
        if (real.sigaction(sig, NULL, &there) || there.sa_handler != SIG_DFL)
            continue;
        wanted = there;
        return real.sigaction(sig, &ours, NULL) ? 0 : sig;
    }
    return 0;
}

void signal_guard_sigio(void)
{
    struct sigaction ours = our_action(), there;
    if (!real.sigaction(SIGIO, NULL, &there) && there.sa_handler == SIG_DFL)
        sigio_guarded = !real.sigaction(SIGIO, &ours, NULL);
}
