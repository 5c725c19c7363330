/*
 * Which threads may have executed since the generation began. Only these are looked at when it ends: a thread that waits
 * costs nothing until it comes back, or somebody wakes it.
 *
 * A thread is marked before it is in a section of a generation in which it has no chunk yet, by itself (section.c), and
 * before somebody else changes what the trace says of it: who creates it and who wakes it, in a section of theirs. The
 * advancer takes the mark away behind the closed gate, from those that wait.
 */
#ifndef THRACE_PRELOAD_ACTIVE_H
#define THRACE_PRELOAD_ACTIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/thread.h"

extern uint64_t active_slots[THREADS_MAX / 64]; /* one bit a record */

static inline bool slot_is_active(uint32_t slot)
{
    return __atomic_load_n(&active_slots[slot / 64], __ATOMIC_RELAXED) >> (slot % 64) & 1;
}

static inline bool is_active(const struct thread *t) { return slot_is_active(t->slot); }

/* Cost: a load, and a locked instruction once in a generation. Lock-free; a thread is never torn out half-way. */
static inline void mark_active(const struct thread *t)
{
    if (__builtin_expect(!is_active(t), 0))
        __atomic_fetch_or(&active_slots[t->slot / 64], UINT64_C(1) << (t->slot % 64), __ATOMIC_SEQ_CST);
}

/*
 * After a change of what the trace says of another thread: the advancer may have looked at that just before, and taken
 * the mark away. Either it sees the change, or this the mark gone.
 */
static inline void mark_again(const struct thread *t)
{
    if (__builtin_expect(!(__atomic_load_n(&active_slots[t->slot / 64], __ATOMIC_SEQ_CST) >> (t->slot % 64) & 1), 0))
        mark_active(t);
}

static inline void unmark_active(const struct thread *t)
{
    __atomic_fetch_and(&active_slots[t->slot / 64], ~(UINT64_C(1) << (t->slot % 64)), __ATOMIC_SEQ_CST);
}

/* With the registry lock: all threads that there are; and that none is, a record in the pool neither. */
void mark_all_active(void);
void mark_none_active(void);

/* How many are, at least for a moment. */
uint32_t count_active(void);

/*
 * The first active one from *slot on, which becomes the slot behind it; NULL: there is no more. Without the lock a new
 * thread may be passed over.
 */
struct thread *next_active(uint32_t *slot);

#endif
