/* A thread's record, and the registry of all of them. */
#ifndef THRACE_PRELOAD_THREAD_H
#define THRACE_PRELOAD_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/gate.h"
#include "lib/lock.h"
#include "lib/rawsys.h"
#include "lib/sched.h"
#include "lib/unwind/unwind.h"
#include "lib/waitq.h"
#include "preload/object.h"

/* How a waiting thread was woken as far as the trace says. */
enum woken { NOT_WOKEN, WOKEN_NOW, WOKEN_EARLIER /* in an earlier generation */ };

enum { TASK_COMM_LEN = 16 }; /* the kernel's; a name is cut to one byte less */

enum { SHORT_CALL_FUNCTIONS = 64 };

/* System calls that were too short to be shown (short_calls.h): of one thread, or of all that have ended. */
struct short_calls {
    struct short_call {
        uintptr_t leaf; /* the pc that stands for the function in stacks; 0: all beyond so many */
        uint64_t calls, ticks;
    } function[SHORT_CALL_FUNCTIONS];
};

enum { REGIONS_MAX = 32 };

/*
 * What became of a region that was begun. An end that could not be written stays due: readers want ends in the order
 * of the stack.
 */
enum region_state { REGION_OPEN, REGION_LOST /* its begin was not written */, REGION_ENDED, REGION_GONE };

struct region {
    struct name *name; /* preload/annotate/names.h */
    uint64_t task;
    enum region_state state;
    uint32_t place; /* of the probe that began it, 0: none did */
};

enum { LOCK_INDEX = 1 << 11, LOCKS_MAX = LOCK_INDEX / 2 };

/* The locks that the thread counts (lock_stats.h). */
struct lock_table {
    uint32_t mask, n;       /* of the index, as far as it is used; and entries that it leads to */
    struct chunk *last;     /* of entries, linked by `next` to those before; NULL: there is none */
    struct thread *listed;  /* the next record that has a table; itself: none has */
    uint32_t index[LOCK_INDEX]; /* by address: where the entry is, in bytes from the spool's header; 0: free */
};

enum { THREADS_MAX = 1 << 18 }; /* that are recorded at once */

struct thread {
    struct writer writer; /* at rest in the pool */
    uint32_t slot;        /* of the record, for good. The advancer looks at both without the lock */
    uintptr_t hook_sp; /* inside a hook, of the function whose caller had this stack pointer; 0: not in a hook */
    bool shared;       /* a child of clone may have the same `self`, at the same time */
    struct sched_thread sched;
    struct wait_slot *wait; /* its slot while it waits for an object */
    const void *retakes;    /* the mutex that it gives up to wait for a condition, where that is noted; or NULL */
    bool unlock_is_noted;   /* that it gives that up is noted already */
    enum woken woken;       /* what became of a slot that is gone, while the model still says Waiting */
    struct {                /* a GoUnblock promised by a claim and not written yet; g 0: none */
        struct sched_wakeup wakeup;
        const struct thread *to;
        uint32_t commits; /* of the thread when it promised: one more, and it is written */
    } promise;

    struct {
        int timer;            /* kernel's id + 1; 0: none */
        int perf;             /* the helper's descriptor + 1; 0: none */
        uint32_t wants_perf;  /* 1: from the helper, which has not come to it yet. A futex word */
        bool counted;         /* its CPU time is */
        bool gone;            /* it ends, and is not to be sampled again */
        uint64_t inherits_block; /* of our signals, those that its creator thinks are blocked */
        int64_t due;          /* periods of CPU time without a sample (sampler/sample_kernel.c) */
        uint64_t user_us, system_us; /* as the kernel had it at the last signal of the timer */
        uint32_t interrupted; /* system calls that will return EINTR because of a sample */
        uint64_t cpu_ns;      /* of the thread when sampling began */
    } sample;

    uintptr_t stack_lo, stack_hi;
    uint64_t *stack_tag; /* of the last capture */
    uint64_t stack_hash;
    int npcs;
    uintptr_t pcs[STACK_MAX_FRAMES];

