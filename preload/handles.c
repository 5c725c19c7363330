#include "preload/handles.h"

enum { HANDLES = 1 << 14, WAYS = 4 };

static struct handle {
    uint64_t handle; /* 0: free, or being changed */
    uint64_t g;
} handles[HANDLES];

static struct handle *ways_of(uint64_t handle)
{
    return &handles[(handle * UINT64_C(0x9e3779b97f4a7c15) >> 40) % (HANDLES / WAYS) * WAYS];
}

/* Its own place, a free one, or that of the oldest thread. */
static struct handle *place_for(uint64_t handle)
{
    struct handle *way = ways_of(handle), *place = way;
    for (int i = 0; i < WAYS; i++) {
        uint64_t there = __atomic_load_n(&way[i].handle, __ATOMIC_RELAXED);
        if (there == handle)
            return &way[i];
        if (!there || (place->handle && way[i].g < place->g))
            place = &way[i];
    }
    return place;
}

void handle_remember(pthread_t handle, uint64_t g)
{
    struct handle *h = place_for((uint64_t)handle);
    if (h->handle == (uint64_t)handle && h->g > g) /* the creator is late: a later thread has the handle already */
        return;
    __atomic_store_n(&h->handle, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&h->g, g, __ATOMIC_RELEASE);
    __atomic_store_n(&h->handle, (uint64_t)handle, __ATOMIC_RELEASE);
}

uint64_t handle_goroutine(pthread_t handle)
{
    const struct handle *way = ways_of((uint64_t)handle);
    for (int i = 0; i < WAYS; i++) {
        if (__atomic_load_n(&way[i].handle, __ATOMIC_ACQUIRE) != (uint64_t)handle)
            continue;
        uint64_t g = __atomic_load_n(&way[i].g, __ATOMIC_ACQUIRE);
        if (__atomic_load_n(&way[i].handle, __ATOMIC_ACQUIRE) == (uint64_t)handle)
            return g;
    }
    return 0;
}
