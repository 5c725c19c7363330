/*
 * Who waits for what: address of the object → waiting threads, so that the thread that releases an object can say whom
 * it woke. Buckets of slots, no locks: a waiter owns its slot, a releaser claims a waiter by compare-and-swap on the
 * slot's word. A thread that is torn out of a wait leaves its own slot behind and nothing else.
 *
 * A bucket has eight slots of its own. Further waiters take from a part that all buckets share, each in an order of its
 * own, so that a crowd before one object is in nobody else's way.
 *
 * Releasing an object that nobody waits for costs one load.
 */
#ifndef THRACE_LIB_WAITQ_H
#define THRACE_LIB_WAITQ_H

#include <stdbool.h>
#include <stdint.h>

enum {
    WAITQ_BUCKETS = 1 << 12,
    WAITQ_HOME = 8,            /* slots of each bucket alone */
    WAITQ_SHARED = 1 << 15,    /* slots for those that find their home full */
    WAITQ_RUN = 64,            /* of these lie next to each other for a bucket */
    WAITQ_SLOTS = WAITQ_BUCKETS * WAITQ_HOME + WAITQ_SHARED,
};

/* What the low bits of a slot's word say of its waiter. */
enum wait_state {
    WAIT_FREE = 0,
    WAIT_REGISTERED, /* will wait unless its second look at the object says otherwise */
    WAIT_EARLY,      /* released while registered: look again */
    WAIT_BLOCKED,    /* its GoBlock is written */
    WAIT_CLAIMED,    /* its GoUnblock is written, or about to be, by the claimer, in this generation */
    WAIT_WOKEN,      /* its GoUnblock was written in an earlier generation */
    WAIT_STATE_MASK = 7,
};

/* Which of an object's waiters a release is for. */
enum waiter_kind {
    WAITER_ANY = 0,
    WAITER_READER = 1,
    WAITER_WRITER = 2,
    WAITER_LATEST = 3, /* of these the one that came last is served first */
};

struct wait_slot {
    uint64_t word; /* wait_state, the waiter (a pointer aligned to 8 below 2^48), and 16 bits of the ticket */
    const void *object;
    uint64_t ticket; /* order of arrival or, once it is claimed, of the claim */
    uint32_t kind;
    uint32_t place; /* which of its bucket's places it is, from 0 */
};

struct waitq {
    uint64_t tickets;
    uint64_t waiting[WAITQ_BUCKETS]; /* waiters whose object hashes there, and who ever came: what a release loads */
    uint32_t reach[WAITQ_BUCKETS];   /* beyond so many of its places a bucket never had a waiter */
    uint32_t from[WAITQ_BUCKETS];    /* about: its places from WAITQ_HOME to here are taken */
    struct wait_slot slots[WAITQ_SLOTS];
};

/* In a bucket's `waiting`, waiters are in the lower half, and in the upper half those who ever came. */
#define WAITQ_CAME (UINT64_C(1) << 32)

static inline uint32_t waitq_bucket(const void *object)
{
    return (uint32_t)(((uint64_t)(uintptr_t)object * UINT64_C(0x9e3779b97f4a7c15)) >> 52) % WAITQ_BUCKETS;
}

/* False: certainly nobody waits for the object. Cost: 1 ns. */
static inline bool waitq_maybe_waiting(const struct waitq *q, const void *object)
{
    uint64_t waiting = __atomic_load_n(&q->waiting[waitq_bucket(object)], __ATOMIC_RELAXED);
    return __builtin_expect((uint32_t)waiting != 0, 0);
}

/* Enters the waiter, state WAIT_REGISTERED. NULL when the array is full. */
struct wait_slot *waitq_register(struct waitq *q, void *waiter, const void *object, enum waiter_kind kind);

/* Puts the owner of the slot before the waiters that were claimed and are still there. */
void waitq_overtake(struct waitq *q, const struct wait_slot *own);

/* Leaves. The slot belongs to others from then on. */
void waitq_leave(struct waitq *q, struct wait_slot *slot);

/* Somebody will wait for the object and be no waiter: until that is over releases are not to pass it by. */
static inline void waitq_expect(struct waitq *q, const void *object)
{
    __atomic_fetch_add(&q->waiting[waitq_bucket(object)], 1, __ATOMIC_RELAXED);
}

static inline void waitq_unexpect(struct waitq *q, const void *object)
{
    __atomic_fetch_sub(&q->waiting[waitq_bucket(object)], 1, __ATOMIC_RELAXED);
}

static inline uint64_t wait_word(const struct wait_slot *slot)
{
    return __atomic_load_n(&slot->word, __ATOMIC_ACQUIRE);
}

static inline enum wait_state wait_state(uint64_t word) { return (enum wait_state)(word & WAIT_STATE_MASK); }

static inline void *wait_waiter(uint64_t word)
{
    return (void *)(uintptr_t)(word & UINT64_C(0x0000fffffffffff8));
}

/*
 * Moves the slot from word, as it was read, to another state; false when it has changed since. The ticket bits in the
 * word tell a waiter that came back to the same slot from the one that was read.
 */
static inline bool wait_move(struct wait_slot *slot, uint64_t word, enum wait_state to)
{
    uint64_t next = (word & ~(uint64_t)WAIT_STATE_MASK) | to;
    return __atomic_compare_exchange_n(&slot->word, &word, next, false, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE);
}

/* A waiter that was claimed and is still there when its object is released again: what it does. */
enum wait_claimed {
    CLAIMED_SERVED, /* it has what it waited for */
    CLAIMED_QUEUED, /* another was faster; it waits again, behind those that were there when it was claimed */
    CLAIMED_COMING, /* likewise, but it has not found out yet: the release wakes nobody */
};

/*
 * Claims the waiter of the object whose turn it is, mostly the one that came first: WAIT_BLOCKED becomes WAIT_CLAIMED
 * and *slot is its slot. A waiter that is only registered becomes WAIT_EARLY and counts as found, with *slot NULL. If
 * the turn is that of one that was claimed before, nobody is claimed. kind WAITER_ANY takes any. Just before each
 * attempt to claim, intent(arg, waiter) is called: the waiter is certainly blocked then if the claim succeeds.
 */
enum wait_found { WAIT_NOBODY, WAIT_FOUND_EARLY, WAIT_FOUND };
enum wait_found waitq_claim(struct waitq *q, const void *object, enum waiter_kind kind, enum wait_claimed claimed,
                            struct wait_slot **slot, void (*intent)(void *arg, void *waiter), void *arg);

/* False: such a claim finds nobody, and changes nothing. Costs a third of a claim. */
bool waitq_may_claim(struct waitq *q, const void *object, enum wait_claimed claimed);

/* The first n waiters of the object wait for something else now: nobody can claim them any more. */
void waitq_detach(struct waitq *q, const void *object, uint32_t n);

#endif
