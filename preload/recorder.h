/*
 * The recording that is under way, the model of the process, and whether anything is recorded at all.
 *
 * Three rules hold the library together.
 *  1. What a thread writes, it writes inside a section (section.h): the generation cannot change there, and the gate
 *     makes whoever changes it wait. A section waits for no lock, makes no system call and calls nothing of libc or of
 *     the program.
 *  2. A lock that a hook may wait for is never held while a function of libc or of the program runs. Ranks: session,
 *     advance, registry.
 *  3. Whoever interrupts a hook of its own thread passes through (hook.h).
 */
#ifndef THRACE_PRELOAD_RECORDER_H
#define THRACE_PRELOAD_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/clock.h"
#include "lib/gate.h"
#include "lib/lock.h"
#include "lib/sched.h"
#include "lib/spool.h"
#include "lib/stacktab.h"
#include "lib/waitq.h"
#include "preload/attributes.h"

/*
 * In a page of its own that the kernel clears in a child, however the child was made: fork, _Fork, clone. So a child
 * records nothing from its first instruction on, without being told.
 */
struct owner {
    uint32_t hooked;    /* what a hook looks at first: the classes of calls that it is to enter */
    uint32_t recording; /* the classes of calls that are recorded, 0 when nothing is */
    uint32_t alive;     /* this process records, or may start to */
};

enum { STACK_SLOTS = 1 << 15, PAIR_SLOTS = 1 << 11, MORE_PAIR_SLOTS = 1 << 17 };

struct recorder {
    struct owner *owner;
    int pid;
    uint32_t wants_maintenance; /* after the hook (maintenance.h) */
    struct gate gate;
    struct trace_clock clock;
    uint64_t deadline_ns; /* when the open generation is due to end, on CLOCK_MONOTONIC */
    int64_t suspended_ns; /* clock_suspended_ns() when the clocks were read last */
    struct spool spool;

    struct lock advance_lock;
    struct sched_thread service; /* what the advancer writes with: statuses and modules; no G */

    struct sched sched;
    struct stacktab stacks;
    struct stacktab pairs, more_pairs; /* of a stack and an object: the first ones, in few pages, and the others */
    struct waitq waits;
    bool notes_locks; /* lock_notes.h */
};

extern struct recorder recorder;

static inline bool recording(void) { return likely(__atomic_load_n(&recorder.owner->recording, __ATOMIC_RELAXED)); }
static inline bool hooked(void) { return likely(__atomic_load_n(&recorder.owner->hooked, __ATOMIC_RELAXED)); }

/* The next hook that ends is to do what no hook may (maintenance.h). Async-signal-safe. */
static inline void request_maintenance(void) { __atomic_store_n(&recorder.wants_maintenance, 1, __ATOMIC_RELAXED); }
static inline bool maintenance_requested(void)
{
    return unlikely(__atomic_load_n(&recorder.wants_maintenance, __ATOMIC_RELAXED));
}

static inline uint64_t now(void) { return clock_ticks(&recorder.clock); }

/* Notes in the spool what both clocks show. With advance_lock. */
void recorder_read_clocks(void);

/* Hands in the open chunk. By its owner inside a section, or by the advancer. */
void seal_chunk(struct sched_thread *t);

/*
 * Once, in the constructor or later, when the config is set: this process may record. False when memory ran out. With
 * threads already, they fence in each section, until a thread that nobody waits for has called recorder_spare_fences.
 */
bool recorder_init(bool has_threads);
void recorder_spare_fences(void);

/* The linker's names for the ends of the module that refers to them. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));
static inline bool is_in_library(const void *pc) { return (const char *)pc >= __ehdr_start && (const char *)pc < _end; }

#endif
