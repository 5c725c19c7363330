/* Prints a critical path: what it adds up to, in tables, and its longest stretches. */
#include "cmd/critical_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/critical_parts.h"
#include "cmd/export/memory_file.h"
#include "cmd/terminal.h"

static const char *text(const struct critical_parts *r, uint32_t n) { return stat_text_of(&r->c->spans.texts, n); }

/* ---- rows ------------------------------------------------------------------------------------------------------- */

static void times(const struct critical_parts *r, struct table *t, uint64_t ns)
{
    table_time(t, ns);
    table_share(t, ns, r->sums.total);
}

/* What was done: a wait says for what, if it is known. Of a stack the first frame stands in the row, others below. */
struct deed {
    uint32_t object, reason, what; /* texts */
    bool until;                    /* it ran until then */
};

static bool has_object(const struct deed *d) { return d->object && d->object != d->reason; }

/* For people; after: more lines. */
static void deed_cell(const struct critical_parts *r, struct table *table, const struct deed *d, const char *after)
{
    char *lines = NULL;
    size_t size;
    FILE *f = memory_file(&lines, &size);
    if (f) {
        bool object = has_object(d), place = *text(r, d->what);
        fprintf(f, "%s%s%s", d->until ? "until " : "", object ? text(r, d->object) : "", object && place ? " in " : "");
        stat_indent(f, text(r, d->what), "        ");
        fputs(after, f);
    }
    if (!f || fclose(f))
        table->failed = true;
    else
        table_text(table, lines);
    free(lines);
}

static void known_text(struct table *t, const char *text) { table_text(t, *text ? text : NULL); }

/* For programs: what was waited for, and the function that did it, its innermost frame. */
static void deed_data(const struct critical_parts *r, struct table *table, const struct deed *d)
{
    const char *what = text(r, d->what);
    table_text(table, has_object(d) ? text(r, d->object) : NULL);
    if (*what)
        table_cell(table, "%.*s", (int)strcspn(what, "\n"), what);
    else
        table_none(table, "");
}

static const char *state_text(uint64_t state)
{
    switch (state) {
    case GOTRACE_STATE_UNDETERMINED: return "not known";
    case GOTRACE_STATE_WAITING: return "waiting, and no thread ended it";
    default: return stat_state_name(state);
    }
}

/* The cells behind time, share and saves. */
static void rest_of_row(const struct critical_parts *r, struct table *t, enum section section, const struct part *p)
{
    struct deed d = {path_deed_object(p->key), path_deed_reason(p->key), path_deed_what(p->key),
                     section == FUNCTIONS && !path_deed_sampled(p->key)};
    switch (section) {
    case STATES:
        table_text(t, state_text(p->key));
        table_text(t, p->key ? stat_state_name(p->key) : NULL);
        return;
    case OBJECTS:
        table_text(t, p->key ? text(r, (uint32_t)p->key) : "(nobody waited)");
        table_text(t, p->key ? text(r, (uint32_t)p->key) : NULL);
        return;
    case NAMES:
        table_count(t, p->count);
        table_text(t, p->key ? text(r, (uint32_t)p->key) : NULL);
        return;
    case FUNCTIONS:
        table_count(t, p->count);
        deed_cell(r, t, &d, "");
        table_text(t, text(r, d.what));
        table_flag(t, !d.until);
        return;
    case CALLS:
        table_count(t, p->count);
        deed_cell(r, t, &d, "");
        table_text(t, text(r, d.what));
        return;
    default:
        table_count(t, p->count);
        table_text(t, text(r, d.reason));
        deed_cell(r, t, &d, "");
        deed_data(r, t, &d);
    }
}

#define TIMES {"total_ns", "time"}, {"share", "share"}, {"saved_ns", "saves"}

