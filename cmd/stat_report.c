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
    table_cell(t, "%.1f%%", all ? 100.0 * (double)g->total / (double)all : 0.0);
    table_cell(t, "%" PRIu64, g->count);
    table_cell(t, *reason ? "%s: %s" : "%s", state, reason);
}

static bool states(const struct stat *s, size_t rows, FILE *out)
{
    static const char *const titles[] = {"time", "share", "times", "<state: reason", NULL};
    struct table t;
    struct ranking r;
    if (!stat_rank(&r, &s->states, 0, 0, rows))
        return false;
    uint64_t all = r.rest.total;
    for (size_t i = 0; i < r.shown; i++)
        all += r.groups[i].total;
    table_init(&t, titles);
    for (size_t i = 0; i < r.shown; i++) {
        uint64_t key = r.groups[i].key;
        state_row(&t, &r.groups[i], all, stat_state_name(key >> 32), text(s, (uint32_t)key));
    }
    if (r.rest.count)
        state_row(&t, &r.rest, all, "others", "");
    free(r.groups);
    return stat_print_section("Time of all threads (goroutines)", &t, out);
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

static void wait_row(struct table *t, const struct stat_group *g, const char *reason, const char *place)
{
    table_time(t, g->total);
    table_cell(t, "%" PRIu64, g->count);
    for (unsigned percent = 50; percent < 100; percent += 49) {
        if (g->spread)
            table_time(t, stat_group_percentile(g, percent));
        else
            table_cell(t, "-");
    }
    table_time(t, g->max);
    table_cell(t, "%s", reason);
    table_cell(t, "%s", place);
}

static bool wait_of_rank(const struct stat *s, struct table *t, const struct stat_group *wait,
                         const struct stat_group *waker)
{
    char *place = NULL;
    size_t size;
    FILE *lines = open_memstream(&place, &size);
    if (lines)
        wait_place(s, wait, waker, lines);
    bool ok = lines && !fclose(lines);
    if (ok)
        wait_row(t, wait, text(s, (uint32_t)(wait->key >> 32)), place);
    free(place);
    return ok;
}

static bool waits(const struct stat *s, enum ended by, size_t rows, FILE *out)
{
    static const char *const titles[] = {"total", "count", "p50", "p99", "max", "<reason", "<where", NULL};
    static const char *const sections[] = {
        [BY_ANYBODY] = "Waits with the most time",
        [BY_A_THREAD] = "Waits that threads ended, with the most time",
        [BY_NO_THREAD] = "Waits that no thread of the trace ended, with the most time",
    };
    struct table t;
    struct ranking r;
    if (!stat_rank(&r, &s->waits, 0, 0, by == BY_ANYBODY ? rows : SIZE_MAX))
        return false;
    table_init(&t, titles);
    for (size_t i = 0, shown = 0; i < r.shown && shown < rows && !t.failed; i++) {
        const struct stat_group *waker = main_waker(s, &r.groups[i]);
        if (!is_ended(s, waker, by))
            continue;
        t.failed |= !wait_of_rank(s, &t, &r.groups[i], waker);
        shown++;
    }
    if (by == BY_ANYBODY && r.rest.count)
        wait_row(&t, &r.rest, "", "others");
    free(r.groups);
    return stat_print_section(sections[by], &t, out);
}

static void syscall_row(struct table *t, const struct stat_group *g, const char *name)
{
    table_time(t, g->total);
    table_cell(t, "%" PRIu64, g->count);
    table_time(t, g->max);
    table_cell(t, "%s", name);
}

static bool syscalls(const struct stat *s, FILE *out)
{
    static const char *const titles[] = {"total", "count", "max", "<name", NULL};
    struct table t;
    struct ranking r;
    if (!stat_rank(&r, &s->syscalls, 0, 0, s->rows))
        return false;
    table_init(&t, titles);
    for (size_t i = 0; i < r.shown; i++)
        syscall_row(&t, &r.groups[i], text(s, (uint32_t)r.groups[i].key));
    if (r.rest.count)
        syscall_row(&t, &r.rest, "others");
    free(r.groups);
    return stat_print_section("System calls", &t, out);
}

static void thread_times(struct table *t, const struct stat_thread *th)
{
    static const enum gotrace_state order[] = {GOTRACE_STATE_RUNNING, GOTRACE_STATE_WAITING, GOTRACE_STATE_RUNNABLE,
                                               GOTRACE_STATE_SYSCALL};
    for (int i = 0; i < 4; i++)
        table_time(t, th->time[order[i]]);
    table_cell(t, "%" PRIu64, th->blocks);
}

static bool threads(const struct stat *s, FILE *out)
{
    static const char *const titles[] = {"running", "waiting", "runnable", "system calls", "blocks", "id", "<name",
                                         NULL};
    struct table t;
    table_init(&t, titles);
    for (size_t i = 0; i < s->ended.n; i++) {
        const struct stat_thread *th = &s->ended.v[i];
        thread_times(&t, th);
        table_cell(&t, "%" PRIu64, th->id);
        table_cell(&t, "%s", th->name ? text(s, th->name) : "-");
    }
    if (s->nothers) {
        thread_times(&t, &s->others);
        table_cell(&t, "-");
        table_cell(&t, "%" PRIu64 " others", s->nothers);
    }
    return stat_print_section("Threads (goroutines)", &t, out);
}

bool stat_report(const struct stat *s, const char *path, FILE *out)
{
    stat_headline(&s->spans, s->version, path, out);
    return states(s, s->rows, out) && stat_locks(s, (s->rows + 1) / 2, out) && waits(s, BY_ANYBODY, s->rows, out) &&
           syscalls(s, out) && threads(s, out);
}

bool stat_report_head(const struct stat *s, const char *path, FILE *out)
{
    stat_headline(&s->spans, s->version, path, out);
    return states(s, s->rows, out) && stat_locks(s, s->rows, out) && waits(s, BY_A_THREAD, s->rows, out) &&
           waits(s, BY_NO_THREAD, s->rows < 2 ? s->rows : 2, out);
}
