/* Prints what was collected as tables: the largest first, the rest as one row. */
#include "cmd/stat_report.h"

#include <inttypes.h>
#include <string.h>

#include "cmd/stat_locks.h"
#include "cmd/stat_parts.h"

static const char *text(const struct stat *s, uint32_t n) { return stat_text_of(&s->spans.texts, n); }

/* ---- the sections ----------------------------------------------------------------------------------------------- */

static void state_row(struct table *t, const struct stat_group *g, uint64_t all, const char *state, const char *reason)
{
    table_time(t, g->total);
    table_share(t, g->total, all);
    table_count(t, g->count);
    table_cell(t, *reason ? "%s: %s" : "%s", state, reason);
    table_text(t, state);
    table_text(t, *reason ? reason : NULL);
}

static bool states(const struct stat *s, struct report *report)
{
    static const struct table_column columns[] = {
        {"total_ns", "time"}, {"share", "share"}, {"count", "times"}, {NULL, "<state: reason"}, {"state", NULL},
        {"reason", NULL}, {NULL, NULL}};
    struct table t;
    struct ranking r;
    if (!stat_rank(&r, &s->states, 0, 0, report->rows))
        return false;
    uint64_t all = r.rest.total;
    for (size_t i = 0; i < r.shown; i++)
        all += r.groups[i].total;
    table_init(&t, "states", columns);
    for (size_t i = 0; i < r.shown; i++) {
        uint64_t key = r.groups[i].key;
        state_row(&t, &r.groups[i], all, stat_state_name(key >> 32), text(s, (uint32_t)key));
    }
    if (r.rest.count)
        state_row(&t, &r.rest, all, "others", "");
    free(r.groups);
    return report_table(report, &t, "Time of all threads (goroutines)");
}

/* The waker that ended most of the wait's time, and how often any did. */
static const struct stat_group *main_waker(const struct stat *s, const struct stat_group *wait)
{
    const struct stat_group *best = NULL;
    for (size_t i = 0; i < s->wakers.list.n; i++) {
        const struct stat_group *g = &s->wakers.list.v[i];
        if (stat_waker_wait(g->key) == wait->number && (!best || stat_by_total(g, best) < 0))
            best = g;
    }
    return best;
}

/* Who ended most of the time of a kind of waits: that is where to look for a fix. */
enum ended { BY_ANYBODY, BY_A_THREAD, BY_NO_THREAD };

static bool is_ended(const struct stat *s, const struct stat_group *waker, enum ended by)
{
    bool thread = waker && *text(s, stat_waker_name(waker->key));
    return by == BY_ANYBODY || thread == (by == BY_A_THREAD);
}

static void wait_place(const struct stat *s, const struct stat_group *wait, const struct stat_group *waker, FILE *out)
{
    stat_indent(out, text(s, (uint32_t)wait->key), "        ");
    if (!waker)
        return;
    const char *name = text(s, stat_waker_name(waker->key)), *stack = text(s, stat_waker_stack(waker->key));
    fprintf(out, "\n      woken %" PRIu64 " of %" PRIu64 " times by %s", waker->count, wait->count,
            *name ? name : "no thread of the trace");
    if (*stack) {
        fputs("\n        ", out);
        stat_indent(out, stack, "        ");
    }
}

static void wait_times(struct table *t, const struct stat_group *g)
{
    table_time(t, g->total);
    table_count(t, g->count);
    for (unsigned percent = 50; percent < 100; percent += 49) {
        if (g->spread)
            table_time(t, stat_group_percentile(g, percent));
        else
            table_none(t, "-");
    }
    table_time(t, g->max);
}

static bool wait_as_text(const struct stat *s, struct table *t, const struct stat_group *wait,
                         const struct stat_group *waker)
{
    char *place = NULL;
    size_t size;
    FILE *lines = open_memstream(&place, &size);
    if (lines)
        wait_place(s, wait, waker, lines);
    bool ok = lines && !fclose(lines);
    if (ok)
        table_text(t, place);
    table_end_row(t);
    free(place);
    return ok;
}

