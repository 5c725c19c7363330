/* Counters of a processed profile: a row for each value, which says how much it differs from the one before. */
#include <string.h>

#include "cmd/export/firefox.h"

static void put_display(struct json *j, const char *name, bool is_bytes)
{
    enum { BEHIND_OTHERS = 50 };
    open_named(j, "display", '{');
    put_text(j, "graphType", "line-accumulated");
    put_text(j, "unit", is_bytes ? "bytes" : "");
    put_text(j, "color", is_bytes ? "orange" : "blue");
    json_key(j, "markerSchemaLocation");
    json_null(j);
    put_number(j, "sortWeight", BEHIND_OTHERS);
    put_text(j, "label", name);
    open_named(j, "tooltipRows", '[');
    json_open(j, '{');
    put_text(j, "type", "value");
    put_text(j, "source", "accumulated");
    open_named(j, "format", '{');
    put_text(j, "unit", is_bytes ? "bytes" : "number");
    json_close(j, '}');
    put_text(j, "label", "more than its least");
    json_close(j, '}');
    json_close(j, ']');
    json_close(j, '}');
}

static void put_counter(struct json *j, struct firefox *f, unsigned counter, uint64_t main)
{
    const char *name = f->counters[counter].name, *unit = strrchr(name, ':');
    const struct firefox_counter *c = &f->counters[counter];
    bool is_bytes = unit && !strcmp(unit, ":bytes");
    json_open(j, '{');
    put_text(j, "name", name);
    put_text(j, "category", is_bytes ? "Memory" : "Other");
    put_text(j, "description", name);
    firefox_put_pid(j, f);
    put_number(j, "mainThreadIndex", main);
    open_named(j, "samples", '{');
    put_number(j, "length", c->changes.n);
    firefox_put_column(j, f, "time", &c->changes, FIREFOX_COUNTED);
    firefox_put_column(j, f, "count", &c->changes, FIREFOX_CHANGE);
    json_close(j, '}');
    put_display(j, name, is_bytes);
    json_close(j, '}');
}

void firefox_put_counters(struct json *j, struct firefox *f)
{
    uint64_t main = 0, shown = 0;
    for (size_t i = 1; i < f->threads.n; i++) {
        if (firefox_is_shown(f, i) && f->threads.v[i].goroutine == 1)
            main = shown;
        shown += firefox_is_shown(f, i);
    }
    open_named(j, "counters", '[');
    for (unsigned i = 0; i < sizeof f->counters / sizeof f->counters[0]; i++)
        if (f->counters[i].changes.n)
            put_counter(j, f, i, main);
    json_close(j, ']');
}
