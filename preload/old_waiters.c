#include "preload/old_waiters.h"

#include "preload/attributes.h"
#include "preload/thread.h"

/* Futexes, and how many wait there. A place stays that of its futex. */
enum { PLACES = 1 << 14, LOOKS = 64 };
static struct {
    uintptr_t futex;
    uint32_t waiting;
} places[PLACES];
static uint32_t all;

/* NULL: there is none, or no room to make one. */
static uint32_t *waiting_at(uintptr_t futex, bool make)
{
    const uint32_t first = (uint32_t)((uint64_t)futex * UINT64_C(0x9e3779b97f4a7c15) >> 32);
    for (uint32_t i = 0; i < LOOKS; i++) {
        uintptr_t *place = &places[(first + i) % PLACES].futex, there = __atomic_load_n(place, __ATOMIC_RELAXED);
        if (!there && !make)
            return NULL;
        if (there == futex || (!there && __atomic_compare_exchange_n(place, &there, futex, false, __ATOMIC_RELAXED,
                                                                     __ATOMIC_RELAXED)))
            return &places[(first + i) % PLACES].waiting;
    }
    return NULL;
}

void old_waiter_comes(struct thread *t, uintptr_t futex)
{
    uint32_t *waiting = futex ? waiting_at(futex, true) : NULL;
    if (!waiting)
        return;
    __atomic_fetch_add(waiting, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&all, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&t->waits_since_before, futex, __ATOMIC_RELAXED);
}

void old_waiter_leaves(struct thread *t)
{
    const uintptr_t futex = __atomic_exchange_n(&t->waits_since_before, 0, __ATOMIC_RELAXED);
    if (!futex)
        return;
    __atomic_fetch_sub(waiting_at(futex, false), 1, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&all, 1, __ATOMIC_RELAXED);
}

static uint32_t count_at(uintptr_t futex)
{
    const uint32_t *waiting = waiting_at(futex, false);
    return waiting ? __atomic_load_n(waiting, __ATOMIC_RELAXED) : 0;
}

uint32_t futex_old_waiters(const void *futex)
{
    return unlikely(__atomic_load_n(&all, __ATOMIC_RELAXED)) ? count_at((uintptr_t)futex) : 0;
}

/* Its two groups have their futexes side by side, in one of two places by the build of glibc. */
uint32_t condition_old_waiters(const void *cond)
{
    enum { BEGIN = 32, END = 48, EACH = 4 };
    uint32_t n = 0;
    if (unlikely(__atomic_load_n(&all, __ATOMIC_RELAXED)))
        for (uintptr_t at = BEGIN; at < END; at += EACH)
            n += count_at((uintptr_t)cond + at);
    return n;
}
