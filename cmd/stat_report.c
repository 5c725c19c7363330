/* Prints what was collected as tables: the largest first, the rest as one row. */
#include "cmd/stat_report.h"

#include <stdlib.h>

#include "cmd/stat_cpu.h"
#include "cmd/stat_findings.h"
#include "cmd/stat_heap.h"
#include "cmd/stat_lock_stats.h"
#include "cmd/stat_locks.h"
#include "cmd/stat_run_queue.h"
#include "cmd/stat_syscalls.h"
#include "cmd/stat_threads.h"
#include "cmd/stat_waits.h"

enum { FEW = 8 };

static const char *text(const struct stat *s, uint32_t n) { return stat_text_of(&s->spans.texts, n); }

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
    if (!stat_rank(&r, &s->states, 0, 0, report_rows(report, FEW)))
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

static void head(const struct stat *s, const struct stat_input *in, struct report *r)
{
    stat_headline(&s->spans, s->version, in, s->ncounted, r);
    stat_cpu_line(s, r);
}

static bool first_screen(const struct stat *s, struct report *r)
{
    return stat_findings(s, r) && states(s, r) && stat_locks(s, r) && stat_lock_stats(s, r) && stat_waits(s, r) &&
           stat_syscalls(s, r) && stat_cpu(s, r) && stat_run_queue(s, r) && stat_threads(s, r) && (!report_is_data(r) || stat_heap(s, r));
}

bool stat_report(const struct stat *s, unsigned sections, const struct stat_input *in, struct report *r)
{
    static const struct {
        unsigned section;
        bool (*report)(const struct stat *s, struct report *r);
    } all[] = {{STAT_LOCKS, stat_locks_only}, {STAT_LOCK_STATS, stat_lock_stats_only},
               {STAT_WAITS, stat_waits},      {STAT_SYSCALLS, stat_syscalls},
               {STAT_CPU, stat_cpu},          {STAT_RUN_QUEUE, stat_run_queue_only},
               {STAT_THREADS, stat_threads},  {STAT_HEAP, stat_heap}};
    r->one_table = sections && sections != STAT_RUN_QUEUE && !(sections & (sections - 1)); /* in CSV */
    head(s, in, r);
    if (!sections)
        return first_screen(s, r);
    bool ok = (sections | STAT_TASKS) != STAT_ALL || states(s, r);
    for (size_t i = 0; ok && i < sizeof all / sizeof *all; i++)
        ok = !(sections & all[i].section) || all[i].report(s, r);
    return ok;
}

bool stat_report_head(const struct stat *s, const struct stat_input *in, struct report *r)
{
    head(s, in, r);
    return stat_findings(s, r) && states(s, r) && stat_locks(s, r) && stat_waits(s, r);
}
