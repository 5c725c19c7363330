/* Prints tasks and regions as tables: of each type how long they took and where time went, then the slowest tasks. */
#include "cmd/stat_tasks.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cmd/stat_parts.h"

static const char *text(const struct tasks *t, uint32_t n) { return stat_text_of(&t->spans.texts, n); }

static const char *type_name(const struct tasks *t, uint32_t n) { return *text(t, n) ? text(t, n) : "(no name)"; }

/* ---- types ------------------------------------------------------------------------------------------------------ */

static int by_total(const void *a, const void *b)
{
    const struct task_type *x = *(struct task_type *const *)a, *y = *(struct task_type *const *)b;
    if (x->total != y->total)
        return (x->total < y->total) - (x->total > y->total);
    return (x > y) - (x < y);
}

/* The types in the order of their tables' rows; the caller frees them. NULL: memory is short. */
static const struct task_type **in_order(const struct task_types *types)
{
    const struct task_type **order = malloc((types->list.n + 1) * sizeof *order);
    for (size_t i = 0; order && i < types->list.n; i++)
        order[i] = &types->list.v[i];
    if (order && types->list.n)
        qsort(order, types->list.n, sizeof *order, by_total);
    return order;
}

static void type_row(const struct tasks *t, struct table *table, const struct task_type *type)
{
    static const unsigned percents[] = {50, 90, 99, 100};
    table_count(table, type->count);
    table_count(table, type->unfinished);
    for (int i = 0; i < 4; i++) {
        if (type->count)
            table_time(table, task_type_percentile(type, percents[i]));
        else
            table_none(table, "-");
    }
    table_time(table, type->total);
    table_text(table, type_name(t, type->text));
}

static bool types(const struct tasks *t, const char *name, const char *title, const struct task_types *types,
                  const struct task_type **order, struct report *r)
{
    static const struct table_column columns[] = {
        {"count", "count"}, {"unfinished", "unfinished"}, {"p50_ns", "p50"}, {"p90_ns", "p90"}, {"p99_ns", "p99"},
        {"max_ns", "max"}, {"total_ns", "total"}, {"type", "<type"}, {NULL, NULL}};
    struct table table;
    table_init(&table, name, columns);
    for (size_t i = 0; i < types->list.n && i < r->rows; i++)
        type_row(t, &table, order[i]);
    bool ok = report_table(r, &table, title);
    if (ok && types->list.n > r->rows)
        report_note(r, "  and %zu more types\n", types->list.n - r->rows);
    return ok;
}

/* ---- what their threads did ------------------------------------------------------------------------------------- */

/* In text it is one cell. */
static void state_cells(const struct tasks *t, struct table *table, unsigned state, uint32_t reason)
{
    const char *why = text(t, reason);
    table_cell(table, *why ? "%s: %s" : "%s", stat_state_name(state), why);
    table_text(table, stat_state_name(state));
    table_text(table, *why ? why : NULL);
}

static void place_cells(struct table *table, const char *place)
{
    table_stack(table, place);
    stat_place(table, place);
}

static const struct table_column work_columns[] = {
    {"type", NULL}, {"total_ns", "time"}, {"share", "share"}, {"count", "times"}, {NULL, "<state: reason"},
    {"state", NULL}, {"reason", NULL}, {NULL, "<where"}, {"object", NULL}, {"stack", NULL}, {NULL, NULL}};

static bool work(const struct tasks *t, const struct task_type *type, struct report *report)
{
    uint32_t number = (uint32_t)(type - t->types.list.v);
    const char *name = type_name(t, type->text);
    struct table table;
    struct ranking r;
    if (!stat_rank(&r, &t->work, TASK_WORK_MASK, task_work_of(number), report->rows))
        return false;
    uint64_t rest = type->worked;
    table_init(&table, "task_work", work_columns);
    for (size_t i = 0; i < r.shown; i++) {
        const struct stat_group *g = &r.groups[i];
        rest -= g->total;
        table_text(&table, name);
        table_time(&table, g->total);
        table_share(&table, g->total, type->worked);
        table_count(&table, g->count);
        state_cells(t, &table, task_work_state(g->key), task_work_reason(g->key));
        place_cells(&table, text(t, task_work_what(g->key)));
    }
    if (rest) {
        table_text(&table, name);
        table_time(&table, rest);
        table_share(&table, rest, type->worked);
        table_none(&table, "-");
        table_cell(&table, "others");
        table_cell(&table, "others");
        table_end_row(&table);
    }
    free(r.groups);
    char *title = NULL;
    if (asprintf(&title, "Time of the threads that worked for %s", name) < 0) {
        table_free(&table);
        return false;
    }
    bool ok = report_table(report, &table, title);
    free(title);
    return ok;
}

/* Each type has a title in text. */
static bool all_work(const struct tasks *t, const struct task_type **order, struct report *r)
{
    struct table none;
    table_init(&none, "task_work", work_columns);
    bool ok = report_table(r, &none, "");
    for (size_t i = 0; ok && i < t->types.list.n && i < r->rows; i++)
        ok = work(t, order[i], r);
    return ok;
}

/* ---- the slowest ------------------------------------------------------------------------------------------------ */