static const struct {
    const char *name, *title;
    struct table_column columns[12];
} tables[SECTIONS] = {
    [STATES] = {"states", "What it consists of", {TIMES, {NULL, "<state"}, {"state", NULL}, {NULL, NULL}}},
    [FUNCTIONS] = {"functions",
                   "Running, by function",
                   {TIMES, {"count", "times"}, {NULL, "<function"}, {"function", NULL}, {"sampled", NULL},
                    {NULL, NULL}}},
    [CALLS] = {"syscalls",
               "System calls",
               {TIMES, {"count", "times"}, {NULL, "<call"}, {"call", NULL}, {NULL, NULL}}},
    [WAITS] = {"waits",
               "Waits that no thread of the trace ended",
               {TIMES, {"count", "times"}, {"reason", "<reason"}, {NULL, "<where"}, {"object", NULL}, {"call", NULL},
                {NULL, NULL}}},
    [OBJECTS] = {"objects", "What was waited for", {TIMES, {NULL, "<object"}, {"object", NULL}, {NULL, NULL}}},
    [NAMES] = {"threads", "Threads", {TIMES, {"threads", "threads"}, {"name", "<name"}, {NULL, NULL}}},
};

/* What has no row of its own. */
static void others_row(const struct critical_parts *r, struct table *t, enum section section, uint64_t ns)
{
    times(r, t, ns);
    table_none(t, "-");
    if (section != OBJECTS)
        table_none(t, "-");
    if (section == WAITS)
        table_none(t, "-");
    table_text(t, "others");
    if (section == WAITS)
        table_none(t, "");
    if (section != NAMES)
        table_text(t, "others");
    table_end_row(t);
}

static bool print_section(struct critical_parts *r, enum section section, uint64_t all)
{
    struct table t;
    table_init(&t, tables[section].name, tables[section].columns);
    for (size_t i = 0; i < critical_parts_shown(r, section); i++) {
        const struct part *p = &r->parts[section].v[i];
        times(r, &t, p->ns);
        if (section == OBJECTS ? !p->key : section == STATES && p->key == GOTRACE_STATE_UNDETERMINED)
            table_none(&t, "-");
        else
            table_time(&t, p->saves);
        rest_of_row(r, &t, section, p);
        all -= p->ns;
    }
    if (all)
        others_row(r, &t, section, all);
    return report_table(r->report, &t, tables[section].title);
}

/* ---- the path --------------------------------------------------------------------------------------------------- */

static const struct path_thread *thread_of(const struct critical_parts *r, uint32_t thread)
{
    return thread == PATH_NOBODY ? NULL : &r->c->threads.v[thread];
}

static void print_thread(const struct critical_parts *r, uint32_t thread, FILE *f)
{
    const struct path_thread *t = thread_of(r, thread);
    fprintf(f, "%s (%" PRIu64 ")", t->name ? text(r, t->name) : "thread", t->id);
}

static void thread_cells(const struct critical_parts *r, struct table *t, uint32_t thread)
{
    const struct path_thread *is = thread_of(r, thread);
    if (is)
        table_count(t, is->id);
    else
        table_none(t, "-");
    table_text(t, is && is->name ? text(r, is->name) : NULL);
}

/* Where it was, and how the path goes on from there. */
static void piece_cell(const struct critical_parts *r, struct table *t, const struct path_piece *p,
                       const struct deed *d)
{
    char *after = NULL;
    size_t size;
    FILE *f = memory_file(&after, &size);
    if (f && p->other != PATH_NOBODY) {
        fputs(p->made ? "\n      makes " : "\n      wakes ", f);
        print_thread(r, p->other, f);
        if (!p->made)
            fprintf(f, " from %s", text(r, p->wakes));
    }
    bool ok = f && !fclose(f);
    if (ok)
        deed_cell(r, t, d, after);
    t->failed |= !ok;
    free(after);
}

static void piece_row(const struct critical_parts *r, struct table *t, const struct path_piece *p)
{
    const char *reason = text(r, p->reason);
    struct deed d = {p->object, p->reason, p->what, p->state == GOTRACE_STATE_RUNNING && !p->sampled};
    table_time(t, (uint64_t)p->begin - (uint64_t)r->end->from);
    times(r, t, (uint64_t)p->end - (uint64_t)p->begin);
    thread_cells(r, t, p->thread);
    table_cell(t, *reason ? "%s: %s" : "%s", p->state ? stat_state_name(p->state) : "not known", reason);
    table_text(t, p->state ? stat_state_name(p->state) : NULL);
    known_text(t, reason);
    piece_cell(r, t, p, &d);
    deed_data(r, t, &d);
    table_flag(t, p->sampled);
    thread_cells(r, t, p->other);
    table_text(t, p->other == PATH_NOBODY || p->made ? NULL : text(r, p->wakes));
}

