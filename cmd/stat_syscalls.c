#include "cmd/stat_syscalls.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/export/memory_file.h"
#include "cmd/lines.h"
#include "cmd/stat_rows.h"

enum { FEW = 4 };

static const char *text(const struct stat *s, uint32_t n) { return stat_text_of(&s->spans.texts, n); }

static const struct table_column brief_columns[] = {
    {NULL, "total"}, {NULL, "calls"}, {NULL, "p99"}, {NULL, "max"}, {NULL, "<where"}, {NULL, NULL}};
static const struct table_column columns[] = {
    {"total_ns", "total"}, {"count", "calls"}, {"p50_ns", "p50"}, {"p99_ns", "p99"}, {"max_ns", "max"},
    {"errors", "errors"}, {NULL, "<where"}, {"object", NULL}, {"name", NULL}, {"errnos", NULL}, {"stack", NULL},
    {NULL, NULL}};

/* ---- calls that failed ------------------------------------------------------------------------------------------ */

struct failed_calls {
    uint64_t n;
    char *errnos; /* "12 ENOENT, 3 EACCES" */
};

/* Others are all that have none of the rows before n. */
static bool is_of_row(const struct stat_rows *rows, const struct stat_row *row, size_t n, uint32_t call)
{
    uint32_t number = call < rows->groups->list.n ? rows->row_of[call] : UINT32_MAX;
    if (row->first)
        return number == row->sum.number;
    for (size_t i = 0; i < n; i++)
        if (rows->v[i].first && rows->v[i].sum.number == number)
            return false;
    return true;
}

/* The errors of the row are put together by their texts, of which a row has few. False: memory is short. */
static bool count_errors(const struct stat *s, const struct stat_rows *rows, const struct stat_row *row,
                         size_t n, struct stat_groups *by_errno)
{
    for (size_t i = 0; i < s->errors.list.n; i++) {
        const struct stat_group *g = &s->errors.list.v[i];
        if (is_of_row(rows, row, n, (uint32_t)(g->key >> 32)))
            stat_groups_sum(by_errno, (uint32_t)g->key, g);
    }
    return !by_errno->failed;
}

static int by_count(const void *a, const void *b)
{
    const struct stat_group *x = a, *y = b;
    return x->count != y->count ? (x->count < y->count) - (x->count > y->count) : (x->key > y->key) - (x->key < y->key);
}

/* Of a row behind n others, into zeros. Free errnos. False: memory is short. */
static bool find_failed(const struct stat *s, const struct stat_rows *rows, const struct stat_row *row, size_t n,
                        struct failed_calls *f)
{
    struct stat_groups by_errno;
    size_t size;
    stat_groups_init(&by_errno, false);
    FILE *out = memory_file(&f->errnos, &size);
    bool ok = out && count_errors(s, rows, row, n, &by_errno);
    if (ok && by_errno.list.n)
        qsort(by_errno.list.v, by_errno.list.n, sizeof *by_errno.list.v, by_count);
    for (size_t i = 0; ok && i < by_errno.list.n; i++) {
        const struct stat_group *g = &by_errno.list.v[i];
        f->n += g->count;
        fprintf(out, "%s%" PRIu64 " %s", i ? ", " : "", g->count, text(s, (uint32_t)g->key));
    }
    stat_groups_free(&by_errno);
    return out && !fclose(out) && ok;
}

/* Nothing is known where the trace tells of no error at all. */
static void put_failed(const struct stat *s, const struct failed_calls *f, struct table *t)
{
    if (s->errors.list.n)
        table_count(t, f->n);
    else
        table_none(t, "-");
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

/* The place, and below it what went wrong, and the stack of most of the time, if that says more. */
static bool add_text(const struct stat *s, const struct stat_rows *rows, const struct stat_row *row,
                     const struct failed_calls *failed, const struct report *r, struct table *t)
{
    const char *stack = row->first ? text(s, (uint32_t)stat_row_main(rows, row)->key) : "";
    char *cell = NULL;
    size_t size;
    struct lines l = {.out = memory_file(&cell, &size), .width = r->width};
    if (!l.out)
        return false;
    fputs(row->first ? text(s, (uint32_t)(row->sum.key >> 32)) : "others", l.out);
    if (failed->n) {
        lines_begin(&l, LINES_INDENT);
        lines_words(&l, "failed: ");
        lines_words(&l, failed->errnos);
    }
    if ((!r->brief || s->spans.texts.depth) && strchr(stack, '\n'))
        lines_stack(&l, stack);
    bool ok = !fclose(l.out);
    if (ok)
        table_text(t, cell);
    table_end_row(t);
    free(cell);
    return ok;
}

static void add_data(const struct stat *s, const struct stat_row *row, const struct failed_calls *failed,
                     struct table *t)
{
    table_none(t, "");
    if (!row->first) {
        table_none(t, "");
        table_text(t, "others");
        table_text(t, failed->n ? failed->errnos : NULL);
        table_stack(t, "");
        return;
    }
    const struct stat_call *call = &s->calls.v[row->first - 1];
    const char *stack = text(s, (uint32_t)row->sum.key);
    size_t object = call->on_object ? strcspn(stack, "\n") : 0;
    if (object)
        table_cell(t, "%.*s", (int)object, stack);
    else
        table_none(t, "");
    table_text(t, text(s, call->function));
    table_text(t, failed->n ? failed->errnos : NULL);
    table_stack(t, stack + object + (object && stack[object]));
}

static bool add_row(const struct stat *s, const struct stat_rows *rows, const struct stat_row *row, size_t n,
                    const struct report *r, struct table *t)
{
    struct failed_calls failed = {0};
    bool ok = r->brief || find_failed(s, rows, row, n, &failed);
    stat_row_times(row, r, t);
    if (!r->brief)
        put_failed(s, &failed, t);
    if (ok && report_is_data(r))
        add_data(s, row, &failed, t);
    else if (ok)
        ok = add_text(s, rows, row, &failed, r, t);
    free(failed.errnos);
    return ok;
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
        ok = add_row(s, &rows, &rows.v[i], i, r, &t);
    struct stat_row rest = ok ? stat_rows_rest(&rows, i) : (struct stat_row){.first = 0};
    if (ok && rest.sum.count)
        ok = add_row(s, &rows, &rest, i, r, &t);
    t.failed |= !ok;
    stat_rows_free(&rows);
    return report_table(r, &t, "System calls");
}
