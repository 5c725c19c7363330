/*
 * Procs between threads: the bitmap says which are held; the word of each who holds it and whether it may be taken
 * away.
 *
 * A thread that begins a system call keeps its P and marks its word as being in a call, since when. A thread that needs
 * a P claims that word. Until the claim is settled the one in the call may not go on: what it would write rests on the
 * thief's ProcSteal. So the thief commits its events first and settles then, by putting its own name there; a thief
 * that is torn out before its commit puts back what it found, and no trace is left of it.
 *
 * Words are never the same for two holders: they have the G in them. So the thread that comes back from a call knows
 * from the word alone whether its P is still its own, without a look at anything of the thief's.
 */
#ifndef THRACE_LIB_SCHED_PROC_H
#define THRACE_LIB_SCHED_PROC_H

#include "lib/sched.h"

enum proc_holding { HELD = 1, IN_CALL = 2, CLAIMED = 3 };
enum { WORD_KIND_BITS = 2, WORD_G_BITS = 30 };

static inline uint64_t proc_word(enum proc_holding kind, uint64_t g, uint32_t since)
{
    return (uint64_t)since << 32 | (g & ((UINT64_C(1) << WORD_G_BITS) - 1)) << WORD_KIND_BITS | kind;
}

static inline enum proc_holding word_kind(uint64_t word) { return word & ((1 << WORD_KIND_BITS) - 1); }
static inline uint32_t word_since(uint64_t word) { return word >> 32; }

static inline uint64_t proc_look(const struct sched *s, int32_t p)
{
    return __atomic_load_n(&s->procs[p].word, __ATOMIC_ACQUIRE);
}

static inline void proc_mark(struct sched *s, int32_t p, uint64_t word)
{
    __atomic_store_n(&s->procs[p].word, word, __ATOMIC_RELEASE);
}

/* The lowest free one of from … to-1, or PROC_NONE. */
int32_t proc_take_free(struct sched *s, uint32_t from, uint32_t to);

void proc_release(struct sched *s, int32_t p);

/*
 * Claims a P from a thread that is in a system call for longer than steal_after, or PROC_NONE. t->claim_word says what
 * was there, from before the claim until it is settled or undone.
 */
int32_t proc_claim(struct sched *s, struct sched_thread *t, uint64_t now);

/* Undoes a claim that no commit followed, if there is one. */
void proc_unclaim(struct sched *s, struct sched_thread *t);

/* Where the P of a thread in a system call is. */
enum proc_state { PROC_KEPT, PROC_CLAIMED, PROC_GONE };
enum proc_state proc_state(const struct sched *s, const struct sched_thread *t);

/*
 * The thread is back from its call. PROC_KEPT: its P cannot be claimed any more. PROC_CLAIMED: a thief has been at it
 * for longer than it should take; ask again later.
 */
enum proc_state proc_reclaim(struct sched *s, const struct sched_thread *t);

#endif
