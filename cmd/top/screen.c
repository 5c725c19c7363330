#include "config.h"

#include "cmd/top/screen.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/report.h"
#include "cmd/stat_findings.h"
#include "cmd/stat_locks.h"
#include "cmd/stat_syscalls.h"
#include "cmd/stat_waits.h"

enum { ROWS_OF_ALL = 8, THREADS_OF_ALL = 8, MICROSECOND = 1000 };

/* --- the head ----------------------------------------------------------------------------------------------------- */

static const char *state_text(enum gotrace_state state)
{
    switch (state) {
    case GOTRACE_STATE_RUNNING: return "running";
    case GOTRACE_STATE_RUNNABLE: return "runnable";
    case GOTRACE_STATE_WAITING: return "waiting";
    case GOTRACE_STATE_SYSCALL: return "in a call";
    default: return "-";
    }
}

static void put_states(const struct window *w, FILE *out)
{
    static const enum gotrace_state states[] = {GOTRACE_STATE_RUNNING, GOTRACE_STATE_RUNNABLE, GOTRACE_STATE_SYSCALL,
                                                GOTRACE_STATE_WAITING};
    size_t n = w->threads.n, told = 0;
    fprintf(out, "%zu thread%s", n, n == 1 ? "" : "s");
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        size_t count = 0;
        for (size_t k = 0; k < n; k++)
            count += w->threads.v[k].state == states[i];
        if (count)
            fprintf(out, "%s%zu %s", told++ ? ", " : ": ", count, state_text(states[i]));
    }
}

static uint64_t count_of(const struct stat_groups *g)
{
    uint64_t n = g->others.count;
    for (size_t i = 0; i < g->list.n; i++)
        n += g->list.v[i].count;
    return n;
}

static void put_head(const struct screen *s, const struct window *w, FILE *out)
{
    double seconds = (double)(w->end - w->begin) * 1e-9;
    uint64_t elapsed = s->now->at - s->before->at;
    fprintf(out, "%s (%ld)  ", s->name, (long)s->pid);
    put_states(w, out);
    if (elapsed)
        fprintf(out, "; CPU %.0f %% of %ld",
                100.0 * (double)cpu_times_all(s->before, s->now) / (double)elapsed,
                sysconf(_SC_NPROCESSORS_ONLN));
    if (seconds <= 0)
        seconds = 1e-9;
    fprintf(out, "\nper second: %.0f wakeups, %.0f system calls, %.0f events", (double)w->wakeups / seconds,
            (double)count_of(&w->stat.syscalls) / seconds, (double)w->events / seconds);
    char heap[TABLE_BYTES_SIZE];
    if (s->counts_heap)
        fprintf(out, "; heap %s", table_format_bytes(heap, s->heap));
    if (s->lost)
        fprintf(out, "; %" PRIu64 " events lost so far", s->lost);
    if (s->visits)
        fputs("\nattached to for the while, detached from at the end", out);
    if (s->filter)
        fprintf(out, "\nonly threads that match %s", s->filter);
    fputc('\n', out);
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

struct row {
    const struct window_thread *thread;
    uint64_t cpu, since;
    bool has_cpu;
};

static int by_cpu(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->cpu != y->cpu)
        return x->cpu < y->cpu ? 1 : -1;
    return (x->thread->g > y->thread->g) - (x->thread->g < y->thread->g);
}

static int by_since(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    return x->since != y->since ? (x->since < y->since ? 1 : -1) : by_cpu(a, b);
}

static int by_name(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int order = strcmp(x->thread->name, y->thread->name);
    return order ? order : by_cpu(a, b);
}

/* A start like "worker (pool.c)" has the function only: the file is that of all threads. */
static void name_cell(struct table *t, const char *name)
{
    const char *file = strstr(name, " (");
    table_cell(t, "%.*s", file ? (int)(file - name) : (int)strlen(name), *name ? name : "-");
}

static void thread_row(const struct screen *s, const struct row *r, struct table *t)
{
    char time[TABLE_TIME_SIZE];
    uint64_t elapsed = s->now->at - s->before->at;
    if (r->has_cpu && elapsed)
        table_cell(t, "%.1f %%", 100.0 * (double)r->cpu / (double)elapsed);
    else
        table_none(t, "-");
    table_cell(t, "%s%s", r->thread->known ? "" : "> ",
               table_format_time(time, r->since / MICROSECOND * MICROSECOND));
    if (r->thread->tid == GOTRACE_NONE)
        table_none(t, "-");
    else
        table_count(t, r->thread->tid);
    name_cell(t, r->thread->name);
    table_text(t, state_text(r->thread->state));
    table_text(t, r->thread->what);
}

static bool put_threads(const struct screen *s, const struct window *w, struct report *report, size_t rows)
{
    static const struct table_column columns[] = {{NULL, "CPU"},   {NULL, "since"},  {NULL, "tid"}, {NULL, "<thread"},
                                                  {NULL, "<is"}, {NULL, "<for"}, {NULL, NULL}};
    static int (*const orders[])(const void *, const void *) = {by_cpu, by_since, by_name};
    size_t n = w->threads.n;
    struct row *v = calloc(n + 1, sizeof *v);
    struct table t;
    if (!v)
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct window_thread *th = &w->threads.v[i];
        v[i].thread = th;
        v[i].since = w->end > th->since ? (uint64_t)(w->end - th->since) : 0;
        v[i].has_cpu = s->tids_are_ours && th->tid <= INT32_MAX &&
                       cpu_times_used(s->before, s->now, (pid_t)th->tid, &v[i].cpu);
    }
    qsort(v, n, sizeof *v, orders[s->order]);
    table_init(&t, "threads", columns);
    for (size_t i = 0; i < n && i < rows; i++)
        thread_row(s, &v[i], &t);
    free(v);
    bool ok = report_table(report, &t, "Threads");
    if (ok && n > rows)
        report_note(report, "… %zu more\n", n - rows);
    return ok;
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

bool screen_put(const struct screen *s, const struct window *w, FILE *out)
{
    struct report r;
    const struct stat *stat = &w->stat;
    put_head(s, w, out);
    report_init(&r, REPORT_TEXT, out, s->rows ? s->rows : REPORT_ALL);
    r.width = s->width;
    r.color = s->color;
    r.sort = s->sort;
    switch (s->view) {
    case VIEW_LOCKS: return stat_locks_only(stat, &r);
    case VIEW_WAITS: return stat_waits(stat, &r);
    case VIEW_CALLS: return stat_syscalls(stat, &r);
    case VIEW_THREADS: return put_threads(s, w, &r, s->rows ? s->rows : SIZE_MAX);
    case VIEW_ALL: break;
    }
    r.rows = ROWS_OF_ALL;
    r.brief = r.few = true;
    return (s->filter || stat_findings(stat, &r)) && stat_locks(stat, &r) && stat_syscalls(stat, &r) &&
           put_threads(s, w, &r, THREADS_OF_ALL);
}