static void slow_title(const struct tasks *t, const struct task_slow *slow, FILE *out)
{
    char text[6][TABLE_TIME_SIZE];
    fprintf(out,
            "\n%s, task %" PRIu64 ": %s, begun at %s\n"
            "  its threads: %s running, %s waiting, %s runnable, %s in system calls\n",
            type_name(t, slow->type), slow->id,
            table_format_time(text[0], (uint64_t)slow->end - (uint64_t)slow->begin),
            table_format_time(text[1], (uint64_t)slow->begin - (uint64_t)t->spans.begin),
            table_format_time(text[2], slow->time[GOTRACE_STATE_RUNNING]),
            table_format_time(text[3], slow->time[GOTRACE_STATE_WAITING]),
            table_format_time(text[4], slow->time[GOTRACE_STATE_RUNNABLE]),
            table_format_time(text[5], slow->time[GOTRACE_STATE_SYSCALL]));
}

static void step_times(struct table *table, uint64_t at, uint64_t ns, uint64_t all)
{
    table_time(table, at);
    table_time(table, ns);
    table_share(table, ns, all);
}

static const struct table_column step_columns[] = {
    {"at_ns", "at"}, {"total_ns", "time"}, {"share", "share"}, {"id", "id"}, {"thread", "<thread"},
    {NULL, "<state: reason"}, {"state", NULL}, {"reason", NULL}, {NULL, "<where"}, {"object", NULL}, {"stack", NULL},
    {NULL, NULL}};

static void steps(const struct tasks *t, const struct task_slow *slow, struct table *table)
{
    const struct critical_path *path = &slow->path;
    uint64_t all = (uint64_t)slow->end - (uint64_t)slow->begin;
    if (path->unknown) {
        step_times(table, 0, path->unknown, all);
        table_none(table, "-");
        table_none(table, "-");
        table_cell(table, "(not kept)");
        table_end_row(table);
    }
    for (uint32_t i = 0; i < path->nsteps; i++) {
        const struct critical_step *s = &path->steps[i];
        step_times(table, (uint64_t)s->begin - (uint64_t)slow->begin, (uint64_t)s->end - (uint64_t)s->begin, all);
        table_count(table, s->thread);
        table_text(table, s->name ? text(t, s->name) : NULL);
        state_cells(t, table, s->state, s->reason);
        place_cells(table, text(t, s->what));
    }
    if (path->nothers) {
        table_none(table, "-");
        table_time(table, path->others);
        table_share(table, path->others, all);
        table_none(table, "-");
        table_none(table, "-");
        table_cell(table, "%" PRIu64 " shorter stretches", path->nothers);
        table_text(table, "others");
        table_end_row(table);
    }
}

static bool slow_as_text(const struct tasks *t, const struct task_slow *slow, FILE *out)
{
    struct table table;
    table_init(&table, "slowest", step_columns);
    steps(t, slow, &table);
    bool ok = !table.failed;
    if (ok) {
        slow_title(t, slow, out);
        table_print(&table, out);
    }
    table_free(&table);
    return ok;
}

static bool slowest_as_text(const struct tasks *t, struct report *r)
{
    bool ok = true;
    if (t->slowest.n)
        report_title(r, "The slowest tasks");
    for (size_t i = 0; ok && i < t->slowest.n; i++)
        ok = slow_as_text(t, &t->slowest.v[i], r->out);
    return ok;
}

static bool slowest(const struct tasks *t, struct report *r)
{
    static const struct table_column columns[] = {
        {"type", NULL}, {"id", NULL}, {"begin_ns", NULL}, {"duration_ns", NULL}, {"running_ns", NULL},
        {"waiting_ns", NULL}, {"runnable_ns", NULL}, {"syscall_ns", NULL}, {"path", NULL}, {NULL, NULL}};
    struct table table;
    if (!report_is_data(r))
        return slowest_as_text(t, r);
    table_init(&table, "slowest", columns);
    for (size_t i = 0; !table.failed && i < t->slowest.n; i++) {
        const struct task_slow *slow = &t->slowest.v[i];
        table_text(&table, type_name(t, slow->type));
        table_count(&table, slow->id);
        table_time(&table, (uint64_t)slow->begin - (uint64_t)t->spans.begin);
        table_time(&table, (uint64_t)slow->end - (uint64_t)slow->begin);
        table_time(&table, slow->time[GOTRACE_STATE_RUNNING]);
        table_time(&table, slow->time[GOTRACE_STATE_WAITING]);
        table_time(&table, slow->time[GOTRACE_STATE_RUNNABLE]);
        table_time(&table, slow->time[GOTRACE_STATE_SYSCALL]);
        struct table *path = table_rows(&table, step_columns);
        if (path)
            steps(t, slow, path);
    }
    return report_table(r, &table, "");
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

bool stat_tasks(const struct tasks *t, const struct stat_input *in, struct report *r)
{
    const struct task_type **tasks = in_order(&t->types), **regions = in_order(&t->regions);
    bool ok = tasks && regions;
    if (ok && in)
        stat_headline(&t->spans, t->version, in, 0, r);
    report_end_table(r);
    if (ok && r->format == REPORT_JSON) {
        json_key(&r->json, "stray_ends");
        json_number(&r->json, t->stray_ends);
    }
    if (ok && !t->types.list.n && !t->stray_ends)
        report_note(r, "\nNo tasks\n");
    ok = ok && types(t, "tasks", "Tasks", &t->types, tasks, r);
    if (ok && t->stray_ends)
        report_note(r, "\nEnds of tasks that began before the trace, or had ended: %" PRIu64 "\n", t->stray_ends);
    ok = ok && all_work(t, tasks, r) && slowest(t, r) && types(t, "regions", "Regions", &t->regions, regions, r);
    free(tasks);
    free(regions);
    return ok;
}