    void *(*start)(void *);
    void *arg;
    uintptr_t start_pc; /* return-address-like; 0: main's */
    uintptr_t frames_end; /* all of its frames are below, but a few of libc's; 0: not known */
    uint64_t lost;      /* events of it that this recording has not */
    bool unannounced;   /* it appeared one day; where it started nobody knows */
    bool expected;      /* it was there before the library was, and has come to no hook yet (expected.h) */
    bool lent;          /* but to one of malloc, which it is in now */
    bool spare;         /* announced, but could not be made: waits for the next thread that is */
    char name[TASK_COMM_LEN]; /* given last, or "" */
    uint64_t task;            /* that it works for, 0: none */
    struct {                  /* what it is doing, from the outermost region on */
        uint32_t depth;       /* those beyond REGIONS_MAX are counted only */
        enum event_id writes; /* UserRegionBegin or UserRegionEnd; EV_None: none. Then … */
        uint32_t commits, from; /* … the thread's commits and the depth before that */
        struct region v[REGIONS_MAX];
    } regions;
    struct {            /* where it waits, or is in a system call, when the model says that */
        uintptr_t pc, sp, bp, leaf;
        uint32_t reason; /* of a wait: enum sched_reason */
        uint64_t stack;  /* the stack's id, in the generation in which it began to wait */
        struct object object; /* that it waits for, or that the call is on */
    } wait_site;
    struct {            /* its last remarkably long wait (session/flight.h) */
        uint64_t ns;
        uintptr_t leaf;
    } long_wait;
    struct object_details described; /* the descriptor that it was last found out about */
    size_t stack_size;
    pthread_t pthread; /* 0 until the thread runs */
    int exit_rounds;
    uint64_t began_ns; /* CLOCK_MONOTONIC: it has been known since then */
    uint64_t reads_from; /* the oldest snapshot of modules that it may still read */

    uintptr_t waits_since_before; /* where it is counted (old_waiters.h), or 0 */

    struct thread *next, *prev; /* the registry, or the pool */
    struct unwind_cache cache;       /* this, and what follows, the next thread takes over as it is left */
    struct short_calls short_calls;  /* far from what every thread touches; nothing when the thread has ended */
    struct lock_table locks;
};

/* One plain pointer, initial-exec: dynamic TLS would allocate on first use. NULL: not seen yet. */
extern __thread struct thread *self __attribute__((tls_model("initial-exec")));

/* The value of self in threads that are not, or no more, to be recorded: the library's own, and those that have ended. */
#define THREAD_OFF ((struct thread *)8)

/* Every G that is not dead. The lock ranks last (recorder.h). */
struct registry {
    struct lock lock;
    struct thread *threads;
    uint32_t nthreads;
    uint32_t nrecords;
    struct thread *records[THREADS_MAX]; /* by slot: all that were ever made */
    uint64_t last_g;
    pthread_t main_thread;
    struct thread *first; /* the record of the process's first thread; another one's when that has ended */
    uintptr_t first_lo, first_hi; /* its stack, which stays */
};

extern struct registry registry;

/*
 * The thread is in a hook from here on, of a function whose caller had that stack pointer. One store says both: between
 * two, the hook of a handler would find an earlier stack pointer, and take this hook for one that was left (hook.h).
 */
static inline void enter_hook(struct thread *t, uintptr_t sp)
{
    t->hook_sp = sp;
    compiler_barrier();
}

/* Likewise, of the function that this stands in. */
#define ENTER_OWN_HOOK(t) enter_hook(t, (uintptr_t)__builtin_frame_address(0))

/* Is a thread in a hook, other than that one? With the registry lock. One that a handler left by longjmp is, too. */
bool any_in_hook(const struct thread *but);

/*
 * Notes who is in no hook: as far as the newest snapshot of modules. The result is how far all have come. Likewise; a
 * barrier in every thread goes before.
 */
uint64_t hooks_have_left(uint64_t newest);

/* A registered record for a thread to be: its G has an id but does not exist yet. NULL: memory or ids ran out. */
struct thread *thread_new(void);

/* The record of that thread of the kernel's; NULL: it has none. Takes the registry lock. */
struct thread *thread_of_task(uint64_t tid);

/* In the child of a fork: t is the only thread that there is. */
void thread_inherit(struct thread *t);

/* Out of the registry, into the pool. Its G is dead or never existed. */
void thread_retire(struct thread *t);

/* Counts what could not be recorded, and why, for the calling thread. */
void count_lost(enum lost what, enum loss why);

/* Writes META_THREAD for t into by's chunk; inside a section of by, or behind a closed gate. */
void write_thread_record(struct sched_thread *by, const struct thread *t);

#endif
