#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "parser/builder_intern.h"

enum { FIRST_ROOM = 64 };

static uint64_t hash_bytes(const uint8_t *p, size_t size)
{
    uint64_t h = UINT64_C(0x9e3779b97f4a7c15) ^ size, word;
    for (; size >= sizeof word; p += sizeof word, size -= sizeof word) {
        memcpy(&word, p, sizeof word);
        h = (h ^ word) * UINT64_C(0xd6e8feb86659fd93);
        h ^= h >> 32;
    }
    word = 0;
    if (size)
        memcpy(&word, p, size);
    h = (h ^ word) * UINT64_C(0xd6e8feb86659fd93);
    return h ^ h >> 32;
}

static bool grow(struct intern *t)
{
    size_t room = t->room ? t->room * 2 : FIRST_ROOM;
    struct intern_slot *slots = calloc(room, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < t->room; i++) {
        if (!t->slots[i].id)
            continue;
        size_t j = t->slots[i].hash & (room - 1);
        while (slots[j].id)
            j = (j + 1) & (room - 1);
        slots[j] = t->slots[i];
    }
    free(t->slots);
    t->slots = slots;
    t->room = room;
    return true;
}

uint64_t intern(struct intern *t, const void *key, size_t size, bool *fresh)
{
    *fresh = false;
    if (t->used >= t->room / 2 && !grow(t))
        return 0;
    uint64_t hash = hash_bytes(key, size);
    size_t i = hash & (t->room - 1);
    for (; t->slots[i].id; i = (i + 1) & (t->room - 1)) {
        const struct intern_slot *s = &t->slots[i];
        if (s->hash == hash && s->size == size && !memcmp(t->bytes.at + s->offset, key, size))
            return s->id;
    }
    size_t offset = t->bytes.size;
    raw_buffer_add(&t->bytes, key, size);
    if (t->bytes.failed || t->next == UINT64_MAX)
        return 0;
    t->slots[i] = (struct intern_slot){.hash = hash, .id = ++t->next, .offset = offset, .size = size};
    t->used++;
    *fresh = true;
    return t->next;
}

void intern_skip(struct intern *t, uint64_t id)
{
    if (id > t->next)
        t->next = id;
}

void intern_clear(struct intern *t)
{
    if (t->used)
        memset(t->slots, 0, t->room * sizeof *t->slots);
    t->used = 0;
    t->next = 0;
    t->bytes.size = 0;
}

void intern_free(struct intern *t)
{
    free(t->slots);
    raw_buffer_free(&t->bytes);
    *t = (struct intern){0};
}
