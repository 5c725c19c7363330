/*
 * Columns of a processed profile that are in the spill as the file has them: to write such a column is to copy it. A
 * comma stands before each value.
 */
#include <string.h>

#include "cmd/export/firefox.h"

enum { NS_PER_MS = 1000000 };

/* At most FIREFOX_TIME bytes; returns where they end. */
static char *time_digits(char *to, uint64_t ns)
{
    to = out_digits(to, ns / NS_PER_MS);
    uint64_t part = ns % NS_PER_MS;
    *to = '.';
    out_pair(to + 1, part / 10000);
    out_pair(to + 3, part / 100 % 100);
    out_pair(to + 5, part % 100);
    return to + 7;
}

void firefox_put_time(struct json *j, uint64_t ns) { json_put(j, time_digits(json_room(j), ns)); }

/* Room for a value. NULL: it fails. */
static char *value_room(struct firefox *f, struct spill_list *column)
{
    char *to = spill_room(&f->spill, column, 1 + FIREFOX_TIME);
    if (!to)
        return NULL;
    *to = ',';
    return to + 1;
}

void firefox_add_change(struct firefox *f, struct spill_list *column, uint64_t change)
{
    char *to = value_room(f, column);
    if (!to)
        return;
    if (change > INT64_MAX)
        *to++ = '-';
    spill_put(column, out_digits(to, change > INT64_MAX ? -change : change));
}

void firefox_add_time(struct firefox *f, struct spill_list *column, struct firefox_time *known, int64_t time)
{
    char *to = value_room(f, column);
    if (!known->len || known->time != time) {
        known->time = time;
        known->len = (unsigned)(time_digits(known->text, firefox_since(f, time)) - known->text);
    }
    if (to) {
        memcpy(to, known->text, FIREFOX_TIME);
        spill_put(column, to + known->len);
    }
}

struct column {
    struct json *json;
    size_t skip; /* the comma before the first value */
};

static void show(void *arg, const char *bytes, size_t n)
{
    struct column *c = arg;
    out_bytes(&c->json->out, bytes + c->skip, n - c->skip);
    c->skip = 0;
}

void firefox_put_column(struct json *j, struct firefox *f, const char *key, const struct spill_list *l)
{
    struct column c = {j, 1};
    open_named(j, key, '[');
    spill_each_piece(&f->spill, l, show, &c);
    json_close(j, ']');
}
