#include "config.h"

#include "cmd/top/lasting_records.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/finish/record_cursor.h"
#include "lib/meta.h"
#include "parser/vec.h"

enum { ENOUGH_MIN = 64 };

static bool lasts(uint8_t tag)
{
    return tag == META_THREAD || tag == META_NAME || tag == META_MODULE || tag == META_HOOK;
}

bool lasting_records_keep(struct lasting_records *l, const struct spool_batch *b)
{
    struct cursor c = {b->data, b->data + b->size};
    uint8_t *kept = malloc(b->size + 1);
    size_t size = 0;
    while (kept && c.p && c.p < c.end) {
        const uint8_t *start = c.p;
        record_skip(&c);
        if (c.p && lasts(*start)) {
            memcpy(kept + size, start, (size_t)(c.p - start));
            size += (size_t)(c.p - start);
        }
    }
    if (kept && !size) {
        free(kept);
        return true;
    }
    if (!kept || !VEC_ROOM(&l->batches)) {
        free(kept);
        return false;
    }
    uint8_t *fits = realloc(kept, size);
    struct spool_batch *k = &l->batches.v[l->batches.n++];
    *k = *b;
    k->data = fits ? fits : kept;
    k->size = size;
    return true;
}

/* Which records were told by newer ones. */
struct told {
    const struct idmap *ended;
    struct idmap threads, names, hooks;
    uint64_t modules; /* the newest time of modules: all that was mapped has it */
    bool failed;      /* memory is short */
};

static bool is_new(struct told *t, struct idmap *map, uint64_t id)
{
    if (idmap_get(map, id))
        return false;
    t->failed |= !idmap_add(map, id, 1);
    return true;
}

/* Whether the record says more than newer ones, and not of a thread that has ended. */
static bool is_worth_keeping(struct told *t, struct cursor c)
{
    uint8_t tag = *c.p++;
    uint64_t first = get_int(&c);
    switch (tag) {
    case META_THREAD: return !idmap_get(t->ended, first) && is_new(t, &t->threads, first);
    case META_NAME: return !idmap_get(t->ended, first) && is_new(t, &t->names, first);
    case META_HOOK: return is_new(t, &t->hooks, first);
    default: return first == t->modules;
    }
}

static uint64_t newest_modules(const struct lasting_records *l)
{
    uint64_t newest = 0;
    for (size_t i = 0; i < l->batches.n; i++) {
        struct cursor c = {l->batches.v[i].data, l->batches.v[i].data + l->batches.v[i].size};
        while (c.p && c.p < c.end) {
            struct cursor fields = {c.p + 1, c.end};
            bool module = *c.p == META_MODULE;
            uint64_t time = module ? get_int(&fields) : 0;
            newest = time > newest ? time : newest;
            record_skip(&c);
        }
    }
    return newest;
}

static void trim_batch(struct spool_batch *b, struct told *told)
{
    uint8_t *bytes = (uint8_t *)(uintptr_t)b->data;
    struct cursor c = {b->data, b->data + b->size};
    b->size = 0;
    while (c.p && c.p < c.end) {
        const uint8_t *start = c.p;
        record_skip(&c);
        if (!c.p || !is_worth_keeping(told, (struct cursor){start, c.p}))
            continue;
        memmove(bytes + b->size, start, (size_t)(c.p - start));
        b->size += (size_t)(c.p - start);
    }
}

/* A flight recorder says most of it again in each generation. The newest come first, within a batch as well. */
bool lasting_records_trim(struct lasting_records *l, const struct idmap *ended)
{
    struct told told = {.ended = ended, .modules = newest_modules(l)};
    for (size_t i = l->batches.n; i-- > 0;)
        trim_batch(&l->batches.v[i], &told);
    size_t n = 0;
    for (size_t i = 0; i < l->batches.n; i++) {
        struct spool_batch *b = &l->batches.v[i];
        uint8_t *bytes = (uint8_t *)(uintptr_t)b->data, *fits = b->size ? realloc(bytes, b->size) : NULL;
        if (b->size) {
            b->data = fits ? fits : bytes;
            l->batches.v[n++] = *b;
        } else {
            free(bytes);
        }
    }
    l->batches.n = n;
    l->enough = 2 * n + ENOUGH_MIN;
    idmap_free(&told.threads);
    idmap_free(&told.names);
    idmap_free(&told.hooks);
    return !told.failed;
}

void lasting_records_drop(struct lasting_records *l)
{
    for (size_t i = 0; i < l->batches.n; i++)
        free((uint8_t *)(uintptr_t)l->batches.v[i].data);
    l->batches.n = 0;
}

void lasting_records_free(struct lasting_records *l)
{
    lasting_records_drop(l);
    VEC_FREE(&l->batches);
}
