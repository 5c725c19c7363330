/*
 * pthread_once and call_once. A thread waits when another one runs the routine. So the routine runs inside ours, which
 * notes the object as held for that time and wakes the waiters when it is over, however it is over: returned from,
 * cancelled, or left by an exception, after which one of the waiters runs it again.
 *
 * Cost when it is done already: two loads.
 */
#include "preload/libc_words.h"
#include "preload/wrapper.h"

enum { RUNNING_MAX = 256 };

/* The objects whose routines run now. */
static const void *running[RUNNING_MAX];

static const void **begin_run(const void *once)
{
    for (int i = 0; i < RUNNING_MAX; i++) {
        const void *none = NULL;
        if (__atomic_compare_exchange_n(&running[i], &none, once, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
            return &running[i];
    }
    return NULL;
}

static bool is_running(const void *once)
{
    for (int i = 0; i < RUNNING_MAX; i++)
        if (__atomic_load_n(&running[i], __ATOMIC_SEQ_CST) == once)
            return true;
    return false;
}

/* What the routine that is about to run needs to know; routines take no argument, and nest. */
struct run {
    const void *once;
    void (*routine)(void);
    struct wait *wait;
    struct hook *hook;
    struct run *outer;
    const void **slot;
};

static __thread struct run *innermost __attribute__((tls_model("initial-exec")));

static void end_run(struct run **rp)
{
    struct run *r = *rp;
    if (r->slot)
        __atomic_store_n(r->slot, NULL, __ATOMIC_SEQ_CST);
    innermost = r->outer;
    if (waitq_maybe_waiting(&recorder.waits, r->once) && hook_enter(r->hook)) {
        wake_all(r->hook, r->once, WAITER_ANY);
        hook_leave(r->hook);
    }
}

static void run_routine(void)
{
    __attribute__((cleanup(end_run))) struct run *r = innermost;
    wait_end(r->wait); /* the thread waited for one that gave up; now it is its turn */
    r->slot = begin_run(r->once);
    r->routine();
}

static void leave_once(struct run *r) { innermost = r->outer; }

static SLOW int once_slow(void *once, void (*routine)(void), bool c11)
{
    WAIT_SCOPE w = {.t = NULL};
    struct hook h;
    UNWIND_CALLER_REGS(&h.stack.regs);
    h.stack.leaf = (uintptr_t)(c11 ? (void *)real.call_once : (void *)real.pthread_once) + 1;
    __attribute__((cleanup(leave_once))) struct run r = {once, routine, &w, &h, innermost, NULL};
    innermost = &r;
    if (wrapped(CLASS_SYNC) && is_running(once) && hook_enter(&h)) {
        hook_waits_for(&h, OBJECT_ONCE, once);
        wait_register(&h, once, WAITER_ANY);
        if (!is_running(once))
            wait_cancel(&h);
        else
            while (!wait_block(&h, &w, REASON_SYNC))
                ;
    }
    if (!c11)
        return real.pthread_once(once, run_routine);
    real.call_once(once, run_routine);
    return 0;
}

static inline bool is_done(const void *once) { return likely(once_is_done(once)) && is_trusted(WORD_ONCE); }

/* A checker for data races knows the real function's look at the word, not ours: there is none when nobody records. */
EXPORT int pthread_once(pthread_once_t *once, void (*routine)(void))
{
    if (!wrapped(CLASS_SYNC))
        return real.pthread_once(once, routine);
    if (is_done(once))
        return 0;
    return once_slow(once, routine, false);
}

EXPORT void call_once(once_flag *once, void (*routine)(void))
{
    if (!wrapped(CLASS_SYNC))
        real.call_once(once, routine);
    else if (!is_done(once))
        once_slow(once, routine, true);
}
