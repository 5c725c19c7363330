#include "lib/waitq.h"

#include <stddef.h>

/* A slot that is taken but not filled in yet: no waiter of any object. */
static const uint64_t reserved = WAIT_WOKEN;

/*
 * The shared slots in runs, and these in an order that is the bucket's own: every run comes once, as the stride is odd.
 */
static struct wait_slot *slot_at(struct waitq *q, uint32_t bucket, uint32_t place)
{
    enum { RUNS = WAITQ_SHARED / WAITQ_RUN };
    if (place < WAITQ_HOME)
        return &q->slots[bucket * WAITQ_HOME + place];
    uint32_t k = place - WAITQ_HOME, run = (bucket + k / WAITQ_RUN * (bucket / RUNS * 2 + 1)) % RUNS;
    return &q->slots[WAITQ_BUCKETS * WAITQ_HOME + run * WAITQ_RUN + k % WAITQ_RUN];
}

enum { PLACES = WAITQ_HOME + WAITQ_SHARED };

/* NULL: none of the places from … to-1 is free. */
static struct wait_slot *take_slot(struct waitq *q, uint32_t bucket, uint32_t from, uint32_t to)
{
    for (uint32_t place = from; place < to; place++) {
        struct wait_slot *slot = slot_at(q, bucket, place);
        uint64_t none = wait_word(slot);
        if (!none && __atomic_compare_exchange_n(&slot->word, &none, reserved, false, __ATOMIC_ACQ_REL,
                                                 __ATOMIC_RELAXED)) {
            slot->place = place;
            return slot;
        }
    }
    return NULL;
}

/* Releasers look that far. */
static void reach(struct waitq *q, uint32_t bucket, uint32_t places)
{
    uint32_t old = __atomic_load_n(&q->reach[bucket], __ATOMIC_RELAXED);
    while (old < places && !__atomic_compare_exchange_n(&q->reach[bucket], &old, places, true, __ATOMIC_RELAXED,
                                                        __ATOMIC_RELAXED))
        ;
}

static struct wait_slot *take_shared_slot(struct waitq *q, uint32_t bucket)
{
    uint32_t from = __atomic_load_n(&q->from[bucket], __ATOMIC_RELAXED);
    from = from < WAITQ_HOME ? WAITQ_HOME : from;
    struct wait_slot *slot = take_slot(q, bucket, from, PLACES);
    if (!slot && !(slot = take_slot(q, bucket, WAITQ_HOME, from)))
        return NULL;
    __atomic_store_n(&q->from[bucket], slot->place + 1, __ATOMIC_RELAXED);
    return slot;
}

struct wait_slot *waitq_register(struct waitq *q, void *waiter, const void *object, enum waiter_kind kind)
{
    uint32_t bucket = waitq_bucket(object);
    /* Before the caller looks at the object again. Who releases it then, and has looked here before, is not seen. */
    __atomic_fetch_add(&q->waiting[bucket], WAITQ_CAME + 1, __ATOMIC_SEQ_CST);
    struct wait_slot *slot = take_slot(q, bucket, 0, WAITQ_HOME);
    if (!slot && !(slot = take_shared_slot(q, bucket))) {
        __atomic_fetch_sub(&q->waiting[bucket], 1, __ATOMIC_RELAXED);
        return NULL;
    }
    reach(q, bucket, slot->place + 1);
    uint64_t ticket = __atomic_fetch_add(&q->tickets, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&slot->object, object, __ATOMIC_RELAXED);
    __atomic_store_n(&slot->kind, kind, __ATOMIC_RELAXED);
    __atomic_store_n(&slot->ticket, ticket, __ATOMIC_RELAXED);
    __atomic_store_n(&slot->word, ticket << 48 | (uint64_t)(uintptr_t)waiter | WAIT_REGISTERED, __ATOMIC_SEQ_CST);
    return slot;
}

void waitq_leave(struct waitq *q, struct wait_slot *slot)
{
    uint32_t bucket = waitq_bucket(slot->object), place = slot->place;
    __atomic_store_n(&slot->word, 0, __ATOMIC_RELEASE);
    if (place >= WAITQ_HOME && place < __atomic_load_n(&q->from[bucket], __ATOMIC_RELAXED))
        __atomic_store_n(&q->from[bucket], place, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&q->waiting[bucket], 1, __ATOMIC_RELEASE);
}

/* A releaser may read a slot that is being filled anew: what it read of the old one then claims nothing. */
static const void *object_of(const struct wait_slot *slot) { return __atomic_load_n(&slot->object, __ATOMIC_RELAXED); }
static uint64_t ticket_of(const struct wait_slot *slot) { return __atomic_load_n(&slot->ticket, __ATOMIC_RELAXED); }

static bool was_claimed(uint64_t word)
{
    return wait_state(word) == WAIT_CLAIMED || (wait_state(word) == WAIT_WOKEN && wait_waiter(word));
}

static bool is_candidate(const struct wait_slot *slot, uint64_t word, const void *object, enum waiter_kind kind,
                         enum wait_claimed claimed)
{
    enum wait_state state = wait_state(word);
    return (state == WAIT_REGISTERED || state == WAIT_BLOCKED || (claimed != CLAIMED_SERVED && was_claimed(word))) &&
           object_of(slot) == object &&
           (kind == WAITER_ANY || __atomic_load_n(&slot->kind, __ATOMIC_RELAXED) == kind);
}

