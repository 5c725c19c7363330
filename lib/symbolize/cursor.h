/* Reads little-endian numbers from memory that may end anywhere: past the end every read gives 0 and sets bad. */
#ifndef THRACE_LIB_SYMBOLIZE_CURSOR_H
#define THRACE_LIB_SYMBOLIZE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
    const uint8_t *p, *end;
    bool bad;
};

static inline void cursor_skip(struct cursor *c, uint64_t n)
{
    if (n > (uint64_t)(c->end - c->p)) {
        c->bad = true;
        n = (uint64_t)(c->end - c->p);
    }
    c->p += n;
}

/* A number of at most 8 bytes. */
static inline uint64_t cursor_fixed(struct cursor *c, size_t size)
{
    uint64_t v = 0;
    if (size > (size_t)(c->end - c->p) || size > sizeof v) {
        c->bad = true;
        return 0;
    }
    switch (size) {
    case 1:
        v = *c->p;
        break;
    case 4: {
        uint32_t four;
        memcpy(&four, c->p, sizeof four);
        v = four;
        break;
    }
    default:
        memcpy(&v, c->p, size);
    }
    c->p += size;
    return v;
}

/* What does not fit 64 bits is cut off. */
static inline uint64_t cursor_uleb(struct cursor *c)
{
    uint64_t v = 0;
    for (unsigned shift = 0; c->p < c->end; shift += 7) {
        uint8_t b = *c->p++;
        if (shift < 64)
            v |= (uint64_t)(b & 0x7f) << shift;
        if (b < 0x80)
            return v;
    }
    c->bad = true;
    return 0;
}

static inline int64_t cursor_sleb(struct cursor *c)
{
    uint64_t v = 0;
    for (unsigned shift = 0; c->p < c->end; shift += 7) {
        uint8_t b = *c->p++;
        if (shift < 64)
            v |= (uint64_t)(b & 0x7f) << shift;
        if (b & 0x80)
            continue;
        if (shift + 7 < 64 && (b & 0x40))
            v |= ~UINT64_C(0) << (shift + 7);
        return (int64_t)v;
    }
    c->bad = true;
    return 0;
}

/* A string of the section that ends in it; else NULL. */
static inline const char *cursor_string(struct cursor *c)
{
    const uint8_t *nul = c->p < c->end ? memchr(c->p, 0, (size_t)(c->end - c->p)) : NULL;
    const char *s = (const char *)c->p;
    c->bad |= !nul;
    c->p = nul ? nul + 1 : c->end;
    return nul ? s : NULL;
}

#endif
