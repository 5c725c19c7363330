#include "cmd/stat_wakers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/stat_parts.h"

enum { WAKERS = 3 };

static const char *text(const struct stat *s, uint32_t n) { return stat_text_of(&s->spans.texts, n); }

/* Who ended waits of the row: by thread's name and place, over all groups of the row. */
static bool collect(const struct stat *s, const struct stat_rows *rows, const struct stat_row *row,
                    struct stat_groups *by)
{
    stat_groups_init(by, false);
    for (size_t i = 0; i < s->wakers.list.n; i++) {
        const struct stat_group *g = &s->wakers.list.v[i];
        uint32_t wait = stat_waker_wait(g->key);
        if (wait < rows->groups->list.n && rows->row_of[wait] == row->sum.number)
            stat_groups_sum(by, g->key & ~STAT_WAKER_WAIT, g);
    }
    return !by->failed;
}

static bool put_waker(const struct stat *s, const struct stat_group *waker, const struct stat_row *row, struct lines *l)
{
    const char *name = text(s, stat_waker_name(waker->key)), *stack = text(s, stat_waker_stack(waker->key));
    lines_begin(l, LINES_INDENT);
    if (!lines_put(l, "", "woken %" PRIu64 " of %" PRIu64 " times by %s", waker->count, row->sum.count,
                   *name ? name : "no thread of the trace"))
        return false;
    if (!*name || !*stack)
        return true;
    if (!strchr(stack, '\n'))
        return lines_put(l, ":", "%s", stack);
    lines_stack(l, stack); /* --depth */
    return true;
}

bool stat_put_wakers(const struct stat *s, const struct stat_rows *rows, const struct stat_row *row, bool brief,
                     struct lines *l)
{
    struct stat_groups by;
    struct ranking r = {.groups = NULL};
    bool ok = collect(s, rows, row, &by) && stat_rank(&r, &by, 0, 0, WAKERS);
    bool nobody = ok && r.n == 1 && !*text(s, stat_waker_name(r.groups[0].key));
    for (size_t i = 0; ok && i < r.shown && !(brief && nobody); i++)
        ok = put_waker(s, &r.groups[i], row, l);
    if (ok && r.n > r.shown) {
        lines_begin(l, LINES_INDENT);
        ok = lines_put(l, "", "and %" PRIu64 " times by %zu more", r.rest.count, r.n - r.shown);
    }
    free(r.groups);
    stat_groups_free(&by);
    return ok;
}

bool stat_waker_rows(const struct stat *s, const struct stat_row *row, struct table *t)
{
    static const struct table_column columns[] = {
        {"total_ns", NULL}, {"count", NULL}, {"thread", NULL}, {"stack", NULL}, {NULL, NULL}};
    struct ranking r;
    struct table *wakers = table_rows(t, columns);
    if (!wakers || !stat_rank(&r, &s->wakers, STAT_WAKER_WAIT, stat_waker_key(row->first - 1, 0, 0), SIZE_MAX))
        return false;
    for (size_t i = 0; i < r.shown; i++) {
        const struct stat_group *g = &r.groups[i];
        const char *name = text(s, stat_waker_name(g->key));
        table_time(wakers, g->total);
        table_count(wakers, g->count);
        table_text(wakers, *name ? name : NULL);
        table_stack(wakers, text(s, stat_waker_stack(g->key)));
    }
    free(r.groups);
    return true;
}
