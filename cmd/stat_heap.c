#include "cmd/stat_heap.h"

#include <inttypes.h>

static void add_bytes(struct table *t, uint64_t bytes)
{
    char text[TABLE_BYTES_SIZE];
    table_cell(t, "%s", table_format_bytes(text, bytes));
}

static bool data(const struct stat *s, struct report *r)
{
    static const struct table_column columns[] = {
        {"end_bytes", NULL}, {"most_bytes", NULL}, {"most_at_ns", NULL}, {"goal_bytes", NULL}, {"metrics", NULL},
        {"allocations", NULL}, {"frees", NULL}, {NULL, NULL}};
    const struct stat_heap *h = &s->heap;
    struct table t;
    table_init(&t, "heap", columns);
    table_count(&t, h->end);
    table_count(&t, h->most);
    table_time(&t, h->times ? (uint64_t)h->at - (uint64_t)s->spans.begin : 0);
    table_count(&t, h->goal);
    table_count(&t, h->times);
    table_count(&t, h->allocated);
    table_count(&t, h->freed);
    return report_table(r, &t, "");
}

bool stat_heap(const struct stat *s, struct report *r)
{
    static const struct table_column columns[] = {{NULL, "size"}, {NULL, "<heap"}, {NULL, NULL}};
    const struct stat_heap *h = &s->heap;
    char time[TABLE_TIME_SIZE];
    struct table t;
    if (report_is_data(r))
        return data(s, r);
    table_init(&t, "heap", columns);
    if (h->times) {
        add_bytes(&t, h->most);
        table_cell(&t, "in use at most, after %s",
                   table_format_time(time, (uint64_t)h->at - (uint64_t)s->spans.begin));
        add_bytes(&t, h->end);
        table_text(&t, "in use at the end");
    }
    if (h->goal) {
        add_bytes(&t, h->goal);
        table_text(&t, s->is_gos ? "the largest goal of a collection" : "anonymous memory of the process at most");
    }
    if (h->allocated || h->freed) {
        table_count(&t, h->allocated);
        table_text(&t, "allocations");
        table_count(&t, h->freed);
        table_text(&t, "frees");
    }
    if (!t.ncells)
        report_note(r, "\nThe trace does not say how much memory was in use\n");
    return report_table(r, &t, "Heap");
}
