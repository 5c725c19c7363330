/* Columns of a processed profile that are pairs of numbers in the spill, and become texts when they are written. */
#include <string.h>

#include "cmd/export/firefox.h"
#include "lib/meta.h"
#include "lib/wire/varint.h"

enum { NS_PER_MS = 1000000 };

/* At most FIREFOX_TIME bytes; returns where they end. */
static inline char *put_time(struct firefox_clock *c, char *to, uint64_t ns)
{
    uint64_t ms = ns / NS_PER_MS, part = ns % NS_PER_MS;
    if (ms != c->ms || !c->len) {
        c->ms = ms;
        c->len = (unsigned)(out_digits(c->digits, ms) - c->digits);
    }
    memcpy(to, c->digits, sizeof c->digits);
    to += c->len;
    *to = '.';
    out_pair(to + 1, part / 10000);
    out_pair(to + 3, part / 100 % 100);
    out_pair(to + 5, part % 100);
    return to + 7;
}

void firefox_put_time(struct json *j, uint64_t ns)
{
    struct firefox_clock clock = {.len = 0};
    json_put(j, put_time(&clock, json_room(j), ns));
}

void firefox_add_pair(struct firefox *f, struct spill_list *l, uint64_t first, uint64_t second)
{
    char *to = spill_room(&f->spill, l, 2 * VARINT_MAX);
    if (!to)
        return;
    spill_put(l, (char *)varint_put(varint_put((uint8_t *)to, first), second));
    l->n++;
}

struct column {
    struct out *out;
    enum firefox_column is;
    struct firefox_clock clock;
    uint64_t at;  /* the time */
    bool follows; /* a value stands before */
};

/* Most are below 128. */
static inline const uint8_t *get(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
    if (p < end && *p < 0x80) {
        *v = *p;
        return p + 1;
    }
    return varint_get(p, end, v);
}

static inline char *put_change(char *to, uint64_t change)
{
    if (change > INT64_MAX)
        *to++ = '-';
    return out_digits(to, change > INT64_MAX ? -change : change);
}

/* The compiler makes one of these for each column. */
static inline __attribute__((always_inline)) void show_as(struct column *c, const uint8_t *p, const uint8_t *end,
                                                          enum firefox_column is)
{
    uint64_t first, second, at = c->at;
    while (p < end && (p = get(p, end, &first)) && (p = get(p, end, &second))) {
        char *to = out_room(c->out);
        *to = ',';
        to += c->follows;
        c->follows = true;
        at += (uint64_t)zigzag_decode(first);
        if (is == FIREFOX_CHANGE)
            to = put_change(to, (uint64_t)zigzag_decode(second));
        else
            to = put_time(&c->clock, to, is == FIREFOX_END ? at + second : at);
        if (is == FIREFOX_BEGIN || is == FIREFOX_END)
            at += second;
        out_end(c->out, to);
    }
    c->at = at;
}

static void show(void *arg, const char *bytes, size_t n)
{
    struct column *c = arg;
    const uint8_t *p = (const uint8_t *)bytes, *end = p + n;
    switch (c->is) {
    case FIREFOX_BEGIN: show_as(c, p, end, FIREFOX_BEGIN); break;
    case FIREFOX_END: show_as(c, p, end, FIREFOX_END); break;
    case FIREFOX_COUNTED: show_as(c, p, end, FIREFOX_COUNTED); break;
    case FIREFOX_CHANGE: show_as(c, p, end, FIREFOX_CHANGE); break;
    }
}

void firefox_put_column(struct json *j, struct firefox *f, const char *key, const struct spill_list *l,
                        enum firefox_column column)
{
    struct column c = {.out = &j->out, .is = column};
    open_named(j, key, '[');
    spill_each_piece(&f->spill, l, show, &c);
    json_close(j, ']');
}
