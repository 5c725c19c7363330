/*
 * The steps that every transition is made of (sched.h). They are in line: sched.c makes most transitions of them, and
 * regions, which are begun and ended often, put their events together themselves.
 */
#ifndef THRACE_LIB_SCHED_TXN_H
#define THRACE_LIB_SCHED_TXN_H

#include <stddef.h>
#include <string.h>

#include "lib/sched.h"

#define TXN_STEP static inline __attribute__((always_inline))

/* The state after the next commit. The commit is one store: it counts, which makes the successor current. */
TXN_STEP struct sched_state *successor(struct sched_thread *t) { return &t->state[~t->commits & 1]; }
TXN_STEP void commit(struct sched_thread *t) { __atomic_store_n(&t->commits, t->commits + 1, __ATOMIC_RELEASE); }

struct txn {
    struct sched *s;
    struct sched_thread *t;
    struct sched_state *next; /* but for its pos and time, which are here until the commit: */
    uint8_t *pos;
    uint64_t time;
    uint64_t now;
};

/* Ends a transition that was begun; done is for the caller. */
TXN_STEP bool txn_close(struct sched_thread *t, bool done)
{
    compiler_barrier();
    __atomic_store_n(&t->open, 0, __ATOMIC_RELAXED);
    return done;
}

/*
 * Opens before it looks at anything of the thread: until then a handler may interrupt and make any transition. Of room
 * the caller knows by sched_has_room: one that no handler can have used since then.
 */
TXN_STEP bool txn_open(struct txn *x, struct sched *s, struct sched_thread *t, uint32_t from, uint64_t now)
{
    if (__atomic_load_n(&t->open, __ATOMIC_RELAXED))
        return false;
    __atomic_store_n(&t->open, 1, __ATOMIC_RELAXED);
    compiler_barrier();
    const struct sched_state *cur = sched_own(t);
    if (cur->status != from)
        return txn_close(t, false);
    struct sched_state *next = successor(t);
    memcpy(&next->proc, &cur->proc, sizeof *next - offsetof(struct sched_state, proc));
    x->s = s;
    x->t = t;
    x->next = next;
    x->pos = cur->pos;
    x->time = cur->time;
    x->now = now;
    return true;
}

TXN_STEP bool txn_begin(struct txn *x, struct sched *s, struct sched_thread *t, uint32_t from, uint64_t now)
{
    return txn_open(x, s, t, from, now) && (sched_has_room(t, 0) || txn_close(t, false));
}

/*
 * An event that waits for another thread's event never has the same time: Go's reader takes the threads in order of
 * time, and when the first one has to wait it may pass over one of the same time. So events that give a P or a G away
 * have even times, and events that take one have odd times, not before it was given. (sched_unblock does both; it is
 * later than what it waits for.)
 */
enum parity { ANY, EVEN, ODD };

/* A thread's timestamps never go back, whatever the counter of another CPU said. */
TXN_STEP uint64_t txn_dt(struct txn *x, enum parity parity)
{
    uint64_t last = x->time, time = x->now > last ? x->now : last;
    if (parity != ANY)
        time += (time & 1) != (parity == ODD);
    x->time = time;
    return time - last;
}

/*
 * Word by word: the next transition may come before these stores are in the cache, and loads word by word what one
 * store of both would hold up. `used` follows the commit, for whoever reads the file after a kill.
 */
TXN_STEP void txn_commit(struct txn *x)
{
    struct sched_thread *t = x->t;
    __atomic_store_n(&x->next->pos, x->pos, __ATOMIC_RELAXED);
    __atomic_store_n(&x->next->time, x->time, __ATOMIC_RELAXED);
    commit(t);
    __atomic_store_n(&t->chunk->used, (uint32_t)(x->pos - t->chunk->data), __ATOMIC_RELEASE);
    t->proc_taken = PROC_NONE;
}

/* For transitions that only write. */
TXN_STEP bool txn_end(struct txn *x)
{
    txn_commit(x);
    return txn_close(x->t, true);
}

#endif
