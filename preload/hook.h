/*
 * What a wrapper does when its fast path does not suffice. A wrapper is two functions: the entry point, which does the
 * real call and decides whether anything happened that a trace shows, and a slow path, which it tail-calls, so that
 * both have the same caller:
 *
 *     EXPORT int pthread_mutex_unlock(pthread_mutex_t *m)
 *     {
 *         if (waitq_maybe_waiting(&tracer.waits, m))
 *             return unlock_slow(m);
 *         return real.pthread_mutex_unlock(m);
 *     }
 *
 * errno is safe by construction: between the real call and the return, the shim runs no code that could set it.
 */
#ifndef THRACE_PRELOAD_HOOK_H
#define THRACE_PRELOAD_HOOK_H

#include "lib/options/options.h"
#include "preload/real.h"
#include "preload/tracer.h"

struct hook {
    struct thread *t;
    bool captured;
    struct unwind_request stack; /* the caller's registers, and the function that was called as the leaf */
    bool no_stack;               /* of events like this one */
};

/*
 * False: record nothing, just do the real call. That is so when recording is off, in a thread of the shim's own or one
 * that has ended, and in a signal handler that interrupted a hook. A hook that was left by siglongjmp is noticed here.
 */
bool hook_enter(struct hook *h);

/* Puts the thread's state in order after a hook that never ended. */
void hook_recover(struct thread *t);

/*
 * The thread runs, but the model says otherwise: a handler interrupted its wait or system call or left it by
 * siglongjmp, there was no room when it started, or its P was just being taken away when its system call ended. From
 * now on the model says so, too, if there is room.
 */
void hook_revive(struct thread *t);

/*
 * Is this class of calls to be recorded, or tracked while nothing is? Asked first, at the price of a load and a branch.
 */
static inline bool wrapped(enum call_class c)
{
    return __atomic_load_n(&tracer.owner->hooked, __ATOMIC_RELAXED) & (uint32_t)c;
}

/* For slow paths: enters with the caller's registers and the wrapped function as the leaf of the stack. */
#define HOOK_ENTER(h, function)                                                                                        \
    ({                                                                                                                 \
        UNWIND_CALLER_REGS(&(h)->stack.regs);                                                                          \
        (h)->stack.leaf = (uintptr_t)real.function + 1;                                                                \
        hook_enter(h);                                                                                                 \
    })

static inline void hook_done(struct thread *t)
{
    t->in_hook = 0;
    if (unlikely(__atomic_load_n(&tracer.chores, __ATOMIC_RELAXED)))
        tracer_chores();
}

static inline void hook_leave(struct hook *h) { hook_done(h->t); }

/*
 * Captures the stack, once in a hook and outside of a section: microseconds when it is new, else tens of nanoseconds.
 */
void hook_capture_for(struct hook *h, enum stack_kind kind);
static inline void hook_capture(struct hook *h) { hook_capture_for(h, STACK_OF_CALL); }

/* Bytes of meta records that hook_stack may need. */
enum { STACK_RECORD_MAX = 1 + (2 + STACK_MAX_FRAMES) * 10 };

/* Bytes of a META_NAME record. */
enum { NAME_RECORD_MAX = 64 };

/* Inside a section with STACK_RECORD_MAX extra: the id of the captured stack in this generation, 0 for none. */
uint64_t hook_stack(struct hook *h);

/* --- waiting ---------------------------------------------------------------------------------------------------- */

/*
 * A wait or a system call, from the hook to the return of the real call. Declared with WAIT_SCOPE it ends on every way
 * out: return, cancellation, an exception thrown through it.
 */
struct wait {
    struct thread *t;  /* NULL: nothing to end */
    struct hook *call; /* a system call that is shown at its end, if it was long enough, … */
    uint64_t since;    /* … and began then */
};

void wait_end(struct wait *w);

/*
 * Notes where the thread waits, or is in a system call, for recordings that begin meanwhile. True: nothing is recorded
 * now, so that was all.
 */
bool wait_track(struct hook *h, struct wait *w, uint32_t status);
#define WAIT_SCOPE __attribute__((cleanup(wait_end))) struct wait

/* Enters the thread as a waiter for the object, before its second look at it. */
void wait_register(struct hook *h, const void *object, enum waiter_kind kind);

/* No waiter any more, without having waited: still in the hook, or out of it. */
void wait_forget(struct hook *h);
static inline void wait_cancel(struct hook *h)
{
    wait_forget(h);
    hook_leave(h);
}

/* How often a wait looks again when it was released each time before it began. */
enum { MAX_SECOND_LOOKS = 4 };

/* And a lock that was: it is marked as released just before it is. */
enum { RELEASE_SPINS = 20 };

/*
 * The thread is about to wait: writes GoBlock. Also leaves the hook, since what follows is the real call. False, with
 * the hook still entered: the object was released since it registered, look again.
 */
bool wait_block(struct hook *h, struct wait *w, enum sched_reason reason);

/* The calling thread released the object: writes GoUnblock for the waiter that came first, or for all of them. True
 * when there was one. */
bool wake_one(struct hook *h, const void *object, enum waiter_kind kind);
bool wake_all(struct hook *h, const void *object, enum waiter_kind kind);

/* The registered thread found the mutex taken and will wait for it. */
void wait_for_owner(const pthread_mutex_t *m);

/*
 * Likewise for a mutex, which the calling thread is about to unlock: others may take it before the one that is woken.
 */
void wake_next_owner(struct hook *h, const pthread_mutex_t *m);

/*
 * Take an object that another thread may hold: try; only `busy` means that it has to wait. The object is looked at
 * again once the thread is registered, so that a release in between is not missed.
 */
struct acquire {
    const void *object;
    enum waiter_kind kind;
    enum sched_reason reason;
    int busy;
    int (*attempt)(const struct acquire *);
    int (*take)(const struct acquire *); /* waits; its result is the caller's */
    clockid_t clock;
    const struct timespec *until;
};

/* In line: a function more that returns after the wait is one more return that the processor does not foresee. */
static inline __attribute__((always_inline)) int acquire_slow(struct hook *h, const struct acquire *a)
{
    WAIT_SCOPE w = {.t = NULL};
    /* What takes long comes before the last look: a release behind that finds nobody whom it wakes. */
    hook_capture_for(h, STACK_OF_WAIT);
    wait_register(h, a->object, a->kind);
    for (int look = 0; look < MAX_SECOND_LOOKS; look++) {
        int ret = a->attempt(a);
        for (int i = 0; unlikely(look) && ret == a->busy && i < RELEASE_SPINS; i++) {
            cpu_relax();
            ret = a->attempt(a);
        }
        if (ret != a->busy) {
            wait_cancel(h);
            return ret;
        }
        if (wait_block(h, &w, a->reason))
            return a->take(a);
    }
    wait_cancel(h);
    return a->take(a);
}

/* For calls whose trial may not hide that the timeout or the clock is invalid: glibc checks both first. */
static inline bool valid_time(clockid_t clock, const struct timespec *until)
{
    return (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC) && until->tv_nsec >= 0 && until->tv_nsec < 1000000000;
}

#endif
