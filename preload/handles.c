#include "preload/handles.h"

#include <stdbool.h>

enum { SETS = 1 << 12, WAYS = 4 };

static struct set {
    uint32_t busy; /* somebody changes one of them */
    struct handle {
        uint64_t handle; /* 0: free, or being changed */
        uint64_t g;
    } ways[WAYS];
} sets[SETS];

static struct set *set_of(uint64_t handle) { return &sets[(handle * UINT64_C(0x9e3779b97f4a7c15) >> 40) % SETS]; }

/* False: it is not to be had. Nobody waits for long: a handler may have come in the middle of it, or left it so. */
static bool begin(struct set *s)
{
    enum { TRIES = 100 };
    for (int i = 0; i < TRIES; i++)
        if (!__atomic_exchange_n(&s->busy, 1, __ATOMIC_ACQUIRE))
            return true;
    return false;
}

/* Its own place, a free one, or that of the oldest thread. */
static struct handle *place_for(struct set *s, uint64_t handle)
{
    struct handle *place = s->ways;
    for (struct handle *way = s->ways; way < s->ways + WAYS; way++) {
        if (way->handle == handle)
            return way;
        if (!way->handle || (place->handle && way->g < place->g))
            place = way;
    }
    return place;
}

/* Who had the handle before is not to be taken for who has it now. */
static void forget(struct set *s, uint64_t handle)
{
    for (struct handle *way = s->ways; way < s->ways + WAYS; way++) {
        uint64_t there = handle;
        __atomic_compare_exchange_n(&way->handle, &there, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
}

/* Both the thread and who made it do. */
void handle_remember(pthread_t handle, uint64_t g)
{
    struct set *s = set_of((uint64_t)handle);
    if (!begin(s)) {
        forget(s, (uint64_t)handle);
        return;
    }
    struct handle *h = place_for(s, (uint64_t)handle);
    if (h->handle != (uint64_t)handle || h->g < g) { /* else the creator is late: a later thread has the handle */
        __atomic_store_n(&h->handle, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&h->g, g, __ATOMIC_RELEASE);
        __atomic_store_n(&h->handle, (uint64_t)handle, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&s->busy, 0, __ATOMIC_RELEASE);
}

/* What changes meanwhile is not taken: another handle's goroutine may have been there in between. */
uint64_t handle_goroutine(pthread_t handle)
{
    const struct set *s = set_of((uint64_t)handle);
    for (const struct handle *way = s->ways; way < s->ways + WAYS; way++) {
        if (__atomic_load_n(&way->handle, __ATOMIC_ACQUIRE) != (uint64_t)handle)
            continue;
        uint64_t g = __atomic_load_n(&way->g, __ATOMIC_ACQUIRE);
        if (__atomic_load_n(&way->handle, __ATOMIC_ACQUIRE) == (uint64_t)handle &&
            __atomic_load_n(&way->g, __ATOMIC_RELAXED) == g)
            return g;
    }
    return 0;
}
