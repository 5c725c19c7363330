/*
 * The recording: the one tracer of the process, its threads, and the section in which a thread may write.
 *
 * Three rules hold the shim together.
 *  1. What a thread writes, it writes inside a section: the generation cannot change there, and the gate makes whoever
 *     changes it wait. A section waits for no lock, makes no system call and calls nothing of libc or of the program.
 *  2. A lock that a hook may wait for is never held while a function of libc or of the program runs. Ranks: advance,
 *     registry.
 *  3. Whoever interrupts a hook of its own thread passes through (hook.h).
 */
#ifndef THRACE_PRELOAD_TRACER_H
#define THRACE_PRELOAD_TRACER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/clock.h"
#include "lib/gate.h"
#include "lib/lock.h"
#include "lib/options/classes.h"
#include "lib/sched.h"
#include "lib/spool.h"
#include "lib/stacktab.h"
#include "lib/unwind/unwind.h"
#include "lib/waitq.h"
#include "preload/short_calls.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define EXPORT __attribute__((visibility("default")))
#define SLOW __attribute__((noinline, cold))
#define OUT_OF_LINE __attribute__((noinline)) /* apart from an entry point, but where the time goes: not made small */

/* How a waiting thread was woken as far as the trace says. */
enum woken { NOT_WOKEN, WOKEN_NOW, WOKEN_EARLIER /* in an earlier generation */ };

enum { TASK_COMM_LEN = 16 }; /* the kernel's; a name is cut to one byte less */

struct thread {
    struct writer writer;
    uint32_t in_hook;     /* the thread is inside a hook … */
    uintptr_t hook_sp;    /* … of the function whose caller had this stack pointer */
    bool shared;          /* a child of clone may have the same `self`, at the same time */
    struct sched_thread sched;
    struct wait_slot *wait; /* its slot while it waits for an object */
    enum woken woken;       /* what became of a slot that is gone, while the model still says Waiting */
    struct {                /* a GoUnblock promised by a claim and not written yet; g 0: none */
        struct sched_wakeup wakeup;
        uint32_t commits; /* of the thread when it promised: one more, and it is written */
    } promise;

    struct {
        int timer;            /* kernel's id + 1; 0: none */
        int perf;             /* the helper's descriptor + 1; 0: none */
        uint32_t wants_perf;  /* 1: from the helper, which has not come to it yet. A futex word */
        bool counted;         /* its CPU time is */
        bool gone;            /* it ends, and is not to be sampled again */
        uint64_t inherits_block; /* of our signals, those that its creator thinks are blocked */
        int64_t due;          /* periods of CPU time without a sample (sample_kernel.c) */
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
    bool unannounced;   /* it appeared one day; where it started nobody knows */
    bool spare;         /* announced, but could not be made: waits for the next thread that is */
    char name[TASK_COMM_LEN]; /* given last, or "" */
    struct {            /* where it waits, or is in a system call, when the model says that */
        uintptr_t pc, sp, bp, leaf;
        uint32_t reason; /* of a wait: enum sched_reason */
    } at;
    struct {            /* its last remarkably long wait (preload/session/flight.h) */
        uint64_t ns;
        uintptr_t leaf;
    } long_wait;
    size_t stack_size;
    pthread_t pthread; /* 0 until the thread runs */
    int exit_rounds;

    struct thread *next, *prev; /* the registry, or the pool */
    struct unwind_cache cache;       /* this, and what follows, the next thread takes over as it is left */
    struct short_calls short_calls;  /* far from what every thread touches; nothing when the thread has ended */
};

/* One plain pointer, initial-exec: dynamic TLS would allocate on first use. NULL: not seen yet. */
extern __thread struct thread *self __attribute__((tls_model("initial-exec")));

/* The value of self in threads that are not, or no more, to be recorded: the shim's own, and those that have ended. */
#define THREAD_OFF ((struct thread *)8)

/*
 * In a page of its own that the kernel clears in a child, however the child was made: fork, _Fork, clone. So a child
 * records nothing from its first instruction on, without being told.
 */
struct owner {
    uint32_t hooked;    /* what a hook looks at first: the classes of calls that it is to enter */
    uint32_t recording; /* the classes of calls that are recorded, 0 when nothing is */
    uint32_t alive;     /* this process records, or may start to */
};

struct tracer {
    struct owner *owner;
    int pid;
    uint32_t chores; /* something is to be done after the hook: tracer_chores says what */
    struct gate gate;
    struct trace_clock clock;
    uint32_t classes;     /* enum call_class: what is to be recorded */
    bool self_contained;  /* each generation is to be understood without those before it: they may be forgotten */
    uint64_t long_wait;   /* ticks, half of what roughly makes a wait remarkable; 0: none is */
    uint64_t min_call;    /* ticks: system calls shorter than this are only counted */
    uint64_t period_ns;   /* of a generation; 0: always time for the next one */
    uint64_t deadline_ns; /* when the open generation is due to end, on CLOCK_MONOTONIC */
    struct spool spool;
    const struct unwind_modules *modules;
    uint32_t unloading;    /* threads inside dlclose: a module of the snapshot may be gone */
    uint8_t unwind_mode;   /* enum unwind_mode */
    uint16_t stack_depth;
    uint32_t stack_kinds;  /* enum stack_kind */

    struct lock advance_lock;
    struct lock registry_lock;
    struct thread *threads; /* registry: every G that is not dead */
    uint32_t nthreads;
    uint64_t last_g;
    pthread_t main_thread;
    struct sched_thread service; /* what the advancer writes with: statuses and modules; no G */

