#include "config.h"

#include "cmd/finish/heap_types.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/wire/events.h"
#include "lib/wire/varint.h"

/* The experiment, and the first bytes of its batches. The info batch says that ids count HEAP_ALIGN bytes from 0 on. */
enum { ALLOC_FREE = 1, TYPES_BATCH = 0, INFO_BATCH = 1 };
enum { PAGE = 4096, HEAP_ALIGN = 8, BATCH = 32 << 10, TYPE_MAX = 5 * VARINT_MAX + 32 };

static size_t place(const struct heap_types *t, uint64_t generation, uint64_t size)
{
    size_t i = ((size ^ generation << 40) * UINT64_C(0x9e3779b97f4a7c15) >> 24) & (t->cap - 1);
    while (t->v[i].generation && (t->v[i].generation != generation || t->v[i].size != size))
        i = (i + 1) & (t->cap - 1);
    return i;
}

static bool grow(struct heap_types *t)
{
    struct heap_types larger = {.n = t->n, .cap = t->cap ? 2 * t->cap : 1024};
    if (!(larger.v = calloc(larger.cap, sizeof *larger.v)))
        return false;
    for (size_t i = 0; i < t->cap; i++)
        if (t->v[i].generation)
            larger.v[place(&larger, t->v[i].generation, t->v[i].size)] = t->v[i];
    free(t->v);
    *t = larger;
    return true;
}

bool heap_types_add(struct heap_types *t, uint64_t generation, uint64_t size)
{
    if (2 * t->n >= t->cap && !grow(t))
        return false;
    size_t i = place(t, generation, size);
    t->n += !t->v[i].generation;
    t->v[i].generation = generation;
    t->v[i].size = size;
    return true;
}

static int write_info(struct gotrace_builder *b, uint64_t time)
{
    uint8_t data[1 + 4 * VARINT_MAX], *p = data;
    *p++ = INFO_BATCH;
    p = varint_put(p, 0);
    p = varint_put(p, PAGE);
    p = varint_put(p, HEAP_ALIGN);
    p = varint_put(p, PAGE);
    return gotrace_builder_experimental(b, ALLOC_FREE, ID_NONE, time, data, (size_t)(p - data));
}

int heap_types_write(const struct heap_types *t, struct gotrace_builder *b, uint64_t generation, uint64_t time)
{
    static uint8_t data[BATCH]; /* larger than a stack should carry */
    uint8_t *p = data;
    int err = 0;
    *p++ = TYPES_BATCH;
    for (size_t i = 0; i < t->cap && !err; i++) {
        char name[32];
        if (t->v[i].generation != generation)
            continue;
        if (p == data + 1)
            err = write_info(b, time);
        if ((size_t)(data + BATCH - p) < TYPE_MAX) {
            err = gotrace_builder_experimental(b, ALLOC_FREE, ID_NONE, time, data, (size_t)(p - data));
            p = data + 1;
        }
        uint64_t size = t->v[i].size;
        int len = snprintf(name, sizeof name, "%" PRIu64 " bytes", size);
        const uint64_t fields[] = {size, 0, size, 0, (uint64_t)len}; /* id, address, size, bytes with pointers */
        for (size_t f = 0; f < sizeof fields / sizeof fields[0]; f++)
            p = varint_put(p, fields[f]);
        memcpy(p, name, (size_t)len);
        p += len;
    }
    if (p > data + 1 && !err)
        err = gotrace_builder_experimental(b, ALLOC_FREE, ID_NONE, time, data, (size_t)(p - data));
    return err;
}

void heap_types_free(struct heap_types *t) { free(t->v); }
