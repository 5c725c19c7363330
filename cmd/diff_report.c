#include "cmd/diff_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/terminal.h"

enum { SCHEMA = 1, PERCENT_SIZE = 32, NUMBER_SIZE = 32, INTERVAL_SIZE = 2 * PERCENT_SIZE + 8 };

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

/* "+12.3 %"; "" if it is not known. */
static const char *percent(char text[PERCENT_SIZE], double factor)
{
    double x = 100 * (factor - 1);
    if (isnan(x))
        *text = 0;
    else if (isinf(x))
        snprintf(text, PERCENT_SIZE, "new");
    else if (x >= 1000)
        snprintf(text, PERCENT_SIZE, "×%.3g", factor);
    else
        snprintf(text, PERCENT_SIZE, "%+.1f %%", x);
    return text;
}

static const char *interval(char text[INTERVAL_SIZE], double low, double high)
{
    char a[PERCENT_SIZE], b[PERCENT_SIZE];
    const double wide = 1000; /* says nothing */
    *text = 0;
    if (!isnan(low) && high < low * wide)
        snprintf(text, INTERVAL_SIZE, "%s … %s", percent(a, low), percent(b, high));
    return text;
}

static const char *number(char text[NUMBER_SIZE], double x)
{
    if (x >= 1e6)
        snprintf(text, NUMBER_SIZE, "%.3g M", x / 1e6);
    else if (x >= 1e3)
        snprintf(text, NUMBER_SIZE, "%.0f", x);
    else
        snprintf(text, NUMBER_SIZE, "%.3g", x);
    return text;
}