static bool print_path(struct critical_parts *r)
{
    static const struct table_column columns[] = {
        {"at_ns", "at"}, {"total_ns", "time"}, {"share", "share"}, {"id", "id"}, {"thread", "<thread"},
        {NULL, "<state: reason"}, {"state", NULL}, {"reason", NULL}, {NULL, "<where"}, {"object", NULL}, {"call", NULL},
        {"sampled", NULL}, {"next_id", NULL}, {"next_thread", NULL}, {"woken_from", NULL}, {NULL, NULL}};
    struct table t;
    table_init(&t, "path", columns);
    for (size_t i = 0; i < r->sums.pieces.n; i++)
        piece_row(r, &t, &r->sums.pieces.v[i]);
    if (r->sums.nothers) {
        table_none(&t, "-");
        times(r, &t, r->sums.others);
        table_none(&t, "-");
        table_none(&t, "-");
        table_cell(&t, "%" PRIu64 " shorter stretches", r->sums.nothers);
        table_text(&t, "others");
        table_end_row(&t);
    }
    return report_table(r->report, &t, "The longest stretches, in the order of time");
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static uint64_t since_begin(const struct critical_parts *r, int64_t time)
{
    return (uint64_t)time - (uint64_t)r->c->spans.begin;
}

static void title_as_text(const struct critical_parts *r, const char *task)
{
    char time[2][TABLE_TIME_SIZE];
    FILE *out = r->report->out;
    fprintf(out, "\n%sThe critical path", style_begin(r->report->color, STYLE_TITLE));
    if (task)
        fprintf(out, " of task %s", task);
    fputs(style_begin(r->report->color, STYLE_PLAIN), out);
    if (r->end->thread != PATH_NOBODY) {
        fputs(task ? ", ended by " : " to the end of ", out);
        print_thread(r, r->end->thread, out);
    }
    fprintf(out, ": %s", table_format_time(time[0], r->sums.total));
    if (r->end->from > r->c->spans.begin || r->end->to < r->c->spans.end)
        fprintf(out, ", from %s to %s", table_format_time(time[0], since_begin(r, r->end->from)),
                table_format_time(time[1], since_begin(r, r->end->to)));
    putc('\n', out);
}

static void title_as_json(const struct critical_parts *r, const char *task, struct json *j)
{
    const struct path_thread *t = thread_of(r, r->end->thread);
    json_key(j, "critical");
    json_open(j, '{');
    json_key(j, "id");
    if (t)
        json_number(j, t->id);
    else
        json_null(j);
    json_key(j, "thread");
    json_text(j, t && t->name ? text(r, t->name) : NULL);
    json_key(j, "task");
    json_text(j, task);
    json_key(j, "from_ns");
    json_number(j, since_begin(r, r->end->from));
    json_key(j, "to_ns");
    json_number(j, since_begin(r, r->end->to));
    json_close(j, '}');
}

static bool print(struct critical_parts *r, const char *task, const struct stat_input *in)
{
    const struct path_sums *s = &r->sums;
    stat_headline_of("thrace-critical", &r->c->spans, r->c->version, in, 0, r->report);
    if (!report_is_data(r->report))
        title_as_text(r, task);
    else if (r->report->format == REPORT_JSON)
        title_as_json(r, task, &r->report->json);
    return print_section(r, STATES, s->total) && print_section(r, FUNCTIONS, s->state[GOTRACE_STATE_RUNNING]) &&
           print_section(r, CALLS, s->state[GOTRACE_STATE_SYSCALL]) &&
           print_section(r, WAITS, s->state[GOTRACE_STATE_WAITING]) && print_section(r, OBJECTS, s->total) &&
           print_section(r, NAMES, s->total) && print_path(r);
}

bool critical_report(struct path_collect *c, const struct path_end *end, const char *task, const struct stat_input *in,
                     struct report *report)
{
    struct critical_parts r = {.c = c, .end = end, .report = report};
    size_t longest = report->rows < CRITICAL_STRETCHES ? report->rows : CRITICAL_STRETCHES;
    bool ok = critical_parts_make(&r, longest) && print(&r, task, in);
    critical_parts_free(&r);
    return ok;
}
