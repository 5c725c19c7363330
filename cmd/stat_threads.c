#include "cmd/stat_threads.h"

#include <inttypes.h>
#include <string.h>

#include "cmd/stat_cpu.h"

enum { FEW = 6 };

static void add_times(const struct stat *s, const struct stat_thread *th, bool longest, struct table *t)
{
    table_time(t, th->time[GOTRACE_STATE_RUNNING]);
    if (s->cpu.samples)
        table_time(t, stat_cpu_time(s, th->samples));
    else
        table_none(t, "-");
    table_time(t, th->time[GOTRACE_STATE_WAITING]);
    table_time(t, th->idle);
    table_time(t, th->time[GOTRACE_STATE_RUNNABLE]);
    if (longest && th->delay_unknown)
        table_none(t, "-");
    else if (longest)
        table_time(t, th->delayed);
    if (longest)
        table_time(t, th->longest_queued);
    table_time(t, th->time[GOTRACE_STATE_SYSCALL]);
}

static void add_count(bool known, uint64_t n, struct table *t)
{
    if (known)
        table_count(t, n);
    else
        table_none(t, "-");
}

static void add_migrations(const struct stat *s, const struct stat_thread *th, struct table *t)
{
    add_count(s->migrations.counted, th->moved.migrations, t);
}

static void add_moves(const struct stat *s, const struct stat_thread *th, struct table *t)
{
    add_migrations(s, th, t);
    add_count(s->migrations.counted, th->moved.cpus, t);
}

/* Without samples there is nothing to be said of the CPU, and of CPUs without the kernel's word. */
static void hide_unknown(const struct stat *s, struct table_column *columns)
{
    for (struct table_column *c = columns; c->key || c->title; c++) {
        bool of_samples = c->title && !strcmp(c->title, "CPU");
        bool of_cpus = c->title && (!strcmp(c->title, "migrations") || !strcmp(c->title, "CPUs"));
        bool of_kernel = c->title && !strcmp(c->title, "longest");
        bool of_delays = c->title && !strcmp(c->title, "by kernel");
        if ((of_samples && !s->cpu.samples) || (of_cpus && !s->migrations.counted) ||
            (of_kernel && !s->migrations.by_kernel) || (of_delays && !s->migrations.delays_known))
            c->title = NULL;
    }
}

static const char *name_of(const struct stat *s, const struct stat_thread *th)
{
    return th->name ? stat_text_of(&s->spans.texts, th->name) : NULL;
}

static bool by_name(const struct stat *s, struct report *r)
{
    struct table_column columns[] = {
        {NULL, "running"}, {"cpu_ns", "CPU"}, {NULL, "waiting"}, {NULL, "idle"}, {NULL, "runnable"}, {NULL, "calls"},
        {"migrations", "migrations"}, {NULL, "<name"}, {NULL, NULL}};
    struct stat_thread rest = s->threads.other_names;
    struct table t;
    hide_unknown(s, columns);
    table_init(&t, "threads", columns);
    for (size_t i = 0; i < s->threads.names.n; i++) {
        const struct stat_thread *th = &s->threads.names.v[i];
        const char *name = name_of(s, th);
        if (i >= report_rows(r, FEW)) {
            stat_thread_sum(&rest, th);
            continue;
        }
        add_times(s, th, false, &t);
        add_migrations(s, th, &t);
        if (th->n == 1)
            table_text(&t, name ? name : "-");
        else
            table_cell(&t, "%s ×%" PRIu64, name ? name : "-", th->n);
    }
    if (rest.n) {
        add_times(s, &rest, false, &t);
        add_migrations(s, &rest, &t);
        table_cell(&t, "%" PRIu64 " others", rest.n);
    }
    return report_table(r, &t, "Threads (goroutines)");
}

static bool one_by_one(const struct stat *s, struct report *r)
{
    struct table_column columns[] = {
        {"running_ns", "running"}, {"cpu_ns", "CPU"}, {"waiting_ns", "waiting"}, {"idle_ns", "idle"},
        {"runnable_ns", "runnable"}, {"runnable_by_kernel_ns", "by kernel"}, {"runnable_max_ns", "longest"},
        {"syscall_ns", "calls"}, {"blocks", NULL},
        {"runnable_count", NULL}, {"migrations", "migrations"}, {"cpus", "CPUs"}, {"tid", "tid"}, {"id", "id"},
        {"name", "<name"}, {NULL, NULL}};
    struct table t;
    hide_unknown(s, columns);
    table_init(&t, "threads", columns);
    size_t most = report_rows(r, FEW); /* as many as are kept apart, unless all are for sorting */
    for (size_t i = 0; i < s->threads.apart.n && i < most; i++) {
        const struct stat_thread *th = &s->threads.apart.v[i];
        add_times(s, th, true, &t);
        table_count(&t, th->blocks);
        table_count(&t, th->queued);
        add_moves(s, th, &t);
        if (th->tid == GOTRACE_NONE)
            table_none(&t, "-");
        else
            table_count(&t, th->tid);
        table_count(&t, th->id);
        table_text(&t, name_of(s, th));
    }
    if (s->threads.others.n) {
        add_times(s, &s->threads.others, true, &t);
        table_count(&t, s->threads.others.blocks);
        table_count(&t, s->threads.others.queued);
        add_moves(s, &s->threads.others, &t);
        table_none(&t, "-");
        table_none(&t, "-");
        table_cell(&t, "%" PRIu64 " others", s->threads.others.n);
    }
    return report_table(r, &t, "Threads (goroutines)");
}

bool stat_threads(const struct stat *s, struct report *r)
{
    return r->brief && !report_is_data(r) ? by_name(s, r) : one_by_one(s, r);
}
