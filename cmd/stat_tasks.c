/* Prints tasks and regions as tables: of each type how long they took and where time went, then the slowest tasks. */
#include "cmd/stat_tasks.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cmd/stat_parts.h"

static const char *text(const struct tasks *t, uint32_t n) { return stat_text_of(&t->spans.texts, n); }

static const char *type_name(const struct tasks *t, uint32_t n) { return *text(t, n) ? text(t, n) : "(no name)"; }

static void share(struct table *t, uint64_t ns, uint64_t all)
{
    table_cell(t, "%.1f%%", all ? 100.0 * (double)ns / (double)all : 0.0);
}

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
    table_cell(table, "%" PRIu64, type->count);
    table_cell(table, "%" PRIu64, type->unfinished);
    for (int i = 0; i < 4; i++) {
        if (type->count)
            table_time(table, task_type_percentile(type, percents[i]));
        else
            table_cell(table, "-");
    }
    table_time(table, type->total);
    table_cell(table, "%s", type_name(t, type->text));
}

static bool types(const struct tasks *t, const char *title, const struct task_types *types,
                  const struct task_type **order, FILE *out)
{
    static const char *const titles[] = {"count", "unfinished", "p50", "p90", "p99", "max", "total", "<type", NULL};
    struct table table;
    table_init(&table, titles);
    for (size_t i = 0; i < types->list.n && i < t->rows; i++)
        type_row(t, &table, order[i]);
    bool ok = stat_print_section(title, &table, out);
    if (ok && types->list.n > t->rows)
        fprintf(out, "  and %zu more types\n", types->list.n - t->rows);
    return ok;
}

/* ---- what their threads did ------------------------------------------------------------------------------------- */

static void state_cell(const struct tasks *t, struct table *table, unsigned state, uint32_t reason)
{
    const char *why = text(t, reason);
    table_cell(table, *why ? "%s: %s" : "%s", stat_state_name(state), why);
}

/* A stack's first frame stands in the row, its others below. */
static void place_cell(struct table *table, const char *place)
{
    char *lines = NULL;
    size_t size;
    FILE *f = open_memstream(&lines, &size);
    if (f)
        stat_indent(f, place, "        ");
    if (!f || fclose(f))
        table->failed = true;
    else
        table_cell(table, "%s", lines);
    free(lines);
}

static bool work(const struct tasks *t, const struct task_type *type, FILE *out)
{
    static const char *const titles[] = {"time", "share", "times", "<state: reason", "<where", NULL};
    uint32_t number = (uint32_t)(type - t->types.list.v);
    struct table table;
    struct ranking r;
    if (!type->worked)
        return true;
    if (!stat_rank(&r, &t->work, TASK_WORK_MASK, task_work_of(number), t->rows))
        return false;
    uint64_t rest = type->worked;
    table_init(&table, titles);
    for (size_t i = 0; i < r.shown; i++) {
        const struct stat_group *g = &r.groups[i];
        rest -= g->total;
        table_time(&table, g->total);
        share(&table, g->total, type->worked);
        table_cell(&table, "%" PRIu64, g->count);
        state_cell(t, &table, task_work_state(g->key), task_work_reason(g->key));
        place_cell(&table, text(t, task_work_what(g->key)));
    }
    if (rest) {
        table_time(&table, rest);
        share(&table, rest, type->worked);
        table_cell(&table, "-");
        table_cell(&table, "others");
        table_cell(&table, "%s", "");
    }
    free(r.groups);
    char *title = NULL;
    if (asprintf(&title, "Time of the threads that worked for %s", type_name(t, type->text)) < 0) {
        table_free(&table);
        return false;
    }
    bool ok = stat_print_section(title, &table, out);
    free(title);
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

static void step_row(struct table *table, uint64_t at, uint64_t ns, uint64_t all)
{
    table_time(table, at);
    table_time(table, ns);
    share(table, ns, all);
}

static bool slow_task(const struct tasks *t, const struct task_slow *slow, FILE *out)
{
    static const char *const titles[] = {"at", "time", "share", "id", "<thread", "<state: reason", "<where", NULL};
    const struct critical_path *path = &slow->path;
    uint64_t all = (uint64_t)slow->end - (uint64_t)slow->begin;
    struct table table;
    table_init(&table, titles);
    if (path->unknown) {
        step_row(&table, 0, path->unknown, all);
        for (int i = 0; i < 4; i++)
            table_cell(&table, "%s", i == 2 ? "(not kept)" : i == 3 ? "" : "-");
    }
    for (uint32_t i = 0; i < path->nsteps; i++) {
        const struct critical_step *s = &path->steps[i];
        step_row(&table, (uint64_t)s->begin - (uint64_t)slow->begin, (uint64_t)s->end - (uint64_t)s->begin, all);
        table_cell(&table, "%" PRIu64, s->thread);
        table_cell(&table, "%s", s->name ? text(t, s->name) : "-");
        state_cell(t, &table, s->state, s->reason);
        place_cell(&table, text(t, s->what));
    }
    if (path->nothers) {
        table_cell(&table, "-");
        table_time(&table, path->others);
        share(&table, path->others, all);
        table_cell(&table, "-");
        table_cell(&table, "-");
        table_cell(&table, "%" PRIu64 " shorter stretches", path->nothers);
        table_cell(&table, "%s", "");
    }
    bool ok = !table.failed;
    if (ok) {
        slow_title(t, slow, out);
        table_print(&table, out);
    }
    table_free(&table);
    return ok;
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

bool stat_tasks(const struct tasks *t, const char *path, FILE *out)
{
    const struct task_type **tasks = in_order(&t->types), **regions = in_order(&t->regions);
    bool ok = tasks && regions;
    if (ok)
        stat_headline(&t->spans, t->version, path, out);
    if (ok && !t->types.list.n && !t->stray_ends)
        fputs("\nNo tasks\n", out);
    ok = ok && types(t, "Tasks", &t->types, tasks, out);
    if (ok && t->stray_ends)
        fprintf(out, "\nEnds of tasks that began before the trace, or had ended: %" PRIu64 "\n", t->stray_ends);
    for (size_t i = 0; ok && i < t->types.list.n && i < t->rows; i++)
        ok = work(t, tasks[i], out);
    if (ok && t->slowest.n)
        fputs("\nThe slowest tasks\n", out);
    for (size_t i = 0; ok && i < t->slowest.n; i++)
        ok = slow_task(t, &t->slowest.v[i], out);
    ok = ok && types(t, "Regions", &t->regions, regions, out);
    free(tasks);
    free(regions);
    return ok;
}
