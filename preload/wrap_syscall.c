/*
 * syscall(2): how runtimes with locks of their own (Rust's std, parking_lot, absl) reach futex(2), and how some programs
 * reach what has a wrapper or has none. Numbers that are not here pass through.
 */
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <linux/seccomp.h>
#include <stdarg.h>

#include "preload/calls.h"
#include "preload/lifecycle.h"

/* --- futexes -------------------------------------------------------------------------------------------------------- */

static bool is_word(const uint32_t *word) { return word && !((uintptr_t)word & 3); }

static uint32_t load(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_SEQ_CST); }

/* The kernel compares the word with the value; so do we, registered, as the second look. */
static void futex_waits(struct hook *h, struct wait *w, const uint32_t *word, uint32_t value)
{
    wait_register(h, word, WAITER_ANY);
    for (int look = 0; look < MAX_SECOND_LOOKS && load(word) == value; look++)
        if (wait_block(h, w, REASON_SYNC))
            return;
    wait_cancel(h);
}

static void futex_wakes(struct hook *h, const uint32_t *word, uint32_t n)
{
    for (uint32_t i = 0; i < n && waitq_maybe_waiting(&tracer.waits, word); i++)
        if (!wake_one(h, word, WAITER_ANY))
            break;
    hook_leave(h);
}

static void futex(struct hook *h, struct wait *w, const long *a)
{
    const uint32_t *word = (const uint32_t *)a[0], *other = (const uint32_t *)a[4];
    uint32_t value = (uint32_t)a[2];
    switch (a[1] & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
        if (is_word(word)) {
            futex_waits(h, w, word, value);
            return;
        }
        break;
    case FUTEX_LOCK_PI:
    case FUTEX_LOCK_PI2:
    case FUTEX_WAIT_REQUEUE_PI:
        call_wait(h, w, REASON_SYNC);
        return;
    case FUTEX_WAKE_OP:
        for (uint32_t i = 0; i < (uint32_t)a[3] && waitq_maybe_waiting(&tracer.waits, other); i++)
            if (!wake_one(h, other, WAITER_ANY))
                break;
        __attribute__((fallthrough));
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE:
        futex_wakes(h, word, value);
        return;
    default:
        break;
    }
    hook_leave(h);
}

/* --- the rest ------------------------------------------------------------------------------------------------------- */

#define FUTEX(a) futex(h, w, a)

static enum call_class class_of(long number)
{
    switch (number) {
#define THRACE_NUMBER(name, class, shown)                                                                              \
    case SYS_##name: return CLASS_##class;
#include "preload/syscalls.def"
#undef THRACE_NUMBER
    default: return CLASS_NONE;
    }
}

static void show(struct hook *h, struct wait *w, long number, const long *a)
{
    switch (number) {
#define THRACE_NUMBER(name, class, shown)                                                                              \
    case SYS_##name: shown; return;
#include "preload/syscalls.def"
#undef THRACE_NUMBER
    default: return;
    }
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
    if (unlikely(number == SYS_seccomp) && a[0] != SECCOMP_GET_ACTION_AVAIL)
        lifecycle_seccomp_is_coming();
    enum call_class class = class_of(number);
    if (wrapped(class) && HOOK_ENTER(h, syscall_call))
        show(h, w, number, a);
    return real.syscall_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