static bool wait_as_data(const struct stat *s, struct table *t, const struct stat_group *wait)
{
    static const struct table_column columns[] = {
        {"total_ns", NULL}, {"count", NULL}, {"thread", NULL}, {"stack", NULL}, {NULL, NULL}};
    struct ranking r;
    table_none(t, "");
    stat_place(t, text(s, (uint32_t)wait->key));
    struct table *wakers = table_rows(t, columns);
    if (!wakers || !stat_rank(&r, &s->wakers, STAT_WAKER_WAIT, stat_waker_key(wait->number, 0, 0), SIZE_MAX))
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

static bool waits(const struct stat *s, enum ended by, size_t rows, struct report *report)
{
    static const struct table_column columns[] = {
        {"total_ns", "total"}, {"count", "count"}, {"p50_ns", "p50"}, {"p99_ns", "p99"}, {"max_ns", "max"},
        {"reason", "<reason"}, {NULL, "<where"}, {"object", NULL}, {"stack", NULL}, {"wakers", NULL}, {NULL, NULL}};
    static const char *const sections[] = {
        [BY_ANYBODY] = "Waits with the most time",
        [BY_A_THREAD] = "Waits that threads ended, with the most time",
        [BY_NO_THREAD] = "Waits that no thread of the trace ended, with the most time",
    };
    struct table t;
    struct ranking r;
    if (!stat_rank(&r, &s->waits, 0, 0, by == BY_ANYBODY ? rows : SIZE_MAX))
        return false;
    table_init(&t, "waits", columns);
    for (size_t i = 0, shown = 0; i < r.shown && shown < rows && !t.failed; i++) {
        const struct stat_group *wait = &r.groups[i], *waker = report_is_data(report) ? NULL : main_waker(s, wait);
        if (!is_ended(s, waker, by))
            continue;
        wait_times(&t, wait);
        table_text(&t, text(s, (uint32_t)(wait->key >> 32)));
        t.failed |= !(report_is_data(report) ? wait_as_data(s, &t, wait) : wait_as_text(s, &t, wait, waker));
        shown++;
    }
    if (by == BY_ANYBODY && r.rest.count) {
        wait_times(&t, &r.rest);
        table_text(&t, report_is_data(report) ? "others" : "");
        table_text(&t, "others");
        table_end_row(&t);
    }
    free(r.groups);
    return report_table(report, &t, sections[by]);
}

static void syscall_row(struct table *t, const struct stat_group *g, const char *name)
{
    table_time(t, g->total);
    table_count(t, g->count);
    table_time(t, g->max);
    table_text(t, name);
}

static bool syscalls(const struct stat *s, struct report *report)
{
    static const struct table_column columns[] = {
        {"total_ns", "total"}, {"count", "count"}, {"max_ns", "max"}, {"name", "<name"}, {NULL, NULL}};
    struct table t;
    struct ranking r;
    if (!stat_rank(&r, &s->syscalls, 0, 0, report->rows))
        return false;
    table_init(&t, "syscalls", columns);
    for (size_t i = 0; i < r.shown; i++)
        syscall_row(&t, &r.groups[i], text(s, (uint32_t)r.groups[i].key));
    if (r.rest.count)
        syscall_row(&t, &r.rest, "others");
    free(r.groups);
    return report_table(report, &t, "System calls");
}

static void thread_times(struct table *t, const struct stat_thread *th)
{
    static const enum gotrace_state order[] = {GOTRACE_STATE_RUNNING, GOTRACE_STATE_WAITING, GOTRACE_STATE_RUNNABLE,
                                               GOTRACE_STATE_SYSCALL};
    for (int i = 0; i < 4; i++)
        table_time(t, th->time[order[i]]);
    table_count(t, th->blocks);
}

static bool threads(const struct stat *s, struct report *r)
{
    static const struct table_column columns[] = {
        {"running_ns", "running"}, {"waiting_ns", "waiting"}, {"runnable_ns", "runnable"},
        {"syscall_ns", "system calls"}, {"blocks", "blocks"}, {"id", "id"}, {"name", "<name"}, {NULL, NULL}};
    struct table t;
    table_init(&t, "threads", columns);
    for (size_t i = 0; i < s->ended.n; i++) {
        const struct stat_thread *th = &s->ended.v[i];
        thread_times(&t, th);
        table_count(&t, th->id);
        table_text(&t, th->name ? text(s, th->name) : NULL);
    }
    if (s->nothers) {
        thread_times(&t, &s->others);
        table_none(&t, "-");
        table_cell(&t, "%" PRIu64 " others", s->nothers);
    }
    return report_table(r, &t, "Threads (goroutines)");
}

bool stat_report(const struct stat *s, const struct stat_input *in, struct report *r)
{
    stat_headline(&s->spans, s->version, in, s->ncounted, r);
    return states(s, r) && stat_locks(s, report_is_data(r) ? r->rows : (r->rows + 1) / 2, r) &&
           waits(s, BY_ANYBODY, r->rows, r) && syscalls(s, r) && threads(s, r);
}

bool stat_report_head(const struct stat *s, const struct stat_input *in, struct report *r)
{
    stat_headline(&s->spans, s->version, in, s->ncounted, r);
    return states(s, r) && stat_locks(s, r->rows, r) && waits(s, BY_A_THREAD, r->rows, r) &&
           waits(s, BY_NO_THREAD, r->rows < 2 ? r->rows : 2, r);
}
