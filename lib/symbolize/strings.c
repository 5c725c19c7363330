#include "config.h"

#include "lib/symbolize/strings.h"

#include <stdlib.h>
#include <string.h>

bool strings_init(struct strings *p)
{
    *p = (struct strings){.cap = 1 << 12, .starts_cap = 1 << 8, .nslots = 1 << 9};
    p->bytes = malloc(p->cap);
    p->starts = malloc(p->starts_cap * sizeof *p->starts);
    p->slots = calloc(p->nslots, sizeof *p->slots);
    if (!p->bytes || !p->starts || !p->slots) {
        strings_free(p);
        p->failed = true;
        return false;
    }
    p->bytes[0] = 0;
    p->starts[0] = 0;
    p->len = p->n = 1;
    return true;
}

void strings_free(struct strings *p)
{
    free(p->bytes);
    free(p->starts);
    free(p->slots);
    *p = (struct strings){0};
}

static uint64_t hash(const char *s, size_t len)
{
    uint64_t h = len;
    for (size_t i = 0; i < len; i++)
        h = (h ^ (uint8_t)s[i]) * UINT64_C(0x100000001b3);
    return h ^ h >> 29;
}

static bool rehash(struct strings *p)
{
    size_t nslots = p->nslots * 2;
    uint32_t *slots = calloc(nslots, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 1; i < p->n; i++) {
        const char *s = p->bytes + p->starts[i];
        size_t slot = hash(s, strlen(s)) & (nslots - 1);
        while (slots[slot])
            slot = (slot + 1) & (nslots - 1);
        slots[slot] = (uint32_t)i;
    }
    free(p->slots);
    p->slots = slots;
    p->nslots = nslots;
    return true;
}

static bool make_room(struct strings *p, size_t len)
{
    if (len + 1 > p->cap - p->len) {
        size_t cap = (p->cap + len + 1) * 2;
        char *bytes = realloc(p->bytes, cap);
        if (!bytes)
            return false;
        p->bytes = bytes;
        p->cap = cap;
    }
    if (p->n == p->starts_cap) {
        size_t *starts = realloc(p->starts, p->starts_cap * 2 * sizeof *starts);
        if (!starts)
            return false;
        p->starts = starts;
        p->starts_cap *= 2;
    }
    return p->n * 2 < p->nslots || rehash(p);
}

uint32_t strings_add(struct strings *p, const char *s, size_t len)
{
    len = strnlen(s, len);
    if (!len || p->failed)
        return 0;
    if (p->n == UINT32_MAX || !make_room(p, len)) {
        p->failed = true;
        return 0;
    }
    size_t slot = hash(s, len) & (p->nslots - 1);
    for (; p->slots[slot]; slot = (slot + 1) & (p->nslots - 1)) {
        const char *t = p->bytes + p->starts[p->slots[slot]];
        if (!strncmp(t, s, len) && !t[len])
            return p->slots[slot];
    }
    memcpy(p->bytes + p->len, s, len);
    p->bytes[p->len + len] = 0;
    p->starts[p->n] = p->len;
    p->len += len + 1;
    return p->slots[slot] = (uint32_t)p->n++;
}

const char *strings_get(const struct strings *p, uint32_t number)
{
    return number < p->n ? p->bytes + p->starts[number] : "";
}
