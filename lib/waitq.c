#include "lib/waitq.h"

#include <stddef.h>

static uint64_t word_of(void *waiter, enum wait_state state) { return (uint64_t)(uintptr_t)waiter | state; }

static uint32_t first_slot(const void *object) { return waitq_home(object) * (WAITQ_SLOTS / WAITQ_HOMES); }

struct wait_slot *waitq_register(struct waitq *q, void *waiter, const void *object, enum wait_kind kind)
{
    uint32_t i = first_slot(object);
    /* Before the caller's next look at the object: a releaser that it does not see must see this. */
    __atomic_fetch_add(&q->waiting[waitq_home(object)], 1, __ATOMIC_SEQ_CST);
    for (uint32_t n = 0; n < WAITQ_SLOTS; n++, i = (i + 1) % WAITQ_SLOTS) {
        struct wait_slot *slot = &q->slots[i];
        uint64_t none = 0;
        if (!__atomic_compare_exchange_n(&slot->word, &none, word_of(waiter, WAIT_FREE), false, __ATOMIC_ACQUIRE,
                                         __ATOMIC_RELAXED))
            continue;
        slot->object = object;
        slot->kind = kind;
        slot->ticket = __atomic_fetch_add(&q->tickets, 1, __ATOMIC_RELAXED);
        __atomic_store_n(&slot->word, word_of(waiter, WAIT_REGISTERED), __ATOMIC_SEQ_CST);
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

bool wait_change(struct wait_slot *slot, void *waiter, enum wait_state from, enum wait_state to)
{
    uint64_t old = word_of(waiter, from);
    return __atomic_compare_exchange_n(&slot->word, &old, word_of(waiter, to), false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE);
}

static bool is_candidate(const struct wait_slot *slot, uint64_t word, const void *object, enum wait_kind kind)
{
    enum wait_state state = (enum wait_state)(word & WAIT_STATE_MASK);
    return (state == WAIT_REGISTERED || state == WAIT_BLOCKED) && slot->object == object &&
           (kind == WAIT_ANY || slot->kind == kind);
}

/*
 * Looks at as many taken slots, from the object's first on, as wait in its home. Slots of other homes lie among them,
 * hence a few more than that; a waiter beyond is not found and will wake itself in the trace.
 */
static struct wait_slot *oldest(struct waitq *q, const void *object, enum wait_kind kind, uint64_t *word)
{
    struct wait_slot *best = NULL;
    uint32_t left = __atomic_load_n(&q->waiting[waitq_home(object)], __ATOMIC_ACQUIRE);
    uint32_t i = first_slot(object);
    for (uint32_t n = 0; left && n < WAITQ_SLOTS / 4; n++, i = (i + 1) % WAITQ_SLOTS) {
        struct wait_slot *slot = &q->slots[i];
        uint64_t w = __atomic_load_n(&slot->word, __ATOMIC_ACQUIRE);
        if (!w)
            continue;
        if (waitq_home(slot->object) == waitq_home(object))
            left--;
        if (is_candidate(slot, w, object, kind) && (!best || slot->ticket < best->ticket)) {
            best = slot;
            *word = w;
        }
    }
    return best;
}

enum wait_found waitq_claim(struct waitq *q, const void *object, enum wait_kind kind, struct wait_slot **claimed,
                            void (*intent)(void *arg, void *waiter), void *arg)
{
    *claimed = NULL;
    for (int tries = 0; tries < 100; tries++) {
        uint64_t word = 0;
        struct wait_slot *slot = oldest(q, object, kind, &word);
        if (!slot)
            return WAIT_NOBODY;
        bool blocked = (word & WAIT_STATE_MASK) == WAIT_BLOCKED;
        void *waiter = (void *)(uintptr_t)(word & ~(uint64_t)WAIT_STATE_MASK);
        if (blocked && intent)
            intent(arg, waiter);
        if (wait_change(slot, waiter, blocked ? WAIT_BLOCKED : WAIT_REGISTERED, blocked ? WAIT_CLAIMED : WAIT_EARLY)) {
            *claimed = blocked ? slot : NULL;
            return blocked ? WAIT_FOUND : WAIT_FOUND_EARLY;
        }
    }
    return WAIT_NOBODY;
}
