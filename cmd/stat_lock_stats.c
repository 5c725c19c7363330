#include "cmd/stat_lock_stats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/export/memory_file.h"
#include "cmd/lines.h"

enum { FEW = 3, WORDS = 600 };

/* "longest in update (cache.c:12), by worker 4"; and the stack below, if it says more. False: memory is short. */
static bool put_longest(struct table *t, const struct lock_stat *l, const struct report *r)
{
    char by[WORDS] = "", in[WORDS] = "", *cell = NULL;
    size_t size;
    struct lines lines = {.out = memory_file(&cell, &size), .width = r->width};
    if (!lines.out)
        return false;
    if (*l->thread)
        snprintf(by, sizeof by, " by %s %" PRIu64, l->thread, l->by);
    if (*l->function)
        snprintf(in, sizeof in, *l->place ? " in %s (%s)%s" : " in %s%s%s", l->function, l->place, *by ? "," : "");
    fprintf(lines.out, *in || *by ? "%s\n      longest%s%s" : "%s", l->object, in, by);
    if (!r->brief && strchr(l->stack, '\n'))
        lines_stack(&lines, l->stack);
    bool ok = !fclose(lines.out);
    if (ok)
        table_text(t, cell);
    free(cell);
    return ok;
}

static void row(struct table *t, const struct lock_stat *l, const struct report *r)
{
    table_count(t, l->taken);
    table_count(t, l->contended);
    table_share(t, l->contended, l->taken);
    table_time(t, l->held);
    table_time(t, l->p50);
    table_time(t, l->p99);
    table_time(t, l->longest);
    t->failed |= !put_longest(t, l, r);
    table_text(t, l->object);
    table_text(t, *l->function ? l->function : NULL);
    table_text(t, *l->place ? l->place : NULL);
    table_text(t, *l->thread ? l->thread : NULL);
    if (*l->thread)
        table_count(t, l->by);
    else
        table_none(t, "-");
    table_stack(t, l->stack);
    table_end_row(t);
}

/* What has no row of its own, for programs. */
static void row_without_times(struct table *t, uint64_t taken, const char *name)
{
    if (!taken)
        return;
    table_count(t, taken);
    for (int column = 1; column < 8; column++)
        table_none(t, "-");
    table_text(t, name);
    table_end_row(t);
}

static void note_others(const struct lock_stats *l, size_t rows, struct report *r)
{
    char time[TABLE_TIME_SIZE];
    uint64_t held = 0;
    for (size_t i = rows; i < l->list.n; i++)
        held += l->list.v[i].held;
    if (l->list.n > rows)
        report_note(r, "  and %zu more, held for %s\n", l->list.n - rows, table_format_time(time, held));
    if (l->others)
        report_note(r, "  locks beyond the tables were taken %" PRIu64 " times\n", l->others);
    if (l->missed)
        report_note(r, "  %" PRIu64 " times a lock was taken where it could not be counted\n", l->missed);
}

bool stat_lock_stats(const struct stat *s, struct report *r)
{
    static const struct table_column columns[] = {
        {"taken", "taken"}, {"contended", "contended"}, {"contended_share", "share"}, {"held_ns", "held"},
        {"p50_ns", "p50"}, {"p99_ns", "p99"}, {"longest_ns", "longest"}, {NULL, "<lock"}, {"lock", NULL},
        {"longest_function", NULL}, {"longest_place", NULL}, {"longest_thread", NULL}, {"longest_id", NULL},
        {"longest_stack", NULL}, {NULL, NULL}};
    const struct lock_stats *l = &s->locks;
    size_t rows = report_rows(r, FEW);
    struct table t;
    table_init(&t, "lock_stats", columns);
    for (size_t i = 0; i < l->list.n && i < rows && !t.failed; i++)
        row(&t, &l->list.v[i], r);
    if (report_is_data(r)) {
        row_without_times(&t, l->others, "others");
        row_without_times(&t, l->missed, "not counted");
    }
    bool ok = report_table(r, &t, "Use of locks");
    if (ok && !report_is_data(r))
        note_others(l, rows, r);
    return ok;
}

bool stat_lock_stats_only(const struct stat *s, struct report *r)
{
    if (!s->locks.counted)
        report_note(r, "\nThe recording has not counted how locks were used (thrace record --lock-stats)\n");
    return stat_lock_stats(s, r);
}
