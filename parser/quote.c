#include "config.h"

#include <string.h>

#include "parser/quote.h"
#include "parser/quote_print.h"
#include "parser/utf8.h"

enum { NRANGES = sizeof printable_ranges / sizeof printable_ranges[0] };

static const char escape_letters[] = "abfnrtv\\", escape_bytes[] = "\a\b\f\n\r\t\v\\";

static bool is_printable(uint32_t rune)
{
    if (rune < 0x80)
        return rune >= ' ' && rune != 0x7f;
    size_t low = 0, high = NRANGES;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (rune > printable_ranges[mid][1])
            low = mid + 1;
        else
            high = mid;
    }
    return low < NRANGES && rune >= printable_ranges[low][0];
}

/* ASCII that stands for itself between quotes. */
static bool is_plain(uint8_t c) { return c >= ' ' && c < 0x7f && c != '"' && c != '\\'; }

bool go_is_space(uint32_t rune)
{
    switch (rune) {
    case '\t' ... '\r':
    case ' ':
    case 0x85:
    case 0xa0:
    case 0x1680:
    case 0x2000 ... 0x200a:
    case 0x2028 ... 0x2029:
    case 0x202f:
    case 0x205f:
    case 0x3000:
        return true;
    }
    return false;
}

void go_quote(struct raw_buffer *out, const uint8_t *data, size_t size)
{
    raw_buffer_add(out, "\"", 1);
    for (const uint8_t *p = data, *end = data + size; p < end;) {
        const uint8_t *start = p;
        while (p < end && is_plain(*p))
            p++;
        raw_buffer_add(out, start, (size_t)(p - start));
        if (p == end)
            break;
        uint32_t rune;
        size_t n = utf8_get(p, end, &rune);
        const char *letter = n == 1 && rune ? strchr(escape_bytes, (int)rune) : NULL;
        if (!n)
            raw_buffer_printf(out, "\\x%02x", *p);
        else if (rune == '"')
            raw_buffer_add_text(out, "\\\"");
        else if (letter)
            raw_buffer_printf(out, "\\%c", escape_letters[letter - escape_bytes]);
        else if (is_printable(rune))
            raw_buffer_add(out, p, n);
        else
            raw_buffer_printf(out, rune < 0x80 ? "\\x%02x" : rune < 0x10000 ? "\\u%04x" : "\\U%08x", rune);
        p += n ? n : 1;
    }
    raw_buffer_add(out, "\"", 1);
}

static int digit_value(uint8_t c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : 99;
}

/* The value of exactly n digits, or -1. */
static int64_t digits(const uint8_t *p, const uint8_t *end, int n, int base)
{
    int64_t v = 0;
    if (end - p < n)
        return -1;
    for (int i = 0; i < n; i++) {
        int d = digit_value(p[i]);
        if (d >= base)
            return -1;
        v = v * base + d;
    }
    return v;
}

static void add_rune(struct raw_buffer *out, uint32_t rune)
{
    uint8_t *room = raw_buffer_reserve(out, UTF8_MAX);
    if (room)
        out->size += (size_t)(utf8_put(room, rune) - room);
}

/* What follows a backslash in a literal between quote characters; the byte after it, or NULL. */
static const uint8_t *unescape(struct raw_buffer *out, const uint8_t *p, const uint8_t *end, uint8_t quote)
{
    if (p == end)
        return NULL;
    uint8_t c = *p;
    const char *letter = c ? strchr(escape_letters, c) : NULL;
    if (letter || c == quote) {
        raw_buffer_add(out, letter ? &escape_bytes[letter - escape_letters] : (const char *)p, 1);
        return p + 1;
    }
    int n = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 3;
    bool octal = c >= '0' && c <= '7';
    if (n == 3 && !octal)
        return NULL;
    if (!octal)
        p++;
    int64_t v = digits(p, end, n, octal ? 8 : 16);
    if (v < 0)
        return NULL;
    if (n <= 3) {
        if (v > 0xff)
            return NULL;
        raw_buffer_add(out, &(uint8_t){(uint8_t)v}, 1);
    } else {
        if (v > RUNE_LAST || (v >= 0xd800 && v < 0xe000))
            return NULL;
        add_rune(out, (uint32_t)v);
    }
    return p + n;
}

static const uint8_t *unquote_raw(struct raw_buffer *out, const uint8_t *p, const uint8_t *end)
{
    const uint8_t *close = memchr(p, '`', (size_t)(end - p));
    if (!close)
        return NULL;
    for (; p < close; p++)
        if (*p != '\r')
            raw_buffer_add(out, p, 1);
    return close + 1;
}

const uint8_t *go_unquote(struct raw_buffer *out, const uint8_t *p, const uint8_t *end)
{
    if (p == end)
        return NULL;
    uint8_t quote = *p++;
    if (quote == '`')
        return unquote_raw(out, p, end);
    if (quote != '"' && quote != '\'')
        return NULL;
    size_t characters = 0;
    for (; p && p < end && *p != quote; characters++) {
        uint32_t rune = RUNE_REPLACEMENT;
        size_t n = utf8_get(p, end, &rune);
        if (rune == '\n')
            return NULL;
        if (rune == '\\') {
            p = unescape(out, p + 1, end, quote);
        } else {
            add_rune(out, rune);
            p += n ? n : 1;
        }
    }
    if (!p || p == end || (quote == '\'' && characters != 1))
        return NULL;
    return p + 1;
}
