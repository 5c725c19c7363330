/*
 * The hook of the allocator's entry points: like that of a wrapper (wrapper.h), but for what it must not do. A thread
 * that nobody knows yet, or that is in a system call for the trace, such as fread, stays as it is; afterwards no more
 * than room is made, because the loader may be at work on our own stack.
 */
#ifndef THRACE_PRELOAD_HEAP_HEAP_HOOK_H
#define THRACE_PRELOAD_HEAP_HEAP_HOOK_H

#include "preload/maintenance.h"
#include "preload/thread.h"

/* The calling thread; NULL when it may not write. */
static inline __attribute__((always_inline)) struct thread *heap_hook_enter(void)
{
    struct thread *t = self;
    if (!t || t == THREAD_OFF || t->hook_sp)
        return NULL;
    ENTER_OWN_HOOK(t);
    return t;
}

static inline void heap_hook_leave(struct thread *t)
{
    t->hook_sp = 0;
    if (maintenance_requested())
        maintain_in_malloc();
}

#endif
