/* Prints where threads waited, what for, and who ended that. */
#include "cmd/stat_waits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/export/memory_file.h"
#include "cmd/lines.h"
#include "cmd/stat_rows.h"
#include "cmd/stat_wakers.h"

enum { FEW = 4 };

static const char *text(const struct stat *s, uint32_t n) { return stat_text_of(&s->spans.texts, n); }

/* Of a row that is one of several groups all of a kind. */
static const struct stat_wait *kind_of(const struct stat *s, const struct stat_row *row)
{
    return &s->kinds.v[row->first - 1];
}

static uint64_t idle_of(const struct stat_row *row)
{
    return row->sum.total > row->need.ns ? row->sum.total - row->need.ns : 0;
}

/* ---- what is said of a row -------------------------------------------------------------------------------------- */

/* The object that most of the time was waited for, and how many there are. */
static bool put_objects(const struct stat *s, const struct stat_rows *rows, const struct stat_row *row,
                        struct lines *l)
{
    struct stat_groups objects;
    const struct stat_group *most = NULL;
    stat_groups_init(&objects, false);
    for (uint32_t i = row->first; i; i = rows->next[i - 1])
        if (s->kinds.v[i - 1].object)
            stat_groups_add(&objects, s->kinds.v[i - 1].object, rows->groups->list.v[i - 1].total);
    for (size_t i = 0; i < objects.list.n; i++)
        if (!most || objects.list.v[i].total > most->total)
            most = &objects.list.v[i];
    bool ok = !objects.failed;
    if (ok && most) {
        lines_begin(l, LINES_INDENT);
        ok = objects.list.n == 1 ? lines_put(l, "", "for %s", text(s, (uint32_t)most->key))
                                 : lines_put(l, "", "for %zu objects, most of the time for %s", objects.list.n,
                                             text(s, (uint32_t)most->key));
    }
    stat_groups_free(&objects);
    return ok;
}

/* The frames of the group with most of the time. */
static bool put_stack(const struct stat *s, const struct stat_rows *rows, const struct stat_row *row, struct lines *l)
{
    const struct stat_group *g = stat_row_main(rows, row);
    const char *stack = text(s, (uint32_t)g->key);
    bool ok = true;
    if (s->kinds.v[g->number].object && strchr(stack, '\n'))
        stack = strchr(stack, '\n') + 1;
    if (!strchr(stack, '\n'))
        return true;
    if (g->total < row->sum.total) {
        lines_begin(l, LINES_INDENT);
        ok = lines_put(l, "", "%.0f %% of the time with this stack:", 100.0 * (double)g->total / (double)row->sum.total);
    }
    lines_stack(l, stack);
    return ok;
}

static bool put_row(const struct stat *s, const struct stat_rows *rows, const struct stat_row *row,
                    const struct report *r, struct lines *l)
{
    if (!row->first)
        return fputs("others", l->out) >= 0;
    fprintf(l->out, "%s, %s", text(s, kind_of(s, row)->place), text(s, (uint32_t)(row->sum.key >> 32)));
    return put_objects(s, rows, row, l) &&
           ((r->brief && !s->spans.texts.depth) || put_stack(s, rows, row, l)) &&
           stat_put_wakers(s, rows, row, r->brief, l);
}

static bool add_text(const struct stat *s, const struct stat_rows *rows, const struct stat_row *row,
                     const struct report *r, struct table *t)
{
    char *cell = NULL;
    size_t size;
    struct lines l = {.out = memory_file(&cell, &size), .width = r->width};
    bool ok = l.out && put_row(s, rows, row, r, &l);
    ok = l.out && !fclose(l.out) && ok;
    if (ok)
        table_text(t, cell);
    table_end_row(t);
    free(cell);
    return ok;
}

static bool add_data(const struct stat *s, const struct stat_row *row, struct table *t)
{
    if (!row->first) {
        table_text(t, "others");
        table_end_row(t);
        return true;
    }
    table_text(t, text(s, (uint32_t)(row->sum.key >> 32)));
    table_none(t, "");
    stat_place(t, text(s, (uint32_t)row->sum.key));
    return stat_waker_rows(s, row, t);
}

/* ---- tables ----------------------------------------------------------------------------------------------------- */

