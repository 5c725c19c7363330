#include "config.h"

#include "cmd/top/held_batches.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_of(const struct spool_batch *b, bool records)
{
    uint64_t h = (b->generation ^ idmap_seed()) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 32 ^ b->m) * UINT64_C(0xd6e8feb86659fd93);
    h = (h ^ h >> 32 ^ b->time) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 32 ^ records;
}

struct held_batch *held_batches_find(const struct held_batches *h, const struct spool_batch *b, bool records)
{
    uint32_t at = idmap_get(&h->of_pool, hash_of(b, records));
    struct held_batch *found = at ? &h->list.v[at - 1] : NULL;
    return found && found->records == records && found->batch.time == b->time && found->batch.m == b->m &&
                   found->batch.generation == b->generation && found->batch.size == b->size &&
                   !memcmp(found->batch.data, b->data, b->size)
               ? found
               : NULL;
}

/* The first one of several that have so much in common stays the one that is found. */
static bool index_batch(struct held_batches *h, size_t at)
{
    const struct held_batch *b = &h->list.v[at];
    uint64_t hash = hash_of(&b->batch, b->records);
    return !b->of_pool || idmap_get(&h->of_pool, hash) || idmap_add(&h->of_pool, hash, (uint32_t)at + 1);
}

bool held_batches_add(struct held_batches *h, const struct spool_batch *b, bool records, bool of_pool)
{
    if (!b->size || held_batches_find(h, b, records))
        return true;
    uint8_t *copy = malloc(b->size);
    if (!copy || !VEC_ROOM(&h->list)) {
        free(copy);
        return false;
    }
    memcpy(copy, b->data, b->size);
    struct held_batch *held = &h->list.v[h->list.n];
    *held = (struct held_batch){*b, records, of_pool};
    held->batch.data = copy;
    held->batch.order = h->list.n++;
    return index_batch(h, h->list.n - 1);
}

void held_batches_drop(struct held_batches *h, uint64_t until)
{
    size_t n = 0;
    for (size_t i = 0; i < h->list.n; i++)
        if (h->list.v[i].batch.generation <= until)
            free((uint8_t *)(uintptr_t)h->list.v[i].batch.data);
        else
            h->list.v[n++] = h->list.v[i];
    h->list.n = n;
    idmap_clear(&h->of_pool);
    for (size_t i = 0; i < n; i++)
        index_batch(h, i); /* there is room for fewer */
}

void held_batches_free(struct held_batches *h)
{
    held_batches_drop(h, UINT64_MAX);
    VEC_FREE(&h->list);
    idmap_free(&h->of_pool);
}
