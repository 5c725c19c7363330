#include "parser/idmap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { MIN_DENSE = 1024, MIN_SLOTS = 64 };

static uint64_t seed;

__attribute__((constructor)) static void choose_seed(void)
{
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != sizeof seed)
        seed = (uintptr_t)&seed;
}

uint64_t idmap_seed(void) { return seed; }

static size_t bucket(const struct idmap *map, uint64_t id)
{
    uint64_t h = (id ^ seed) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return (size_t)(h >> 32) & (map->nslots - 1);
}

static struct idslot *find(const struct idmap *map, uint64_t id)
{
    size_t i = bucket(map, id);
    while (map->slots[i].value && map->slots[i].id != id)
        i = (i + 1) & (map->nslots - 1);
    return &map->slots[i];
}

uint32_t idmap_hash_get(const struct idmap *map, uint64_t id)
{
    return find(map, id)->value;
}

void idmap_prefetch(const struct idmap *map, uint64_t id)
{
    if (id < map->ndense)
        __builtin_prefetch(&map->dense[id]);
    else if (map->used)
        __builtin_prefetch(&map->slots[bucket(map, id)]);
}

static void hash_remove(struct idmap *map, struct idslot *slot)
{
    size_t mask = map->nslots - 1, hole = (size_t)(slot - map->slots);
    for (size_t i = (hole + 1) & mask; map->slots[i].value; i = (i + 1) & mask) {
        /* An entry may fill the hole unless its bucket lies behind it. */
        if (((i - bucket(map, map->slots[i].id)) & mask) >= ((i - hole) & mask)) {
            map->slots[hole] = map->slots[i];
            hole = i;
        }
    }
    map->slots[hole].value = 0;
    map->used--;
}

static bool grow_slots(struct idmap *map)
{
    struct idmap bigger = *map;
    bigger.nslots = map->nslots ? 2 * map->nslots : MIN_SLOTS;
    bigger.slots = calloc(bigger.nslots, sizeof *bigger.slots);
    if (!bigger.slots)
        return false;
    for (size_t i = 0; i < map->nslots; i++)
        if (map->slots[i].value)
            *find(&bigger, map->slots[i].id) = map->slots[i];
    free(map->slots);
    *map = bigger;
    return true;
}

static bool grow_dense(struct idmap *map, uint64_t id)
{
    uint64_t n = map->ndense ? map->ndense : MIN_DENSE;
    while (n <= id)
        n *= 2;
    uint32_t *dense = realloc(map->dense, n * sizeof *dense);
    if (!dense)
        return false;
    memset(dense + map->ndense, 0, (n - map->ndense) * sizeof *dense);
    map->dense = dense;
    uint64_t old = map->ndense;
    map->ndense = n;
    if (!map->used)
        return true;
    /* What the hash has of the IDs that are dense now must move; taking it out shifts slots, so collect first. */
    for (size_t i = 0; i < map->nslots; i++)
        if (map->slots[i].value && map->slots[i].id < n)
            dense[map->slots[i].id] = map->slots[i].value;
    for (uint64_t d = old; d < n && map->used; d++)
        if (dense[d])
            hash_remove(map, find(map, d));
    return true;
}

bool idmap_add(struct idmap *map, uint64_t id, uint32_t value)
{
    if (id >= map->ndense && id / 4 < map->count + MIN_DENSE / 4 && !grow_dense(map, id))
        return false;
    if (id < map->ndense) {
        map->dense[id] = value;
    } else {
        if (2 * (map->used + 1) > map->nslots && !grow_slots(map))
            return false;
        *find(map, id) = (struct idslot){id, value};
        map->used++;
    }
    map->count++;
    return true;
}

void idmap_remove(struct idmap *map, uint64_t id)
{
    if (!idmap_get(map, id))
        return;
    if (id < map->ndense)
        map->dense[id] = 0;
    else
        hash_remove(map, find(map, id));
    map->count--;
}

void idmap_clear(struct idmap *map)
{
    if (!map->count)
        return;
    if (map->ndense)
        memset(map->dense, 0, map->ndense * sizeof *map->dense);
    if (map->used)
        memset(map->slots, 0, map->nslots * sizeof *map->slots);
    while (map->ndense > MIN_DENSE && map->ndense / 8 > map->count)
        map->ndense /= 2;
    while (map->nslots > MIN_SLOTS && map->nslots / 8 > map->used)
        map->nslots /= 2;
    map->used = map->count = 0;
}

void idmap_free(struct idmap *map)
{
    free(map->dense);
    free(map->slots);
    *map = (struct idmap){0};
}