static const struct table_column brief_columns[] = {
    {NULL, "needed"}, {NULL, "total"}, {NULL, "waits"}, {NULL, "p99"}, {NULL, "max"}, {NULL, "<where"}, {NULL, NULL}};
static const struct table_column columns[] = {
    {"needed_ns", "needed"}, {"total_ns", "total"}, {"count", "waits"}, {"p50_ns", "p50"}, {"p99_ns", "p99"},
    {"max_ns", "max"}, {"reason", NULL}, {NULL, "<where"}, {"object", NULL}, {"stack", NULL}, {"wakers", NULL},
    {NULL, NULL}};

static bool add_row(const struct stat *s, const struct stat_rows *rows, const struct stat_row *row,
                    const struct report *r, struct table *t)
{
    table_time(t, row->need.ns);
    stat_row_times(row, r, t);
    if (report_is_data(r))
        return add_data(s, row, t);
    if (!r->brief)
        table_none(t, "");
    return add_text(s, rows, row, r, t);
}

static bool is_shown(const struct stat *s, const struct stat_row *row, const struct report *r)
{
    if (!r->brief)
        return true;
    /* What a joined thread did stands in a table of its own. */
    bool joins = row->first && kind_of(s, row)->object && kind_of(s, row)->need == WAIT_NEED_END;
    return row->need.ns > row->sum.total / STAT_NOTEWORTHY && !joins;
}

/* What of the time of all rows was idle, and where most of that was. */
static bool note_idle(const struct stat *s, const struct stat_rows *rows, struct report *r)
{
    char time[TABLE_TIME_SIZE];
    struct lines l = {.out = r->out, .width = r->width};
    uint64_t idle = 0;
    size_t places = 0;
    const struct stat_row *most = NULL;
    for (size_t i = 0; i < rows->n; i++) {
        const struct stat_row *row = &rows->v[i];
        idle += idle_of(row);
        places += idle_of(row) > 0;
        if (row->first && (!most || idle_of(row) > idle_of(most)))
            most = row;
    }
    if (!idle || !most)
        return true;
    bool one = places == 1;
    if (!lines_put(&l, " ", "idle: %" PRIu64 " thread%s, %s at %zu place%s,", s->idlers, s->idlers == 1 ? "" : "s",
                   table_format_time(time, idle), places, one ? "" : "s") ||
        !lines_put(&l, "", " %s%s; --waits shows %s", one ? "" : "most of it in ", text(s, kind_of(s, most)->place),
                   one ? "it" : "them"))
        return false;
    return fputs("\n", r->out) >= 0;
}

static uint64_t place_key(const void *arg, const struct stat_group *g)
{
    const struct stat *s = arg;
    return stat_key((uint32_t)(g->key >> 32), s->kinds.v[g->number].place);
}

static uint64_t own_key(const void *arg, const struct stat_group *g)
{
    (void)arg;
    return g->key;
}

static bool print_rows(const struct stat *s, struct stat_rows *rows, struct report *r)
{
    struct table t;
    size_t most = report_rows(r, FEW), shown = 0, i = 0;
    table_init(&t, "waits", r->brief ? brief_columns : columns);
    stat_rows_sort(rows, r->brief);
    for (; i < rows->n && shown < most && !t.failed; i++) {
        if (!is_shown(s, &rows->v[i], r))
            continue;
        t.failed |= !add_row(s, rows, &rows->v[i], r, &t);
        shown++;
    }
    struct stat_row rest = stat_rows_rest(rows, i);
    if (rest.sum.count && !r->brief && !t.failed)
        t.failed |= !add_row(s, rows, &rest, r, &t);
    return report_table(r, &t, r->brief ? "Waits that held work up" : "Waits");
}

bool stat_waits(const struct stat *s, struct report *r)
{
    struct stat_rows rows;
    bool apart = report_is_data(r) || s->spans.texts.depth;
    bool ok = stat_rows_make(&rows, &s->waits, &s->needs.places, apart ? own_key : place_key, s);
    ok = ok && print_rows(s, &rows, r);
    ok = ok && (!r->brief || note_idle(s, &rows, r));
    stat_rows_free(&rows);
    return ok;
}
