/*
 * syscall(2): how runtimes with locks of their own (Rust's std, parking_lot, absl) reach futex(2), and how some
 * programs reach what has a wrapper or has none. Numbers that are not here pass through.
 */
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <time.h>

#include "preload/hooks/calls.h"
#include "preload/old_waiters.h"
#include "preload/retry.h"
#include "preload/upcalls.h"

/* What headers before Linux 5.11, 5.14 and 5.16 lack. Built with these, the library runs on newer kernels, too. */
#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif
#ifndef FUTEX_LOCK_PI2
#define FUTEX_LOCK_PI2 13
#endif
#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

/* --- futexes ------------------------------------------------------------------------------------------------------ */

/*
 * Whether the word has the value, asked of the kernel, because the address may be none: wake nobody and move nobody, if
 * the word has the value.
 */
static bool word_is(const uint32_t *word, uint32_t value, long operation)
{
    long compare = FUTEX_CMP_REQUEUE | (operation & FUTEX_PRIVATE_FLAG);
    return raw_syscall(SYS_futex, (long)word, compare, 0, 0, (long)word, value) == 0;
}

/* The kernel compares the word with the value; so do we, registered, as the second look. */
static void futex_waits(struct hook *h, struct wait *w, const uint32_t *word, long operation, uint32_t value,
                        bool for_all)
{
    hook_waits_for(h, OBJECT_FUTEX, word);
    if (for_all)
        wait_register(h, word, WAITER_ANY);
    for (int look = 0; look < MAX_SECOND_LOOKS && word_is(word, value, operation); look++)
        if (wait_block(h, w, REASON_SYNC))
            return;
    wait_cancel(h);
}

static void wake_waiters(struct hook *h, const uint32_t *word, uint32_t n)
{
    for (uint32_t i = futex_old_waiters(word); i < n && waitq_maybe_waiting(&recorder.waits, word); i++)
        if (!wake_one(h, word, WAITER_ANY))
            break;
}

/* Who is moved to another word waits for that from now on, and wakes itself in the trace. */
static void futex_requeues(struct hook *h, const long *a)
{
    const uint32_t *word = (const uint32_t *)a[0];
    bool compares = (a[1] & FUTEX_CMD_MASK) == FUTEX_CMP_REQUEUE;
    if (!waitq_maybe_waiting(&recorder.waits, word) || (compares && !word_is(word, (uint32_t)a[5], a[1])))
        return;
    wake_waiters(h, word, (uint32_t)a[2]);
    waitq_detach(&recorder.waits, word, (uint32_t)a[3]);
}

static void futex(struct hook *h, struct wait *w, const long *a)
{
    const uint32_t *word = (const uint32_t *)a[0];
    w->own_errors = true; /* that the lock was given up meanwhile, or the time is over */
    switch (a[1] & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
        futex_waits(h, w, word, a[1], (uint32_t)a[2], true);
        return;
    case FUTEX_WAIT_BITSET:
        futex_waits(h, w, word, a[1], (uint32_t)a[2], (uint32_t)a[5] == FUTEX_BITSET_MATCH_ANY);
        return;
    case FUTEX_LOCK_PI:
    case FUTEX_LOCK_PI2:
    case FUTEX_WAIT_REQUEUE_PI:
        hook_waits_for(h, OBJECT_FUTEX, word);
        call_wait(h, w, REASON_SYNC);
        return;
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
    case FUTEX_WAKE_OP:
        wake_waiters(h, word, (uint32_t)a[2]);
        break;
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE:
        futex_requeues(h, a);
        break;
    default:
        break;
    }
    hook_leave(h);
}

/* --- the rest ----------------------------------------------------------------------------------------------------- */

#define FUTEX(a) futex(h, w, a)

static enum call_class class_of(long number)
{
    switch (number) {
#define THRACE_NUMBER(name, class, shown)                                                                              \
    case SYS_##name: return CLASS_##class;
#include "preload/hooks/syscalls.def"
#undef THRACE_NUMBER
    default: return CLASS_NONE;
    }
}

static void show(struct hook *h, struct wait *w, long number, const long *a)
{
    switch (number) {
#define THRACE_NUMBER(name, class, shown)                                                                              \
    case SYS_##name: shown; return;
#include "preload/hooks/syscalls.def"
#undef THRACE_NUMBER
    default: return;
    }
}

