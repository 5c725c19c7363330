#include "parser/goquote.h"

#include <string.h>

/*
 * The code points from 0x80 on that Go prints as they are: Unicode 15's letters, marks, numbers, punctuation and
 * symbols.
 */
static const struct {
    uint32_t first, last;
} printable[] = {
#include "parser/printable.def"
};

enum { RUNE_BAD = -1 };

char *out_room(struct out *o, size_t n)
{
    if (n > o->cap - o->n) {
        size_t cap = 2 * o->cap + n + 256;
        char *v = realloc(o->v, cap);
        if (!v) {
            o->failed = true;
            return NULL;
        }
        o->v = v;
        o->cap = cap;
    }
    return o->v + o->n;
}

void out_bytes(struct out *o, const char *s, size_t n)
{
    char *p = n ? out_room(o, n) : NULL;
    if (p) {
        memcpy(p, s, n);
        o->n += n;
    }
}

void out_str(struct out *o, const char *s)
{
    out_bytes(o, s, strlen(s));
}

static void out_base(struct out *o, uint64_t v, unsigned base)
{
    char digits[20], *p = digits + sizeof digits;
    do
        *--p = "0123456789abcdef"[v % base];
    while (v /= base);
    out_bytes(o, p, (size_t)(digits + sizeof digits - p));
}

void out_u64(struct out *o, uint64_t v)
{
    out_base(o, v, 10);
}

void out_i64(struct out *o, int64_t v)
{
    if (v < 0)
        out_str(o, "-");
    out_base(o, v < 0 ? -(uint64_t)v : (uint64_t)v, 10);
}

void out_hex(struct out *o, uint64_t v)
{
    out_base(o, v, 16);
}

static bool is_printable(uint32_t rune)
{
    size_t lo = 0, hi = sizeof printable / sizeof printable[0];
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (rune > printable[mid].last)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < sizeof printable / sizeof printable[0] && rune >= printable[lo].first;
}

/* The code point at p and its length; RUNE_BAD, of one byte, if it is not valid UTF-8. */
static int32_t rune_at(const unsigned char *p, size_t left, size_t *len)
{
    static const struct {
        unsigned char mask, lead;
        uint32_t min;
    } forms[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    *len = 1;
    for (size_t extra = 0; extra < 4; extra++) {
        if ((*p & forms[extra].mask) != forms[extra].lead)
            continue;
        uint32_t rune = *p & (unsigned char)~forms[extra].mask;
        if (left <= extra)
            return RUNE_BAD;
        for (size_t i = 1; i <= extra; i++) {
            if ((p[i] & 0xc0) != 0x80)
                return RUNE_BAD;
            rune = rune << 6 | (p[i] & 0x3f);
        }
        if (rune < forms[extra].min || rune > 0x10ffff || (rune >= 0xd800 && rune <= 0xdfff))
            return RUNE_BAD;
        *len = extra + 1;
        return (int32_t)rune;
    }
    return RUNE_BAD;
}

static void escape(struct out *o, const char *prefix, uint32_t v, int digits)
{
    out_str(o, prefix);
    for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
        out_bytes(o, &"0123456789abcdef"[v >> shift & 15], 1);
}

static void quote_rune(struct out *o, const unsigned char *p, int32_t rune, size_t len)
{
    static const char named[] = "\a\b\f\n\r\t\v\\\"", names[] = "abfnrtv\\\"";
    const char *name = rune > 0 && rune < 0x80 ? strchr(named, rune) : NULL;
    if (name) {
        out_bytes(o, "\\", 1);
        out_bytes(o, &names[name - named], 1);
    } else if (rune == RUNE_BAD) {
        escape(o, "\\x", *p, 2);
    } else if ((rune >= ' ' && rune < 0x7f) || (rune >= 0x80 && is_printable((uint32_t)rune))) {
        out_bytes(o, (const char *)p, len);
    } else if (rune < 0x80) {
        escape(o, "\\x", (uint32_t)rune, 2);
    } else if (rune < 0x10000) {
        escape(o, "\\u", (uint32_t)rune, 4);
    } else {
        escape(o, "\\U", (uint32_t)rune, 8);
    }
}

void out_quoted(struct out *o, struct gotrace_str s)
{
    const unsigned char *p = (const unsigned char *)s.data, *end = p + s.len;
    out_bytes(o, "\"", 1);
    while (p < end) {
        const unsigned char *plain = p;
        while (p < end && *p >= ' ' && *p < 0x7f && *p != '"' && *p != '\\')
            p++;
        out_bytes(o, (const char *)plain, (size_t)(p - plain));
        if (p == end)
            break;
        size_t len;
        int32_t rune = rune_at(p, (size_t)(end - p), &len);
        quote_rune(o, p, rune, len);
        p += len;
    }
    out_bytes(o, "\"", 1);
}
