#include "cmd/stat_syscalls.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/lines.h"
#include "cmd/stat_rows.h"

enum { FEW = 4 };

static const char *text(const struct stat *s, uint32_t n) { return stat_text_of(&s->spans.texts, n); }

static const struct table_column brief_columns[] = {
    {NULL, "total"}, {NULL, "calls"}, {NULL, "p99"}, {NULL, "max"}, {NULL, "<where"}, {NULL, NULL}};
static const struct table_column columns[] = {
    {"total_ns", "total"}, {"count", "calls"}, {"p50_ns", "p50"}, {"p99_ns", "p99"}, {"max_ns", "max"},
    {NULL, "<where"}, {"name", NULL}, {"stack", NULL}, {NULL, NULL}};

/* The place, and below it the stack of most of the time, if that says more. */
static bool add_text(const struct stat *s, const struct stat_rows *rows, const struct stat_row *row,
                     const struct report *r, struct table *t)
{
    const char *stack = row->first ? text(s, (uint32_t)stat_row_main(rows, row)->key) : "";
    char *cell = NULL;
    size_t size;
    struct lines l = {.out = open_memstream(&cell, &size), .width = r->width};
    if (!l.out)
        return false;
    fputs(row->first ? text(s, (uint32_t)(row->sum.key >> 32)) : "others", l.out);
    if ((!r->brief || s->spans.texts.depth) && strchr(stack, '\n'))
        lines_stack(&l, stack);
    bool ok = !fclose(l.out);
    if (ok)
        table_text(t, cell);
    table_end_row(t);
    free(cell);
    return ok;
}

static bool add_row(const struct stat *s, const struct stat_rows *rows, const struct stat_row *row,
                    const struct report *r, struct table *t)
{
    stat_row_times(row, r, t);
    if (!report_is_data(r))
        return add_text(s, rows, row, r, t);
    const char *stack = row->first ? text(s, (uint32_t)row->sum.key) : "";
    table_none(t, "");
    if (row->first)
        table_cell(t, "%.*s", (int)strcspn(stack, " \n"), stack);
    else
        table_text(t, "others");
    table_stack(t, stack);
    return true;
}

static uint64_t place_key(const void *arg, const struct stat_group *g)
{
    (void)arg;
    return g->key & UINT64_MAX << 32;
}

static uint64_t own_key(const void *arg, const struct stat_group *g)
{
    (void)arg;
    return g->key;
}

bool stat_syscalls(const struct stat *s, struct report *r)
{
    struct stat_rows rows;
    struct table t;
    size_t most = report_rows(r, FEW), i = 0;
    bool apart = report_is_data(r) || s->spans.texts.depth;
    table_init(&t, "syscalls", r->brief ? brief_columns : columns);
    bool ok = stat_rows_make(&rows, &s->syscalls, NULL, apart ? own_key : place_key, NULL);
    if (ok)
        stat_rows_sort(&rows, false);
    for (; ok && i < rows.n && i < most; i++)
        ok = add_row(s, &rows, &rows.v[i], r, &t);
    struct stat_row rest = ok ? stat_rows_rest(&rows, i) : (struct stat_row){.first = 0};
    if (ok && rest.sum.count)
        ok = add_row(s, &rows, &rest, r, &t);
    t.failed |= !ok;
    stat_rows_free(&rows);
    return report_table(r, &t, "System calls");
}
