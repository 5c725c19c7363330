/* Integers in decimal, eight digits at a time, for those that print many. */
#ifndef THRACE_PARSER_DECIMAL_H
#define THRACE_PARSER_DECIMAL_H

#include <stdint.h>
#include <string.h>

/* The most digits that there are, and the room that is written to: whole words. */
enum { DECIMAL_MAX = 20, DECIMAL_ROOM = 24 };

/* The digits of v, which is below 10^8, each in a byte, the first one lowest. */
static inline uint64_t decimal_digits(uint32_t v)
{
    uint64_t w = v / 10000 | (uint64_t)(v % 10000) << 32;
    uint64_t hundreds = w * 5243 >> 19 & UINT64_C(0x0000007f0000007f); /* a hundredth of each, below 10,000 */
    w = hundreds | (w - 100 * hundreds) << 16;
    uint64_t tens = w * 103 >> 10 & UINT64_C(0x000f000f000f000f); /* a tenth of each, below 100 */
    return tens | (w - 10 * tens) << 8;
}

static inline char *decimal_put_word(char *p, uint64_t digits, unsigned skip)
{
    uint64_t w = (digits | UINT64_C(0x3030303030303030)) >> 8 * skip;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    w = __builtin_bswap64(w);
#endif
    memcpy(p, &w, sizeof w);
    return p + 8 - skip;
}

/* Without leading zeros; v is below 10^8. */
static inline char *decimal_put_short(char *p, uint32_t v)
{
    uint64_t digits = decimal_digits(v);
    return decimal_put_word(p, digits, (unsigned)__builtin_ctzll(digits | UINT64_C(1) << 56) / 8);
}

/* Writes v to p, where there is DECIMAL_ROOM; returns the byte after it. */
__attribute__((always_inline)) static inline char *decimal_put(char *p, uint64_t v)
{
    const uint64_t eight = 100000000;
    if (v < 10) { /* as most procs are */
        *p = (char)('0' + v);
        return p + 1;
    }
    if (v < eight)
        return decimal_put_short(p, (uint32_t)v);
    uint64_t high = v / eight;
    if (high < eight) {
        p = decimal_put_short(p, (uint32_t)high);
    } else {
        p = decimal_put_short(p, (uint32_t)(high / eight));
        p = decimal_put_word(p, decimal_digits((uint32_t)(high % eight)), 0);
    }
    return decimal_put_word(p, decimal_digits((uint32_t)(v % eight)), 0);
}

/* The same with a sign, which takes one byte more. */
__attribute__((always_inline)) static inline char *decimal_put_signed(char *p, int64_t v)
{
    if (v < 0)
        *p++ = '-';
    return decimal_put(p, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

#endif