static uint64_t order_of(const struct wait_slot *slot, uint64_t word, enum waiter_kind kind, enum wait_claimed claimed)
{
    if (kind == WAITER_LATEST)
        return INT64_MAX - ticket_of(slot);
    return claimed == CLAIMED_COMING && was_claimed(word) ? 0 : ticket_of(slot);
}

/* From now on the slot comes behind all others. */
static void requeue(struct waitq *q, struct wait_slot *slot)
{
    __atomic_store_n(&slot->ticket, __atomic_fetch_add(&q->tickets, 1, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
}

/* A walk over the taken places of an object's bucket, until it has seen as many waiters as there were when it began. */
struct walk {
    struct waitq *q;
    uint32_t bucket, came, left, place;
};

static struct walk walk_from(struct waitq *q, const void *object)
{
    uint32_t bucket = waitq_bucket(object);
    uint64_t waiting = __atomic_load_n(&q->waiting[bucket], __ATOMIC_ACQUIRE);
    return (struct walk){q, bucket, (uint32_t)(waiting / WAITQ_CAME), (uint32_t)waiting, 0};
}

/* The waiters that were seen may be some who came since, and not those who were there. */
static bool others_came(const struct walk *walk)
{
    return (uint32_t)(__atomic_load_n(&walk->q->waiting[walk->bucket], __ATOMIC_ACQUIRE) / WAITQ_CAME) != walk->came;
}

static inline struct wait_slot *walk_on(struct walk *walk, uint64_t *word)
{
    uint32_t reach = __atomic_load_n(&walk->q->reach[walk->bucket], __ATOMIC_RELAXED);
    while (walk->left && walk->place < reach) {
        struct wait_slot *slot = slot_at(walk->q, walk->bucket, walk->place++);
        if (!(*word = wait_word(slot)))
            continue;
        if (*word != reserved && waitq_bucket(object_of(slot)) == walk->bucket) /* else its object is old */
            walk->left--;
        return slot;
    }
    return NULL;
}

static struct wait_slot *oldest_of(struct walk walk, const void *object, enum waiter_kind kind,
                                   enum wait_claimed claimed, uint64_t *word)
{
    struct wait_slot *best = NULL, *slot;
    uint64_t best_order = UINT64_MAX, w;
    while ((slot = walk_on(&walk, &w))) {
        if (is_candidate(slot, w, object, kind, claimed) && order_of(slot, w, kind, claimed) < best_order) {
            best = slot;
            best_order = order_of(slot, w, kind, claimed);
            *word = w;
        }
    }
    return best;
}

static struct wait_slot *oldest(struct waitq *q, const void *object, enum waiter_kind kind, enum wait_claimed claimed,
                                uint64_t *word)
{
    struct wait_slot *first = slot_at(q, waitq_bucket(object), 0), *slot;
    struct walk walk = walk_from(q, object);
    if (walk.left == 1 && is_candidate(first, *word = wait_word(first), object, kind, claimed)) /* mostly */
        return first;
    if ((slot = oldest_of(walk, object, kind, claimed, word)) || !others_came(&walk))
        return slot;
    walk.left = UINT32_MAX; /* all places */
    return oldest_of(walk, object, kind, claimed, word);
}

void waitq_overtake(struct waitq *q, const struct wait_slot *own)
{
    struct wait_slot *slot;
    uint64_t w;
    struct walk walk = walk_from(q, own->object);
    if (walk.left == 1)
        return;
    while ((slot = walk_on(&walk, &w)))
        if (was_claimed(w) && object_of(slot) == own->object)
            requeue(q, slot);
}

enum wait_found waitq_claim(struct waitq *q, const void *object, enum waiter_kind kind, enum wait_claimed claimed,
                            struct wait_slot **found, void (*intent)(void *arg, void *waiter), void *arg)
{
    *found = NULL;
    for (int tries = 0; tries < 100; tries++) {
        uint64_t word = 0;
        struct wait_slot *slot = oldest(q, object, kind, claimed, &word);
        if (!slot)
            return WAIT_NOBODY;
        if (was_claimed(word)) {
            if (claimed == CLAIMED_QUEUED)
                requeue(q, slot);
            return WAIT_NOBODY;
        }
        bool blocked = wait_state(word) == WAIT_BLOCKED;
        if (blocked)
            intent(arg, wait_waiter(word));
        if (wait_move(slot, word, blocked ? WAIT_CLAIMED : WAIT_EARLY)) {
            if (claimed != CLAIMED_SERVED && blocked)
                requeue(q, slot);
            *found = blocked ? slot : NULL;
            return blocked ? WAIT_FOUND : WAIT_FOUND_EARLY;
        }
    }
    return WAIT_NOBODY;
}

bool waitq_may_claim(struct waitq *q, const void *object, enum wait_claimed claimed)
{
    struct walk walk = walk_from(q, object);
    struct wait_slot *slot;
    uint64_t word;
    bool any = false;
    while ((slot = walk_on(&walk, &word))) {
        if (claimed == CLAIMED_COMING && was_claimed(word) && object_of(slot) == object)
            return false;
        any |= is_candidate(slot, word, object, WAITER_ANY, claimed);
    }
    return any || others_came(&walk);
}

void waitq_detach(struct waitq *q, const void *object, uint32_t n)
{
    for (uint32_t i = 0; i < n && waitq_maybe_waiting(q, object); i++) {
        uint64_t word = 0;
        struct wait_slot *slot = oldest(q, object, WAITER_ANY, CLAIMED_SERVED, &word);
        if (!slot)
            break;
        wait_move(slot, word, WAIT_EARLY);
    }
}
