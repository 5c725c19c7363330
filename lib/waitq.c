#include "lib/waitq.h"

#include <stddef.h>

/* A slot that is taken but not filled in yet: no waiter of any object. */
static const uint64_t reserved = WAIT_WOKEN;

static uint32_t first_slot(const void *object) { return waitq_bucket(object) * (WAITQ_SLOTS / WAITQ_BUCKETS); }

struct wait_slot *waitq_register(struct waitq *q, void *waiter, const void *object, enum waiter_kind kind)
{
    uint32_t i = first_slot(object);
    /* Before the caller's next look at the object: a releaser that it does not see must see this. */
    __atomic_fetch_add(&q->waiting[waitq_bucket(object)], 1, __ATOMIC_SEQ_CST);
    for (uint32_t n = 0; n < WAITQ_SLOTS; n++, i = (i + 1) % WAITQ_SLOTS) {
        struct wait_slot *slot = &q->slots[i];
        uint64_t none = 0;
        if (!__atomic_compare_exchange_n(&slot->word, &none, reserved, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            continue;
        uint64_t ticket = __atomic_fetch_add(&q->tickets, 1, __ATOMIC_RELAXED);
        __atomic_store_n(&slot->object, object, __ATOMIC_RELAXED);
        __atomic_store_n(&slot->kind, kind, __ATOMIC_RELAXED);
        __atomic_store_n(&slot->ticket, ticket, __ATOMIC_RELAXED);
        __atomic_store_n(&slot->word, ticket << 48 | (uint64_t)(uintptr_t)waiter | WAIT_REGISTERED,
                         __ATOMIC_SEQ_CST);
        return slot;
    }
    __atomic_fetch_sub(&q->waiting[waitq_bucket(object)], 1, __ATOMIC_RELAXED);
    return NULL;
}

void waitq_leave(struct waitq *q, struct wait_slot *slot)
{
    uint32_t h = waitq_bucket(slot->object);
    __atomic_store_n(&slot->word, 0, __ATOMIC_RELEASE);
    __atomic_fetch_sub(&q->waiting[h], 1, __ATOMIC_RELEASE);
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

/*
 * A walk over the taken slots that may hold an object's waiters, from the first slot of its bucket until it has seen
 * all waiters of that bucket. Slots of other buckets lie among them. A waiter beyond a quarter of the array is not
 * found and will wake itself in the trace.
 */
struct walk {
    struct waitq *q;
    const void *object;
    uint32_t left, seen, next;
};

static struct walk walk_from(struct waitq *q, const void *object)
{
    uint32_t left = __atomic_load_n(&q->waiting[waitq_bucket(object)], __ATOMIC_ACQUIRE);
    return (struct walk){q, object, left, 0, first_slot(object)};
}

static struct wait_slot *walk_on(struct walk *walk, uint64_t *word)
{
    while (walk->left && walk->seen++ < WAITQ_SLOTS / 4) {
        struct wait_slot *slot = &walk->q->slots[walk->next];
        walk->next = (walk->next + 1) % WAITQ_SLOTS;
        if (!(*word = wait_word(slot)))
            continue;
        if (waitq_bucket(object_of(slot)) == waitq_bucket(walk->object))
            walk->left--;
        return slot;
    }
    return NULL;
}

static struct wait_slot *oldest(struct waitq *q, const void *object, enum waiter_kind kind, enum wait_claimed claimed,
                                uint64_t *word)
{
    struct wait_slot *best = NULL, *slot = &q->slots[first_slot(object)];
    uint64_t best_order = UINT64_MAX, w;
    struct walk walk = walk_from(q, object);
    if (walk.left == 1 && is_candidate(slot, *word = wait_word(slot), object, kind, claimed)) /* mostly */
        return slot;
    while ((slot = walk_on(&walk, &w))) {
        if (is_candidate(slot, w, object, kind, claimed) && order_of(slot, w, kind, claimed) < best_order) {
            best = slot;
            best_order = order_of(slot, w, kind, claimed);
            *word = w;
        }
    }
    return best;
}

void waitq_overtake(struct waitq *q, const struct wait_slot *own)
{
    struct wait_slot *slot;
    uint64_t w;
    struct walk walk = walk_from(q, own->object);
    while (walk.left > 1 && (slot = walk_on(&walk, &w)))
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
