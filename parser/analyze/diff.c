#include "parser/analyze/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parser/analyze/spread.h"

static const double second = 1e9;

const char *const diff_stat_names[DIFF_STATS] = {"sum", "count", "mean", "p50", "p99", "max"};

/* ---- numbers of stretches that are drawn ------------------------------------------------------------------------ */

struct number {
    const struct diff *diff;
    const struct diff_side *side;
    const bool *rows; /* NULL: `row` only */
    uint32_t row;
    unsigned watch;
    enum diff_stat stat;
    uint32_t *spread; /* to add up in */
};

struct sums {
    double ns, count, units, max;
};

/* scale: of what is counted. */
static void add_cells(struct sums *s, const struct diff_run *run, uint32_t row, double scale, const uint32_t *times)
{
    const struct diff_cell *c = run->cells[row] ? run->cells[row]->cell : NULL;
    for (size_t i = 0; c && i < run->nstretches; i++) {
        if (!times[i])
            continue;
        s->ns += (double)c[i].ns * times[i];
        s->count += (double)c[i].count * times[i] * scale;
        s->max = (double)c[i].max > s->max ? (double)c[i].max : s->max;
    }
}

/* Samples count as if all runs had taken as many in a second as the first. */
static double scale_of(const struct diff *d, const struct diff_run *run, uint32_t row)
{
    return d->rows->list.v[row].metric == DIFF_CPU ? (double)d->sides[0].runs[0]->hz / (double)run->hz : 1;
}

static struct sums add_up(const struct number *n, const uint32_t *times)
{
    struct sums s = {.ns = 0};
    for (size_t r = 0; r < n->side->nruns; r++) {
        const struct diff_run *run = n->side->runs[r];
        for (size_t i = 0; i < run->nstretches; i++)
            s.units += n->diff->per ? (double)run->per_count[i] * times[i] : (double)run->length[i] / second * times[i];
        if (!n->rows)
            add_cells(&s, run, n->row, scale_of(n->diff, run, n->row), times);
        for (uint32_t row = 0; n->rows && row < n->diff->rows->list.n; row++)
            if (n->rows[row])
                add_cells(&s, run, row, scale_of(n->diff, run, row), times);
        times += run->nstretches;
    }
    return s;
}

static double percentile(const struct number *n, const uint32_t *times, unsigned percent)
{
    const uint64_t most = UINT64_C(1) << 63;
    memset(n->spread, 0, spread_size(DIFF_SPREAD) * sizeof *n->spread);
    bool any = false;
    for (size_t r = 0; r < n->side->nruns; r++) {
        const struct diff_run *run = n->side->runs[r];
        const struct diff_spreads *s = n->watch < DIFF_WATCHES ? run->spreads[n->watch] : NULL;
        for (size_t i = 0; s && i < run->nstretches; i++)
            for (uint32_t t = 0; s->spread[i] && t < times[i]; t++) {
                spread_add_all(n->spread, s->spread[i], DIFF_SPREAD);
                any = true;
            }
        times += run->nstretches;
    }
    return any ? (double)spread_percentile(n->spread, DIFF_SPREAD, percent, most) : NAN;
}

static double number_of(const void *arg, const uint32_t *times)
{
    const struct number *n = arg;
    enum { MEDIAN = 50, LATE = 99 };
    if (n->stat == DIFF_P50 || n->stat == DIFF_P99)
        return percentile(n, times, n->stat == DIFF_P50 ? MEDIAN : LATE);
    struct sums s = add_up(n, times);
    switch (n->stat) {
    case DIFF_SUM: return s.ns / s.units;
    case DIFF_COUNT: return s.count / s.units;
    case DIFF_MEAN: return s.ns / s.count;
    default: return s.max;
    }
}

double diff_units(const struct diff *d, int side)
{
    struct number n = {.diff = d, .side = &d->sides[side]};
    return add_up(&n, d->sides[side].resample.ones).units;
}

/* ---- noise ------------------------------------------------------------------------------------------------------ */

/* It is decided by who comes first. */
static bool is_scheduled(enum diff_metric metric, enum diff_stat stat)
{
    return stat != DIFF_SUM && metric != DIFF_CPU && metric != DIFF_SYSCALL;
}

static struct resample_noise noise_of(const struct diff *d, int side, enum diff_metric metric, enum diff_stat stat)
{
    struct resample_noise noise = {DIFF_NOISE, 0};
    const struct diff_side *s = &d->sides[side];
    if (is_scheduled(metric, stat))
        noise.part = DIFF_NOISE_WAIT;
    else if (metric == DIFF_SYSCALL && stat == DIFF_COUNT && d->per)
        noise.part = DIFF_NOISE_PER;
    else if (stat == DIFF_SUM && s->nruns == 1) {
        double passed = 0;
        for (size_t i = 0; i < s->runs[0]->nstretches; i++)
            passed += (double)s->runs[0]->length[i];
        noise.least = DIFF_NOISE_LEAST * passed / diff_units(d, side);
    }
    return noise;
}

