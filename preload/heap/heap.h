/*
 * How much of the heap is in use, to the byte.
 *
 * Each thread counts in a slot of its own: what malloc_usable_size says of a block is added when it is allocated and taken
 * off when it dies, in whichever thread. Nobody else writes to the slot, and the count is one instruction, which a
 * signal handler cannot tear. Once a slot has gone up or down by HEAP_FLUSH its sum moves to that of the process;
 * whoever does that and sees that the heap has grown or shrunk by a step writes HeapAlloc. The sum of everything is
 * exact at any time at which no thread is in the allocator.
 */
#ifndef THRACE_PRELOAD_HEAP_HEAP_H
#define THRACE_PRELOAD_HEAP_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HEAP_HIDDEN __attribute__((visibility("hidden")))

struct heap_slot {
    int64_t delta; /* bytes, not in the sum of the process yet */
    int64_t until_sample; /* bytes (heap_sample.h) */
    uint64_t random;
    uint32_t next; /* in the list of free slots: index + 1 */
} __attribute__((aligned(128))); /* two lines: the processor fetches them in pairs */

enum { HEAP_FLUSH = 64 << 10 };

/* NULL: none yet. HEAP_SHARED: the thread has ended, or there are no more; it counts in the sum of the process. */
extern __thread struct heap_slot *heap_slot __attribute__((tls_model("initial-exec"))) HEAP_HIDDEN;
#define HEAP_SHARED ((struct heap_slot *)1)

/*
 * What the entry points look at first. All but one value lead to their slow halves, and in malloc and free all but two.
 */
enum heap_mode {
    HEAP_BOOT,   /* the next allocator is not known yet */
    HEAP_COUNT,  /* libc's own allocator: count, and nothing else */
    HEAP_SAMPLE, /* the same, and samples */
    HEAP_SLOW,   /* another one, or more to do, or less: see heap_counts */
};
extern uint32_t heap_mode HEAP_HIDDEN;

static inline bool heap_is_fast(void)
{
    return __builtin_expect(__atomic_load_n(&heap_mode, __ATOMIC_ACQUIRE) == HEAP_COUNT, 1);
}

static inline bool heap_is_sampled(void)
{
    return __atomic_load_n(&heap_mode, __ATOMIC_ACQUIRE) == HEAP_SAMPLE;
}

void heap_flush(struct heap_slot *s) HEAP_HIDDEN;
void heap_count_without_slot(int64_t bytes) HEAP_HIDDEN;

/* One instruction, where the processor has one. */
static inline void heap_add(int64_t *v, int64_t n)
{
#if defined(__x86_64__)
    __asm__("addq %1, %0" : "+m"(*v) : "er"(n) : "cc");
#else
    __atomic_fetch_add(v, n, __ATOMIC_RELAXED);
#endif
}

static inline bool heap_has_slot(const struct heap_slot *s)
{
    return __builtin_expect((uintptr_t)s > (uintptr_t)HEAP_SHARED, 1);
}

static inline bool heap_wants_flush(const struct heap_slot *s)
{
    return __builtin_expect((uint64_t)(s->delta + HEAP_FLUSH) > 2 * HEAP_FLUSH, 0);
}

static inline void heap_count(int64_t bytes)
{
    struct heap_slot *s = heap_slot;
    if (!heap_has_slot(s)) {
        heap_count_without_slot(bytes);
        return;
    }
    heap_add(&s->delta, bytes);
    if (heap_wants_flush(s))
        heap_flush(s);
}

extern bool heap_counts HEAP_HIDDEN;
extern bool heap_events HEAP_HIDDEN; /* every birth and death is an event */
extern bool heap_libc HEAP_HIDDEN; /* blocks have a size in front of them */

/* The event of the block at p: it was allocated, or (size -1) is about to be freed. */
void heap_event(const void *p, int64_t size) HEAP_HIDDEN;

/* Its slot goes to the next thread. What the thread still allocates or frees is counted all the same. */
void heap_thread_end(void);

/* What is mapped by calls of mmap, less what is unmapped. */
void heap_mapped(int64_t bytes);

/* Looks up how much memory the process holds, for the next HeapGoal. System calls; at most every 50 ms. */
void heap_look(void);

/* Tells the spool's header how much is in use. */
void heap_report(void);

struct thread;

/* At the beginning of a generation, in the batch of a running thread: HeapAlloc and HeapGoal. By the advancer. */
void heap_write_status(struct thread *t, uint64_t time);

/* At the end of the recording, when the heap is counted: the last HeapAlloc, and the totals in the spool's header. */
void heap_write_last(void);

#endif
