/*
 * What a hook knows of its caller, between its entry (wrapper.h) and its end: the thread, and the stack from which the
 * wrapped function was called.
 */
#ifndef THRACE_PRELOAD_HOOK_H
#define THRACE_PRELOAD_HOOK_H

#include "lib/options/options.h"
#include "preload/maintenance.h"
#include "preload/thread.h"

struct hook {
    struct thread *t;
    bool captured;
    struct unwind_request stack; /* the caller's registers, and the function that was called as the leaf */
    bool no_stack;               /* of events like this one */
};

static inline void hook_done(struct thread *t)
{
    t->in_hook = 0;
    if (maintenance_requested())
        maintain();
}

static inline void hook_leave(struct hook *h) { hook_done(h->t); }

/* Puts the thread's state in order after a hook that never ended. */
void hook_recover(struct thread *t);

/*
 * Captures the stack, once in a hook and outside of a section: microseconds when it is new, else tens of nanoseconds.
 */
void hook_capture_for(struct hook *h, enum stack_kind kind);
static inline void hook_capture(struct hook *h) { hook_capture_for(h, STACK_OF_CALL); }

/* Bytes of meta records that hook_stack may need. */
enum { STACK_RECORD_MAX = 1 + (2 + STACK_MAX_FRAMES) * 10 };

/* Inside a section with STACK_RECORD_MAX extra: the id of the captured stack in this generation, 0 for none. */
uint64_t hook_stack(struct hook *h);

#endif
