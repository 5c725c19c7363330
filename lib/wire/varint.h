/*
 * Unsigned LEB128, the only integer encoding of the format: at most 10 bytes, least significant group first.
 */
#ifndef THRACE_LIB_WIRE_VARINT_H
#define THRACE_LIB_WIRE_VARINT_H

#include <stddef.h>
#include <stdint.h>

enum { VARINT_MAX = 10 };

static inline size_t varint_size(uint64_t v)
{
    return v ? ((size_t)(63 - __builtin_clzll(v)) / 7) + 1 : 1;
}

/* Writes v to p, which has room for VARINT_MAX bytes; returns the byte after it. */
static inline uint8_t *varint_put(uint8_t *p, uint64_t v)
{
    while (v >= 0x80) {
        *p++ = (uint8_t)v | 0x80;
        v >>= 7;
    }
    *p++ = (uint8_t)v;
    return p;
}

/* Writes v to p in exactly width bytes, padded with empty groups, so that a size can be filled in afterwards. */
static inline uint8_t *varint_put_padded(uint8_t *p, uint64_t v, int width)
{
    for (int i = 1; i < width; i++) {
        *p++ = (uint8_t)v | 0x80;
        v >>= 7;
    }
    *p++ = (uint8_t)v & 0x7f;
    return p;
}

/*
 * Reads one integer from [p, end) into *v. Returns the byte after it, or NULL when it is cut off by end or does not
 * fit 64 bits; *v is then unchanged.
 */
static inline const uint8_t *varint_get(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
    uint64_t sum = 0;
    for (unsigned shift = 0; p < end; shift += 7) {
        uint8_t b = *p++;
        if (shift == 63 && b > 1)
            return NULL;
        sum |= (uint64_t)(b & 0x7f) << shift;
        if (b < 0x80) {
            *v = sum;
            return p;
        }
        if (shift == 63)
            return NULL;
    }
    return NULL;
}

#endif