static bool is_single(const struct diff *d) { return d->sides[0].nruns == 1 || d->sides[1].nruns == 1; }

struct estimate diff_estimate(const struct diff *d, int side, const bool *rows, enum diff_metric metric, unsigned watch,
                              enum diff_stat stat)
{
    struct number n = {.diff = d, .side = &d->sides[side], .rows = rows, .watch = watch, .stat = stat};
    struct estimate e = {NAN, NAN, 0};
    n.spread = spread_new(DIFF_SPREAD);
    if (n.spread)
        e = resample_estimate(&n.side->resample, number_of, &n, noise_of(d, side, metric, stat));
    free(n.spread);
    if (is_scheduled(metric, stat) && is_single(d) && add_up(&n, n.side->resample.ones).count < DIFF_CLEAR)
        e.error = NAN;
    return e;
}

/* ---- all rows --------------------------------------------------------------------------------------------------- */

static double count_of(const struct diff *d, int side, uint32_t row)
{
    struct number n = {.diff = d, .side = &d->sides[side], .row = row};
    return add_up(&n, d->sides[side].resample.ones).count;
}

/* A sample has no length. How often threads wait cannot be told from one run. */
static void compare_row(const struct diff *d, struct diff_change *c, double count)
{
    enum diff_metric metric = d->rows->list.v[c->row].metric;
    c->is_tested[0] = count >= DIFF_ENOUGH && metric != DIFF_CPU;
    c->is_tested[1] = count >= DIFF_ENOUGH && !(is_scheduled(metric, DIFF_COUNT) && is_single(d));
    for (int side = 0; side < 2; side++) {
        struct number n = {.diff = d, .side = &d->sides[side], .row = c->row, .stat = DIFF_SUM};
        c->sum[side] = resample_estimate(&n.side->resample, number_of, &n, noise_of(d, side, metric, DIFF_SUM));
        n.stat = DIFF_COUNT;
        c->count[side] = resample_estimate(&n.side->resample, number_of, &n, noise_of(d, side, metric, DIFF_COUNT));
    }
    c->time = change_between(&c->sum[0], &c->sum[1], 1 - DIFF_LEVEL);
    c->times = change_between(&c->count[0], &c->count[1], 1 - DIFF_LEVEL);
}

static bool judge(struct diff *d)
{
    double *chances = malloc((2 * d->changes.n + 1) * sizeof *chances);
    size_t n = 0;
    if (!chances)
        return false;
    for (size_t i = 0; i < d->changes.n; i++) {
        const struct diff_change *c = &d->changes.v[i];
        if (c->is_tested[0])
            chances[n++] = c->time.chance;
        if (c->is_tested[1])
            chances[n++] = c->times.chance;
    }
    bool ok = adjust_for_many(chances, d->ntests = n);
    n = 0;
    for (size_t i = 0; ok && i < d->changes.n; i++) {
        struct diff_change *c = &d->changes.v[i];
        c->time_chance = c->is_tested[0] ? chances[n++] : 1;
        c->times_chance = c->is_tested[1] ? chances[n++] : 1;
    }
    free(chances);
    return ok;
}

static bool draw(struct diff_side *s, uint64_t seed)
{
    size_t *n = calloc(s->nruns + 1, sizeof *n);
    for (size_t i = 0; n && i < s->nruns; i++)
        n[i] = s->runs[i]->nstretches;
    bool ok = n && resample_init(&s->resample, s->nruns, n, seed);
    free(n);
    return ok;
}

bool diff_compare(struct diff *d)
{
    if (!draw(&d->sides[0], 1) || !draw(&d->sides[1], 2))
        return false;
    for (uint32_t row = 0; row < d->rows->list.n; row++) {
        double count = count_of(d, 0, row) + count_of(d, 1, row);
        if (count <= 0)
            continue;
        if (!VEC_ROOM(&d->changes))
            return false;
        struct diff_change *c = &d->changes.v[d->changes.n++];
        *c = (struct diff_change){.row = row};
        compare_row(d, c, count);
    }
    return judge(d);
}

void diff_free(struct diff *d)
{
    resample_free(&d->sides[0].resample);
    resample_free(&d->sides[1].resample);
    VEC_FREE(&d->changes);
}
