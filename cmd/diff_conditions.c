#include "cmd/diff_conditions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/complain.h"

/* ---- the grammar ------------------------------------------------------------------------------------------------ */

static const char *skip_blanks(const char *s) { return s + strspn(s, " \t"); }

/* The number of the word; n: none of these. */
static int number_of(const char *word, size_t len, const char *const *names, int n)
{
    int i = 0;
    while (i < n && (strlen(names[i]) != len || memcmp(names[i], word, len) != 0))
        i++;
    return i;
}

static bool wrong(const char *verb, const char *text, const char *why)
{
    complain(verb, "--fail-if %s: %s", text, why);
    return false;
}

static bool take_name(struct diff_condition *c, const char *verb, const char *name, size_t len)
{
    char why[128], *copy = strndup(name, len);
    if (!copy)
        return wrong(verb, c->text, "out of memory");
    int error = len ? regcomp(&c->name, copy, REG_EXTENDED | REG_NOSUB) : 0;
    free(copy);
    c->has_name = len && !error;
    if (!error)
        return true;
    regerror(error, &c->name, why, sizeof why);
    complain(verb, "--fail-if %s: in parentheses stands a regular expression: %s", c->text, why);
    return false;
}

/* "+10%", "-2ms" */
static bool take_limit(struct diff_condition *c, const char *s)
{
    static const struct {
        const char *name;
        double scale;
    } units[] = {{"%", .01}, {"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    double sign = *s == '-' ? -1 : 1;
    s += *s == '-' || *s == '+';
    size_t len = strspn(s, "0123456789.");
    char *end;
    double x = len && len < 32 ? strtod(s, &end) : NAN;
    if (isnan(x) || end != s + len)
        return false;
    const char *unit = skip_blanks(s + len);
    size_t unit_len = strcspn(unit, " \t");
    if (*skip_blanks(unit + unit_len))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i].name) == unit_len && !memcmp(unit, units[i].name, unit_len)) {
            c->relative = !i;
            c->limit = sign * x * units[i].scale;
            return true;
        }
    return false;
}

static const char whole[] = "it takes METRIC(what).STAT > +N% or < -N%, such as wait(sync).p99 > +10%";

bool diff_condition_parse(struct diff_condition *c, const char *verb, const char *text)
{
    *c = (struct diff_condition){.text = text, .watch = DIFF_WATCHES};
    const char *s = skip_blanks(text);
    size_t len = strcspn(s, "(. \t<>");
    const char *op = strrchr(s, '>'), *less = strrchr(s, '<'), *close;
    op = !op || (less && less > op) ? less : op;
    if (!*s || !op)
        return wrong(verb, text, whole);
    int metric = number_of(s, len, diff_metric_names, DIFF_METRICS);
    if (metric == DIFF_METRICS)
        return wrong(verb, text, "the metric is cpu, lock, wait, syscall, runnable or thread");
    c->metric = (enum diff_metric)metric;
    s += len;
    if (*s == '(') {
        close = memrchr(s, ')', (size_t)(op - s));
        if (!close)
            return wrong(verb, text, "the ')' behind the name is missing");
        if (!take_name(c, verb, s + 1, (size_t)(close - s - 1)))
            return false;
        s = close + 1;
    }
    if (*s != '.')
        return wrong(verb, text, whole);
    len = strcspn(++s, " \t<>");
    int stat = number_of(s, len, diff_stat_names, DIFF_STATS);
    if (stat == DIFF_STATS)
        return wrong(verb, text, "the number is sum, count, mean, p50, p99 or max");
    c->stat = (enum diff_stat)stat;
    if (skip_blanks(s + len) != op)
        return wrong(verb, text, whole);
    c->below = *op == '<';
    if (!take_limit(c, skip_blanks(op + 1)))
        return wrong(verb, text, "the limit is a part, such as +10%, or a time, such as +2ms");
    if (c->metric == DIFF_CPU && c->stat > DIFF_COUNT)
        return wrong(verb, text, "CPU samples have no length: cpu has sum and count only");
    if (!c->relative && (c->metric == DIFF_CPU || c->stat == DIFF_COUNT))
        return wrong(verb, text, "what is counted has no limit in time: it takes one in percent");
    if (c->relative && c->limit <= -1)
        return wrong(verb, text, "nothing can be less than by 100%");
    return true;
}

void diff_condition_free(struct diff_condition *c)
{
    if (c->has_name)
        regfree(&c->name);
}

/* ---- judgement -------------------------------------------------------------------------------------------------- */

static const regex_t *name_of(const struct diff_condition *c) { return c->has_name ? &c->name : NULL; }

bool diff_condition_watch(struct diff_condition *c, const char *verb, struct diff_rows *rows)
{
    if (c->stat != DIFF_P50 && c->stat != DIFF_P99)
        return true;
    c->watch = diff_rows_watch(rows, c->metric, name_of(c));
    if (c->watch == DIFF_WATCHES)
        return wrong(verb, c->text, "there are too many conditions with percentiles");
    return true;
}

/* How far b is from a, in ns. */
static void judge_time(struct diff_condition *c, double level)
{
    double va = c->a.error * c->a.error, vb = c->b.error * c->b.error, sum = va + vb;
    c->low = c->high = NAN;
    if (!isfinite(sum))
        return;
    double fa = c->a.freedom, fb = c->b.freedom,
           freedom = sum > 0 ? sum * sum / (va * va / fa + vb * vb / fb) : fa + fb;
    double far = sum > 0 ? student_quantile(1 - level, freedom) * sqrt(sum) : 0, change = c->b.value - c->a.value;
    c->low = change - far;
    c->high = change + far;
}

static void judge_part(struct diff_condition *c, double level)
{
    c->low = c->change.low - 1;
    c->high = c->change.high - 1;
    if (isnan(c->low) && c->change.chance <= 1 - level) { /* from nothing, or to nothing */
        c->low = c->b.value > c->a.value ? INFINITY : -1;
        c->high = c->low;
    }
}

bool diff_condition_judge(struct diff_condition *c, const struct diff *d, size_t n)
{
    bool *rows = calloc(d->rows->list.n, sizeof *rows);
    double level = 1 - DIFF_LEVEL / (double)n;
    if (!rows)
        return false;
    for (size_t i = 0; i < d->changes.n; i++) {
        uint32_t row = d->changes.v[i].row;
        rows[row] = diff_row_matches(&d->rows->list.v[row], c->metric, name_of(c));
        c->matches |= rows[row];
    }
    enum diff_stat stat = c->metric == DIFF_CPU ? DIFF_COUNT : c->stat;
    c->a = diff_estimate(d, 0, rows, c->metric, c->watch, stat);
    c->b = diff_estimate(d, 1, rows, c->metric, c->watch, stat);
    c->change = change_between(&c->a, &c->b, level);
    if (c->relative)
        judge_part(c, level);
    else
        judge_time(c, level);
    c->holds = c->below ? c->high < c->limit : c->low > c->limit;
    free(rows);
    return true;
}
