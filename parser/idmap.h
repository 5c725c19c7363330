/*
 * IDs of a trace to small numbers. IDs that are dense, as they mostly are, index an array; the rest go to a hash. The
 * memory is a small multiple of the number of entries, whatever the IDs are, and a seed keeps a hostile trace from
 * choosing IDs that collide.
 */
#ifndef THRACE_PARSER_IDMAP_H
#define THRACE_PARSER_IDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parser/hints.h"

struct idslot {
    uint64_t id;
    uint32_t value; /* 0: free */
};

struct idmap {
    uint32_t *dense; /* for all IDs below ndense, 0: absent */
    uint64_t ndense;
    struct idslot *slots; /* for the other IDs; nslots is a power of two, or 0 */
    size_t nslots, used;  /* used: of the slots */
    size_t count;         /* of all entries */
};

uint32_t idmap_hash_get(const struct idmap *map, uint64_t id);

/* What keeps a hostile trace from choosing IDs that collide, for tables of other kinds, too. */
uint64_t idmap_seed(void);

/* The value of id, or 0. */
static inline uint32_t idmap_get(const struct idmap *map, uint64_t id)
{
    return LIKELY(id < map->ndense) ? map->dense[id] : map->used ? idmap_hash_get(map, id) : 0;
}

/* The value will be asked for soon. */
void idmap_prefetch(const struct idmap *map, uint64_t id);

/* Sets the value, which is not 0, of an ID that is not in the map. False: out of memory. */
bool idmap_add(struct idmap *map, uint64_t id, uint32_t value);

void idmap_remove(struct idmap *map, uint64_t id);

/*
 * Removes all entries. It takes as long as adding them did: memory that they did not need, since there once were more,
 * is kept but not gone through the next time.
 */
void idmap_clear(struct idmap *map);

void idmap_free(struct idmap *map);

#endif