static bool changes_privileges(long number, const long *a)
{
    switch (number) {
    case SYS_setuid:
    case SYS_setgid:
    case SYS_setreuid:
    case SYS_setregid:
    case SYS_setresuid:
    case SYS_setresgid:
    case SYS_setgroups:
    case SYS_capset: return true;
    case SYS_prctl: return a[0] == PR_SET_NO_NEW_PRIVS;
    default: return false;
    }
}

/* Of no class: nothing of it is shown. */
static SLOW long pass_through(long number, const long *a)
{
    if (number == SYS_seccomp && a[0] != SECCOMP_GET_ACTION_AVAIL)
        upcalls.seccomp_is_coming();
    else if (number == SYS_prctl)
        upcalls.prctl_is_coming(a[0], (unsigned long)a[1]);
    long ret = real.syscall_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (!ret && changes_privileges(number, a))
        upcalls.privileges_changed();
    return ret;
}

/* --- after a sample ----------------------------------------------------------------------------------------------- */

/* For a call that a sample has fail with EINTR: which argument limits its time, as it was, and when it began. */
struct limit {
    int at; /* 0: none does, or the kernel says what is left */
    bool in_ms;
    long whole;
    uint64_t began;
    struct timespec left;
};

static void count_limit(struct limit *l, const long *a, int at, bool in_ms)
{
    if (in_ms ? (int)a[at] > 0 : a[at] != 0)
        *l = (struct limit){.at = at, .in_ms = in_ms, .whole = a[at], .began = clock_mono_ns()};
}

/* Before the call. The kernel says what is left of a sleep where it is asked to. */
static inline void note_limit(long number, long *a, struct limit *l)
{
    l->at = 0;
    switch (number) {
    case SYS_futex:
        if ((a[1] & FUTEX_CMD_MASK) == FUTEX_WAIT)
            count_limit(l, a, 3, false);
        break;
    case SYS_nanosleep: a[1] = a[1] ? a[1] : (long)&l->left; break;
    case SYS_clock_nanosleep: a[3] = a[3] ? a[3] : (long)&l->left; break;
#ifdef SYS_poll
    case SYS_poll: count_limit(l, a, 2, true); break;
    case SYS_epoll_wait: count_limit(l, a, 3, true); break;
#endif
    case SYS_epoll_pwait: count_limit(l, a, 3, true); break;
    case SYS_epoll_pwait2: count_limit(l, a, 3, false); break;
    default: break;
    }
}

/* Where there is a mask of signals, one that it lets in may have come. */
static bool may_be_again(long number, const long *a)
{
    switch (number) {
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
#ifdef SYS_poll
    case SYS_poll:
    case SYS_epoll_wait:
    case SYS_select:
#endif
    case SYS_futex_waitv: return true;
    case SYS_futex: return (a[1] & FUTEX_CMD_MASK) == FUTEX_WAIT || (a[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET;
    case SYS_ppoll: return !a[3];
    case SYS_pselect6: return !a[5] || !*(const long *)a[5]; /* which the kernel has read */
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2: return !a[4];
    default: return false;
    }
}

/* With the time that is left, which ppoll and its like have put where the limit was. False: it is not made again. */
static SLOW bool prepare_again(long number, long *a, struct limit *l)
{
    if (number == SYS_nanosleep)
        a[0] = a[1];
    else if (number == SYS_clock_nanosleep && !(a[1] & TIMER_ABSTIME))
        a[2] = a[3];
    else if (l->at && l->in_ms)
        a[l->at] = retry_rest_ms(l->began, (int)l->whole);
    else if (l->at)
        a[l->at] = (long)retry_rest(l->began, (const struct timespec *)l->whole, &l->left);
    return may_be_again(number, a);
}

EXPORT long syscall(long number, ...)
{
    va_list ap;
    long a[6];
    va_start(ap, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(ap, long);
    va_end(ap);
    CALL_SCOPE(h, w);
    enum call_class class = class_of(number);
    if (unlikely(class == CLASS_NONE))
        return pass_through(number, a);
    if (wrapped(class) && HOOK_ENTER(h, syscall_call))
        show(h, w, number, a);
    struct limit limit;
    note_limit(number, a, &limit);
    long result = RETRIED_IF(-1, real.syscall_call(number, a[0], a[1], a[2], a[3], a[4], a[5]),
                             prepare_again(number, a, &limit));
    NOTE_FAILED(w, result, -1);
    return result;
}
