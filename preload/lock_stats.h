/*
 * Tables of how locks were used (lib/lock_stats.h), one for each thread: only that thread writes to it, in a section.
 * The entries are in the pool of the spool, which a kill leaves and `thrace finish` reads; the way to them, by the
 * lock's address, is in the thread's record. A record is used again, and the next thread goes on with its table.
 *
 * Cost: none where nobody asked for it. Else 5 ns for each lock and for each unlock, besides the clock.
 */
#ifndef THRACE_PRELOAD_LOCK_STATS_H
#define THRACE_PRELOAD_LOCK_STATS_H

#include "lib/lock_stats.h"
#include "preload/object_origins.h"
#include "preload/recorder.h"
#include "preload/thread.h"

/* Counts of the clock's source, never 0. */
static inline uint64_t lock_clock(void)
{
    return likely(recorder.clock.source == CLOCK_SOURCE_COUNTER) ? clock_counter() : clock_mono_ns();
}

static inline struct lock_entry *lock_entry_at(uint32_t offset)
{
    return (struct lock_entry *)((uint8_t *)recorder.spool.header + offset);
}

static inline uint32_t lock_hash(uint64_t address)
{
    return (uint32_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 40);
}

/* Inside a section of the thread: its entry for the address; NULL: it has none. */
static inline struct lock_entry *lock_find(const struct lock_table *l, uint64_t address)
{
    for (uint32_t i = lock_hash(address);; i++) {
        uint32_t offset = l->index[i & l->mask];
        if (unlikely(!offset))
            return NULL;
        struct lock_entry *e = lock_entry_at(offset);
        if (likely(e->address == address))
            return e;
    }
}

/* What tells that the lock at the address is still the one that the entry was made for. */
static inline uint32_t lock_what_now(uint64_t address, uint32_t kind)
{
    return lock_what(kind, object_life((const void *)(uintptr_t)(address & ~(uint64_t)LOCK_TO_READ)));
}

/*
 * Inside a section: an entry for a lock that has none, or that was made anew. NULL, with the section left: there is no
 * room, which is counted, or the recording has ended.
 */
struct lock_entry *lock_meet(struct thread *t, uint64_t address, uint32_t kind);

/* Counts locks that were taken where nothing could be counted of them. */
void lock_missed(void);

/* Inside a section, the thread ends: what it holds is held by nobody, as far as its times go. */
void lock_stats_thread_ends(struct thread *t);

/* A session begins, behind the closed gate: no thread has a table any more. */
void lock_stats_forget(void);

/*
 * A generation of a flight recorder ends, behind the closed gate: writes what was counted in it, and counts from zero.
 * What finds no room stays for the next one.
 */
void lock_stats_flush(void);

#endif