static const char *amount(char text[NUMBER_SIZE], double x, bool time)
{
    _Static_assert((int)TABLE_TIME_SIZE <= (int)NUMBER_SIZE, "a time is one, too");
    if (isnan(x))
        *text = 0;
    else if (time)
        table_format_time(text, x < 1e19 ? (uint64_t)(x + .5) : UINT64_MAX);
    else
        number(text, x);
    return text;
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

/* For programs; in text samples have no time. */
#define DATA_COLUMNS                                                                                                   \
    {"metric", NULL}, {"name", NULL}, {"a_ns", NULL}, {"b_ns", NULL}, {"time_factor", NULL}, {"time_low", NULL},       \
        {"time_high", NULL}, {"time_chance", NULL}, {"a_times", NULL}, {"b_times", NULL}, {"times_factor", NULL},      \
        {"times_low", NULL}, {"times_high", NULL}, {"times_chance", NULL}, {"significant", NULL}
static const struct table_column columns[] = {
    DATA_COLUMNS, {NULL, "time A"}, {NULL, "time B"}, {NULL, "change"}, {NULL, "interval"}, {NULL, "times A"},
    {NULL, "times B"}, {NULL, "change"}, {NULL, "interval"}, {NULL, "<"}, {NULL, NULL}};
static const struct table_column sample_columns[] = {
    DATA_COLUMNS, {NULL, "samples A"}, {NULL, "samples B"}, {NULL, "change"}, {NULL, "interval"}, {NULL, "<"},
    {NULL, NULL}};

static void data_cells(struct table *t, const struct estimate e[2], const struct change *c, double chance, bool has)
{
    for (int side = 0; side < 2; side++)
        table_real(t, has ? e[side].value : NAN);
    table_real(t, has ? c->factor : NAN);
    table_real(t, has ? c->low : NAN);
    table_real(t, has ? c->high : NAN);
    table_real(t, has ? chance : NAN);
}

static void text_cells(struct table *t, const struct estimate e[2], const struct change *c, double chance, bool time)
{
    char a[INTERVAL_SIZE];
    for (int side = 0; side < 2; side++)
        table_text(t, amount(a, e[side].value, time));
    table_cell(t, "%s%s", percent(a, c->factor), chance <= DIFF_LEVEL ? " *" : "");
    table_text(t, interval(a, c->low, c->high));
}

static void add_row(struct table *t, const struct diff *d, const struct diff_change *c, enum diff_metric of)
{
    const struct diff_row *row = &d->rows->list.v[c->row];
    const char *metric = diff_metric_names[row->metric];
    bool time = row->metric != DIFF_CPU;
    table_text(t, metric);
    table_text(t, row->name);
    data_cells(t, c->sum, &c->time, c->time_chance, time);
    data_cells(t, c->count, &c->times, c->times_chance, true);
    table_flag(t, diff_is_significant(c));
    if (time)
        text_cells(t, c->sum, &c->time, c->time_chance, true);
    for (int i = 0; of != DIFF_CPU && !time && i < 4; i++)
        table_none(t, "");
    text_cells(t, c->count, &c->times, c->times_chance, false);
    table_cell(t, "%s%s%s", of == DIFF_METRICS ? metric : "", of == DIFF_METRICS ? ": " : "", row->name);
    table_end_row(t);
}

/* How much of its metric the row has gained or lost. */
static double weight(const struct diff *d, const struct diff_change *c)
{
    bool time = d->rows->list.v[c->row].metric != DIFF_CPU;
    const struct estimate *e = time ? c->sum : c->count;
    double x = fabs(e[1].value - e[0].value);
    return isnan(x) ? 0 : x;
}

struct ranked {
    const struct diff_change *change;
    double weight;
};

static int by_weight(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight < y->weight ? 1 : -1;
    return (x->change->row > y->change->row) - (x->change->row < y->change->row);
}

/* Of one metric, or of all (DIFF_METRICS) those that are significant. */
static bool table_of(const struct diff *d, enum diff_metric metric, const char *name, const char *title,
                     struct report *r)
{
    struct table t;
    struct ranked *v = malloc((d->changes.n + 1) * sizeof *v);
    size_t n = 0, shown;
    if (!v)
        return false;
    for (size_t i = 0; i < d->changes.n; i++) {
        const struct diff_change *c = &d->changes.v[i];
        if (metric == DIFF_METRICS ? diff_is_significant(c) : d->rows->list.v[c->row].metric == metric)
            v[n++] = (struct ranked){c, weight(d, c)};
    }
    qsort(v, n, sizeof *v, by_weight);
    table_init(&t, name, metric == DIFF_CPU ? sample_columns : columns);
    shown = n < r->rows ? n : r->rows;
    for (size_t i = 0; i < shown; i++)
        add_row(&t, d, v[i].change, metric);
    free(v);
    bool ok = report_table(r, &t, title);
    if (ok && n > shown)
        report_note(r, "  and %zu more\n", n - shown);
    return ok;
}

/* ---- what is compared ------------------------------------------------------------------------------------------- */

static void headline(const struct diff *d, int side, const struct diff_input *in, struct report *r)
{
    const struct diff_side *s = &d->sides[side];
    char time[TABLE_TIME_SIZE], units[NUMBER_SIZE];
    for (size_t i = 0; i < s->nruns; i++) {
        const struct spans *spans = &s->runs[i]->spans;
        report_note(r, "%c: %s: %s, %" PRIu64 " thread%s, %" PRIu64 " events\n", 'A' + side, in->paths[side][i],
                    table_format_time(time, (uint64_t)spans->end - (uint64_t)spans->begin), spans->nthreads,
                    spans->nthreads == 1 ? "" : "s", spans->nevents);
    }
    if (in->per)
        report_note(r, "   %s times %s\n", number(units, diff_units(d, side)), in->per);
}

static void json_side(const struct diff *d, int side, const struct diff_input *in, struct json *j)
{
    const struct diff_side *s = &d->sides[side];
    json_key(j, side ? "b" : "a");
    json_open(j, '{');
    json_key(j, "complete");
    json_bool(j, in->complete[side]);
    json_key(j, "units");
    json_ratio(j, diff_units(d, side));
    json_key(j, "runs");
    json_open(j, '[');
    for (size_t i = 0; i < s->nruns; i++) {
        const struct spans *spans = &s->runs[i]->spans;
        json_open(j, '{');
        json_key(j, "file");
        json_text(j, in->paths[side][i]);
        json_key(j, "duration_ns");
        json_number(j, (uint64_t)spans->end - (uint64_t)spans->begin);
        json_key(j, "threads");
        json_number(j, spans->nthreads);
        json_key(j, "events");
        json_number(j, spans->nevents);
        json_key(j, "stretches");
        json_number(j, s->runs[i]->nstretches);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_close(j, '}');
}

static void json_head(const struct diff *d, const struct diff_input *in, struct json *j)
{
    json_key(j, "per");
    json_text(j, in->per);
    json_side(d, 0, in, j);
    json_side(d, 1, in, j);
    json_key(j, "tests");
    json_number(j, d->ntests);
    if (!in->only)
        return;
    json_key(j, "filter");
    span_options_json(in->only, d->sides[0].runs[0]->ncounted, j);
}

static bool too_short(const struct diff *d)
{
    return d->sides[0].resample.freedom <= 0 || d->sides[1].resample.freedom <= 0;
}

static void head(const struct diff *d, const struct diff_input *in, struct report *r)
{
    headline(d, 0, in, r);
    headline(d, 1, in, r);
    if (in->only && !report_is_data(r)) {
        fputs("Only what passes ", r->out);
        span_options_print(in->only, r->out);
        putc('\n', r->out);
    }
    report_begin(r, "thrace-diff", SCHEMA);
    if (r->format == REPORT_JSON)
        json_head(d, in, &r->json);
    report_note(r, "Time and times are per %s; * is no chance, over all rows (Holm, 5 %%); ",
                in->per ? in->per : "second");
    report_note(r, "intervals are of each row, 95 %%.\n");
    if (too_short(d))
        report_note(r, "What is there is too short to know what is by chance.\n");
}

/* ---- conditions ------------------------------------------------------------------------------------------------- */

static void say_condition(const struct diff_condition *c, struct report *r)
{
    char a[NUMBER_SIZE], b[NUMBER_SIZE], low[PERCENT_SIZE], high[PERCENT_SIZE];
    bool time = c->stat != DIFF_COUNT && c->metric != DIFF_CPU, known = !isnan(c->low);
    const char *verdict = c->holds      ? "holds"
                          : !c->matches ? "nothing like that"
                          : known       ? "does not hold"
                                        : "not known";
    report_note(r, "  %s: %s%s%s", c->text, style_begin(r->color, c->holds ? STYLE_WARNING : STYLE_TITLE), verdict,
                style_begin(r->color, STYLE_PLAIN));
    if (c->matches && isfinite(c->a.value) && isfinite(c->b.value))
        report_note(r, ": %s, was %s", amount(b, c->b.value, time), amount(a, c->a.value, time));
    if (known && c->relative)
        report_note(r, ", %s to %s", percent(low, c->low + 1), percent(high, c->high + 1));
    else if (known)
        report_note(r, ", %s%s to %s%s", c->low < 0 ? "-" : "+", amount(a, fabs(c->low), true), c->high < 0 ? "-" : "+",
                    amount(b, fabs(c->high), true));
    report_note(r, "\n");
}

static bool conditions(const struct diff_input *in, struct report *r)
{
    static const struct table_column wanted[] = {{"condition", NULL}, {"matches", NULL}, {"holds", NULL}, {"a", NULL},
                                                 {"b", NULL}, {"factor", NULL}, {"low", NULL}, {"high", NULL},
                                                 {NULL, NULL}};
    struct table t;
    if (in->nconditions)
        report_title(r, "Conditions");
    for (size_t i = 0; i < in->nconditions; i++)
        say_condition(&in->conditions[i], r);
    if (!report_is_data(r))
        return true;
    table_init(&t, "conditions", wanted);
    for (size_t i = 0; i < in->nconditions; i++) {
        const struct diff_condition *c = &in->conditions[i];
        table_text(&t, c->text);
        table_flag(&t, c->matches);
        table_flag(&t, c->holds);
        table_real(&t, c->a.value);
        table_real(&t, c->b.value);
        table_real(&t, c->change.factor);
        table_real(&t, c->low);
        table_real(&t, c->high);
        table_end_row(&t);
    }
    return report_table(r, &t, "");
}

bool diff_report(const struct diff *d, const struct diff_input *in, struct report *r)
{
    static const struct {
        const char *name, *title;
    } tables[DIFF_METRICS] = {
        [DIFF_CPU] = {"cpu", "CPU samples, by function"},
        [DIFF_LOCK] = {"locks", "Waits, by what they are for"},
        [DIFF_WAIT] = {"waits", "Waits, by reason"},
        [DIFF_SYSCALL] = {"syscalls", "System calls"},
        [DIFF_RUNNABLE] = {"runnable", "Runnable and not running, by why"},
        [DIFF_THREAD] = {"threads", "Running, by thread"},
    };
    head(d, in, r);
    bool ok = conditions(in, r), any = false;
    for (size_t i = 0; i < d->changes.n; i++)
        any |= diff_is_significant(&d->changes.v[i]);
    if (!any)
        report_note(r, "\nNothing differs by more than chance, of %zu numbers.\n", d->ntests);
    ok = ok && table_of(d, DIFF_METRICS, "changes", "What has changed", r);
    for (int m = 0; ok && m < DIFF_METRICS; m++)
        ok = table_of(d, (enum diff_metric)m, tables[m].name, tables[m].title, r);
    return ok;
}
