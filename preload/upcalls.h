/*
 * What the core and the hooks need of the rooms that stand beside or above them: the session with its helper thread,
 * the sampler, the heap. session/upcalls.c has the table. So nobody below includes a header of those rooms. Each may be
 * called before the constructor, and in a process that records nothing.
 */
#ifndef THRACE_PRELOAD_UPCALLS_H
#define THRACE_PRELOAD_UPCALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct thread;

struct upcalls {
    /* False when there is no helper. Async-signal-safe. */
    bool (*wake_helper)(void);
    /* The work of the helper, where there is none: outside of hooks and sections. */
    void (*maintain)(void);
    /* Only drains and grows the spool: from a signal handler, too, with tens of KiB of stack. */
    void (*make_room)(void);

    /* The calling thread makes another one by a call at this address. */
    void (*creates_thread)(const void *caller);
    /* The calling thread has a record for the thread to be, and will make it. In a hook. */
    void (*announces_thread)(struct thread *child);
    /* The calling thread has begun, and ends. Outside of sections. */
    void (*thread_begins)(struct thread *t);
    void (*thread_ends)(struct thread *t);
    /* The calling thread has ended as far as the trace says; was it the last one? */
    void (*thread_has_ended)(bool last);

    /* The calling thread waited for so many ticks, and is back. In a hook. */
    void (*waited_long)(struct thread *t, uint64_t ticks);
    /* The calling thread is back from a call that failed. In a section with CALL_ERROR_ROOM. */
    void (*call_failed)(struct thread *t, int error);
    /* The process has got or given back memory by mmap and its like. */
    void (*mapped)(int64_t bytes);
    /* A socket was given a timeout. */
    void (*socket_times_out)(void);
    /* dlclose has been called: what was looked up in modules may be gone. */
    void (*module_closed)(void);
    /* The calling thread has dropped privileges. Async-signal-safe. */
    void (*privileges_changed)(void);
    /* A filter for system calls is about to be installed, or another prctl to be done. */
    void (*seccomp_is_coming)(void);
    void (*prctl_is_coming)(long option, unsigned long arg);

    /* At a generation's beginning, in the batch of a running thread: how large the heap is. By the advancer. */
    void (*write_heap_status)(struct thread *t, uint64_t time);
    /* What was sampled belongs to the generation that ends. By the advancer, with the registry lock. */
    void (*seal_samples)(void);
    /* Like hooks_have_left, of handlers that capture stacks. */
    uint64_t (*samples_have_left)(uint64_t newest);
};

extern const struct upcalls upcalls;

#endif
