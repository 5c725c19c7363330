/* UTF-8, strictly: shortest form only, no surrogates, nothing above U+10FFFF. */
#ifndef THRACE_PARSER_UTF8_H
#define THRACE_PARSER_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UTF8_MAX = 4, RUNE_REPLACEMENT = 0xfffd, RUNE_LAST = 0x10ffff };

/* It would move the cursor of a terminal, or command it. */
static inline bool rune_is_control(uint32_t rune) { return rune < 0x20 || (rune >= 0x7f && rune < 0xa0); }

/* How many bytes the first character of [p, end) takes, stored in *rune; 0 when there is none that is valid. */
static inline size_t utf8_get(const uint8_t *p, const uint8_t *end, uint32_t *rune)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (p == end)
        return 0;
    size_t n = *p < 0x80 ? 1 : *p < 0xc2 ? 0 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : *p < 0xf5 ? 4 : 0;
    if (!n || n > (size_t)(end - p))
        return 0;
    uint32_t r = n == 1 ? *p : *p & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        r = r << 6 | (p[i] & 0x3f);
    }
    if (r < least[n] || r > RUNE_LAST || (r >= 0xd800 && r < 0xe000))
        return 0;
    *rune = r;
    return n;
}

/* Writes rune to p, which has room for UTF8_MAX bytes; returns the byte after it. */
static inline uint8_t *utf8_put(uint8_t *p, uint32_t rune)
{
    if (rune < 0x80) {
        *p++ = (uint8_t)rune;
        return p;
    }
    int tail = rune < 0x800 ? 1 : rune < 0x10000 ? 2 : 3;
    *p++ = (uint8_t)((0xff00u >> (tail + 1) & 0xff) | rune >> (6 * tail));
    while (tail--)
        *p++ = (uint8_t)(0x80 | (rune >> (6 * tail) & 0x3f));
    return p;
}

/* The longest prefix of at most max bytes that does not cut a character in two. */
static inline size_t utf8_prefix(const uint8_t *p, size_t size, size_t max)
{
    if (size <= max)
        return size;
    size_t cut = max;
    for (int back = 0; back < UTF8_MAX - 1 && cut > 0 && (p[cut] & 0xc0) == 0x80; back++)
        cut--;
    /* Continuation bytes without a start are not a character: nothing to keep together. */
    return (p[cut] & 0xc0) == 0x80 || p[cut] < 0x80 ? max : cut;
}

#endif
