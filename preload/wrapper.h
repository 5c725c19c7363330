/*
 * What a wrapper does when its fast path does not suffice. A wrapper is two functions: the entry point, which does the
 * real call and decides whether anything happened that a trace shows, and a slow path, which it tail-calls, so that
 * both have the same caller:
 *
 *     EXPORT int pthread_mutex_unlock(pthread_mutex_t *m)
 *     {
 *         if (waitq_maybe_waiting(&recorder.waits, m))
 *             return unlock_slow(m);
 *         return real.pthread_mutex_unlock(m);
 *     }
 *
 * errno is safe by construction: between the real call and the return, the library runs no code that could set it.
 */
#ifndef THRACE_PRELOAD_WRAPPER_H
#define THRACE_PRELOAD_WRAPPER_H

#include "preload/config.h"
#include "preload/hook.h"
#include "preload/real.h"
#include "preload/section.h"
#include "preload/wait.h"

/*
 * False: record nothing, just do the real call. That is so when recording is off, in a thread of the library's own or
 * one that has ended, and in a signal handler that interrupted a hook. A hook that was left by siglongjmp is noticed
 * here.
 */
bool hook_enter(struct hook *h);

/*
 * Is this class of calls to be recorded, or tracked while nothing is? Asked first, at the price of a load and a branch.
 */
static inline bool wrapped(enum call_class c)
{
    return __atomic_load_n(&recorder.owner->hooked, __ATOMIC_RELAXED) & (uint32_t)c;
}

/* Is it of interest which code made a lock? */
static inline bool names_objects(void) { return wrapped(CLASS_SYNC) && config.max_objects; }

/* For slow paths: enters with the caller's registers and the wrapped function as the leaf of the stack. */
#define HOOK_ENTER(h, function)                                                                                        \
    ({                                                                                                                 \
        UNWIND_CALLER_REGS(&(h)->stack.regs);                                                                          \
        (h)->stack.leaf = (uintptr_t)real.function + 1;                                                                \
        hook_enter(h);                                                                                                 \
    })

/* The caller has made the object by that function. Behind the real call. */
#define NOTE_MADE(function, object)                                                                                    \
    do {                                                                                                               \
        struct hook h_;                                                                                                \
        if (names_objects() && HOOK_ENTER(&h_, function)) {                                                            \
            hook_made(&h_, object);                                                                                    \
            hook_leave(&h_);                                                                                           \
        }                                                                                                              \
    } while (0)

/* The object will be none any more. */
static inline void note_unmade(const void *object)
{
    if (names_objects())
        object_unmade(object);
}

#endif