    struct sched sched;
    struct stacktab stacks;
    struct waitq waits;
};

extern struct tracer tracer;

static inline bool recording(void) { return likely(__atomic_load_n(&tracer.owner->recording, __ATOMIC_RELAXED)); }
static inline bool hooked(void) { return likely(__atomic_load_n(&tracer.owner->hooked, __ATOMIC_RELAXED)); }

/*
 * Opens a section with room for one transition and extra bytes of meta records. False: not recording, or no room, which
 * is counted; the caller then leaves the model as it is.
 */
bool section_enter_slow(struct thread *t, size_t extra);
static inline bool section_try(struct thread *t, size_t extra)
{
    if (likely(gate_enter(&tracer.gate, &t->writer))) {
        if (recording() && likely(sched_has_room(&t->sched, extra)))
            return true;
        gate_leave(&t->writer);
    }
    return false;
}
static inline bool section_enter(struct thread *t, size_t extra)
{
    return likely(section_try(t, extra)) || section_enter_slow(t, extra);
}
static inline void section_leave(struct thread *t) { gate_leave(&t->writer); }

/*
 * While nothing is recorded the model holds each thread's status and nothing else. It is changed in a section, too, so
 * that a start finds every thread in a state that lasts until the gate opens. False: something is recorded, or nothing
 * ever will be.
 */
bool track_enter(struct thread *t);

/* Whichever it is; either is left by section_leave. */
enum section { NO_SECTION, SECTION_TRACKS, SECTION_WRITES };
enum section any_section_enter_slow(struct thread *t, size_t extra);
static inline enum section any_section_enter(struct thread *t, size_t extra)
{
    return likely(section_try(t, extra)) ? SECTION_WRITES : any_section_enter_slow(t, extra);
}

/* Hands in the open chunk. By its owner inside a section, or by the advancer. */
void seal_chunk(struct sched_thread *t);

/* What is hooked while nothing is recorded, and while something is. */
static inline uint32_t tracked_classes(void) { return RECORDING_ON | (tracer.classes & CLASS_TRACKED); }
static inline uint32_t recorded_classes(void) { return RECORDING_ON | tracer.classes; }

/* Counts what could not be recorded. */
void count_lost(void);

static inline uint64_t now(void) { return clock_ticks(&tracer.clock); }

/* A record for a thread to be, in the registry and Unborn, with its G id; NULL when memory or ids ran out. */
struct thread *thread_new(void);

/* In the child of a fork: t is the only thread that there is. */
void thread_inherit(struct thread *t);

/* Out of the registry, into the pool. Its G is dead or was never born. */
void thread_retire(struct thread *t);

/* The calling thread, which nobody announced, gets a record and appears in the trace. NULL: it stays untraced. */
struct thread *thread_introduce(void);

/* Runnable → Running. */
void thread_starts(struct thread *t);

/* Once, in the constructor. */
void thread_init(void);

/* Sees to it that thread_end is called when the calling thread ends. */
void thread_watch_exit(struct thread *t);

/* Ends the calling thread's G. */
void thread_end(struct thread *t);

/* Writes META_THREAD for t into by's chunk; inside a section of by, or behind a closed gate. */
void write_thread_record(struct sched_thread *by, const struct thread *t);

/* Once, in the constructor: this process may record. False when memory ran out. */
bool tracer_init(uint64_t period_ns, uint32_t classes);

/*
 * In the child of a fork: forgets the parent's recording without touching it. tracer_inherit makes the calling thread,
 * which had the record t, the only one of a process that may record.
 */
void tracer_forget(void);
void tracer_inherit(struct thread *t);

/*
 * Begins the next generation. False when it could not be done now: a writer was descheduled in a section, or the pool
 * has too few chunks for the statuses. The caller tries again later.
 */
bool tracer_advance(void);

/* After a hook: wakes the helper; without one, does the work that the helper would do. */
SLOW void tracer_chores(void);

/* The same within malloc, where the loader may be at work on our own stack: only makes room. */
SLOW void tracer_chores_in_malloc(void);

/* Publishes what is mapped now and records it. Calls dl_iterate_phdr: not in a section, not in a signal handler. */
void modules_refresh(void);

/* Where the module that has this pc lies: from <= pc < to. False: nowhere, and empty. */
struct module_span {
    uintptr_t from, to;
};
bool module_span_of(uintptr_t pc, struct module_span *span);

/* What a note of a module says, that has this type and is of whom these 4 bytes name; bytes NULL: there is none. */
struct module_note {
    const uint8_t *bytes;
    size_t len;
};
struct dl_phdr_info;
struct module_note module_note(const struct dl_phdr_info *info, uint32_t type, const char *of);

/* The linker's names for the ends of the module that refers to them. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));
static inline bool is_in_shim(const void *pc) { return (const char *)pc >= __ehdr_start && (const char *)pc < _end; }

/*
 * A stack goes through code that is in no module that is known: something may have been loaded, which nobody tells. The
 * chores look, but not all the time, because a JIT compiler makes such code as well. Safe in signal handlers.
 */
void modules_may_be_new(void);
bool modules_wanted(void);

/* A session begins: records what has been published. */
void modules_restart(void);

/* In the child of a fork. */
void modules_forget_lock(void);

/* Adds a meta record that belongs to no thread. Takes the advance lock. */
void service_record(const uint8_t *record, size_t len);

/* The calling thread waited for so many ticks, and is back. */
SLOW void flight_long_wait(struct thread *t, uint64_t ticks);

/* One line on stderr, "thrace: …", by write(2). */
void say(const char *text, const char *detail);

/*
 * The same by the next hook of a thread that has a stderr, or at the end of the process: the shim's own threads have
 * none. Only the first one of several is said. text is a literal.
 */
void say_later(const char *text, const char *detail);
void say_pending(void);

#endif
