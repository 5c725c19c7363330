/*
 * Unsigned LEB128, the only integer encoding of the format: at most 10 bytes, least significant group first.
 */
#ifndef THRACE_LIB_WIRE_VARINT_H
#define THRACE_LIB_WIRE_VARINT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/*
 * Reads an integer of at most 8 bytes, of which the first is in *v already and is not the last, from p, where 8 bytes
 * can be read whatever they are. Returns the byte after it, or NULL when it is longer. For readers that are far from an
 * end and in a hurry.
 */
static inline const uint8_t *varint_more(const uint8_t *p, uint64_t *v)
{
    if (__builtin_expect(p[1] < 0x80, 1)) {
        *v = (*v & 0x7f) | (uint64_t)p[1] << 7;
        return p + 2;
    }
    if (__builtin_expect(p[2] < 0x80, 1)) {
        *v = (*v & 0x7f) | (uint64_t)(p[1] & 0x7f) << 7 | (uint64_t)p[2] << 14;
        return p + 3;
    }
    uint64_t w;
    memcpy(&w, p, sizeof w);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    w = __builtin_bswap64(w);
#endif
    uint64_t stop = ~w & UINT64_C(0x8080808080808080);
    if (__builtin_expect(!stop, 0))
        return NULL;
    w &= (stop ^ (stop - 1)) & UINT64_C(0x7f7f7f7f7f7f7f7f);
    w = (w & UINT64_C(0x007f007f007f007f)) | (w & UINT64_C(0x7f007f007f007f00)) >> 1;
    w = (w & UINT64_C(0x00003fff00003fff)) | (w & UINT64_C(0x3fff00003fff0000)) >> 2;
    *v = (w & UINT64_C(0x000000000fffffff)) | (w & UINT64_C(0x0fffffff00000000)) >> 4;
    return p + (__builtin_ctzll(stop) >> 3) + 1;
}

/*
 * Returns the byte after the 1 to 3 integers at p when they are at most 8 bytes together, else NULL. 8 bytes can be read
 * there, whatever they are.
 */
static inline const uint8_t *varint_skip(const uint8_t *p, unsigned n)
{
    uint64_t w;
    memcpy(&w, p, sizeof w);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    w = __builtin_bswap64(w);
#endif
    uint64_t last = ~w & UINT64_C(0x8080808080808080);
    if (n > 1)
        last &= last - 1;
    if (n > 2)
        last &= last - 1;
    return __builtin_expect(last != 0, 1) ? p + (__builtin_ctzll(last) >> 3) + 1 : NULL;
}

#endif
