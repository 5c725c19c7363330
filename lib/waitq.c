#include "lib/waitq.h"

#include <stddef.h>

/* A slot that is taken but not filled in yet: no waiter of any object. */
static const uint64_t reserved = WAIT_WOKEN;

static uint32_t first_slot(const void *object) { return waitq_home(object) * (WAITQ_SLOTS / WAITQ_HOMES); }

struct wait_slot *waitq_register(struct waitq *q, void *waiter, const void *object, enum waiter_kind kind)
{
    uint32_t i = first_slot(object);
    /* Before the caller's next look at the object: a releaser that it does not see must see this. */
    __atomic_fetch_add(&q->waiting[waitq_home(object)], 1, __ATOMIC_SEQ_CST);
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
    __atomic_fetch_sub(&q->waiting[waitq_home(object)], 1, __ATOMIC_RELAXED);
    return NULL;
}

void waitq_leave(struct waitq *q, struct wait_slot *slot)
{
    uint32_t h = waitq_home(slot->object);
    __atomic_store_n(&slot->word, 0, __ATOMIC_RELEASE);
    __atomic_fetch_sub(&q->waiting[h], 1, __ATOMIC_RELEASE);
}

/* A releaser may read a slot that is being filled anew: what it read of the old one then claims nothing. */
static const void *object_of(const struct wait_slot *slot) { return __atomic_load_n(&slot->object, __ATOMIC_RELAXED); }
static uint64_t ticket_of(const struct wait_slot *slot) { return __atomic_load_n(&slot->ticket, __ATOMIC_RELAXED); }

static bool is_candidate(const struct wait_slot *slot, uint64_t word, const void *object, enum waiter_kind kind)
{
    enum wait_state state = wait_state(word);
    return (state == WAIT_REGISTERED || state == WAIT_BLOCKED) && object_of(slot) == object &&
           (kind == WAITER_ANY || __atomic_load_n(&slot->kind, __ATOMIC_RELAXED) == kind);
}

static bool goes_before(const struct wait_slot *slot, const struct wait_slot *other, enum waiter_kind kind)
{
    return kind == WAITER_LATEST ? ticket_of(slot) > ticket_of(other) : ticket_of(slot) < ticket_of(other);
}

/*
 * Looks at as many taken slots, from the object's first on, as wait in its home. Slots of other homes lie among them,
 * hence a few more than that; a waiter beyond is not found and will wake itself in the trace.
 */
static struct wait_slot *next_waiter(struct waitq *q, const void *object, enum waiter_kind kind, uint64_t *word)
{
    struct wait_slot *best = NULL;
    uint32_t left = __atomic_load_n(&q->waiting[waitq_home(object)], __ATOMIC_ACQUIRE);
    uint32_t i = first_slot(object);
    for (uint32_t n = 0; left && n < WAITQ_SLOTS / 4; n++, i = (i + 1) % WAITQ_SLOTS) {
        struct wait_slot *slot = &q->slots[i];
        uint64_t w = wait_word(slot);
        if (!w)
            continue;
        if (waitq_home(object_of(slot)) == waitq_home(object))
            left--;
        if (is_candidate(slot, w, object, kind) && (!best || goes_before(slot, best, kind))) {
            best = slot;
            *word = w;
        }
    }
    return best;
}

enum wait_found waitq_claim(struct waitq *q, const void *object, enum waiter_kind kind, struct wait_slot **claimed,
                            void (*intent)(void *arg, void *waiter), void *arg)
{
    *claimed = NULL;
    for (int tries = 0; tries < 100; tries++) {
        uint64_t word = 0;
        struct wait_slot *slot = next_waiter(q, object, kind, &word);
        if (!slot)
            return WAIT_NOBODY;
        bool blocked = wait_state(word) == WAIT_BLOCKED;
        if (blocked)
            intent(arg, wait_waiter(word));
        if (wait_move(slot, word, blocked ? WAIT_CLAIMED : WAIT_EARLY)) {
            *claimed = blocked ? slot : NULL;
            return blocked ? WAIT_FOUND : WAIT_FOUND_EARLY;
        }
    }
    return WAIT_NOBODY;
}

void waitq_detach(struct waitq *q, const void *object, uint32_t n)
{
    for (uint32_t i = 0; i < n && waitq_maybe_waiting(q, object); i++) {
        uint64_t word = 0;
        struct wait_slot *slot = next_waiter(q, object, WAITER_ANY, &word);
        if (!slot)
            break;
        wait_move(slot, word, WAIT_EARLY);
    }
}
