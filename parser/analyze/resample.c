#include "parser/analyze/resample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- draws ------------------------------------------------------------------------------------------------------ */

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static size_t draw(uint64_t *state, size_t n) { return (size_t)((unsigned __int128)next(state) * n >> 64); }

static size_t block_of(size_t n) { return n >= RESAMPLE_LEAST ? RESAMPLE_BLOCK : 1; }

/* As many stretches as the run has; the first ones follow the last. */
static void draw_stretches(uint32_t *times, size_t n, uint64_t *state)
{
    size_t block = block_of(n);
    for (size_t have = 0; have < n; have += block) {
        size_t first = draw(state, n);
        for (size_t i = 0; i < block && have + i < n; i++)
            times[(first + i) % n]++;
    }
}

bool resample_init(struct resample *r, size_t nruns, const size_t *nstretches, uint64_t seed)
{
    *r = (struct resample){.nruns = nruns};
    size_t *first = calloc(nruns + 1, sizeof *first);
    for (size_t i = 0; first && i < nruns; i++)
        first[i + 1] = r->nstretches += nstretches[i];
    r->ones = calloc(r->nstretches + 1, sizeof *r->ones);
    r->draws = calloc(r->nstretches * RESAMPLES + 1, sizeof *r->draws);
    bool ok = first && r->ones && r->draws;
    for (size_t i = 0; ok && i < r->nstretches; i++)
        r->ones[i] = 1;
    for (size_t d = 0; ok && d < RESAMPLES; d++)
        for (size_t i = 0; i < nruns; i++) {
            size_t run = nruns > 1 ? draw(&seed, nruns) : 0;
            draw_stretches(r->draws + d * r->nstretches + first[run], nstretches[run], &seed);
        }
    size_t units = nruns > 1 ? nruns : r->nstretches / block_of(r->nstretches);
    r->freedom = units > 1 ? (double)(units - 1) : 0;
    r->grow = units > 1 ? sqrt((double)units / (double)(units - 1)) : INFINITY;
    if (nruns == 1 && r->nstretches < RESAMPLE_LEAST)
        r->freedom = 0;
    free(first);
    return ok;
}

void resample_free(struct resample *r)
{
    free(r->ones);
    free(r->draws);
}

/* ---- estimates -------------------------------------------------------------------------------------------------- */

struct estimate resample_estimate(const struct resample *r, resample_fn *number, const void *arg,
                                  struct resample_noise noise)
{
    struct estimate e = {number(arg, r->ones), NAN, r->freedom};
    double mean = 0, squares = 0;
    size_t n = 0;
    if (!isfinite(e.value) || r->freedom <= 0)
        return e;
    for (size_t d = 0; d < RESAMPLES; d++) {
        double x = number(arg, r->draws + d * r->nstretches);
        if (!isfinite(x))
            continue;
        double step = x - mean;
        mean += step / (double)++n;
        squares += step * (x - mean);
    }
    if (n < RESAMPLES / 2)
        return e;
    e.error = sqrt(squares / (double)(n - 1)) * r->grow;
    if (r->nruns == 1)
        e.error = hypot(hypot(e.error, noise.part * e.value), noise.least);
    return e;
}

/* ---- Student's t ------------------------------------------------------------------------------------------------ */

/* The continued fraction of the incomplete beta function (Lentz). */
static double beta_fraction(double a, double b, double x)
{
    enum { MOST = 300 };
    const double tiny = 1e-300, enough = 1e-14;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double f = d;
    for (int m = 1; m < MOST; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        double step = 1;
        for (int i = 0; i < 2; i++) {
            double part = i ? odd : even;
            d = 1 + part * d;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = 1 + part / c;
            c = fabs(c) < tiny ? tiny : c;
            step = c * d;
            f *= step;
        }
        if (fabs(step - 1) < enough)
            break;
    }
    return f;
}

static double incomplete_beta(double a, double b, double x)
{
    if (x <= 0 || x >= 1)
        return x <= 0 ? 0 : 1;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_chance(double t, double freedom)
{
    if (!(freedom > 0) || isnan(t))
        return 1;
    return isinf(t) ? 0 : incomplete_beta(freedom / 2, .5, freedom / (freedom + t * t));
}

double student_quantile(double chance, double freedom)
{
    double low = 0, high = 1;
    if (!(freedom > 0))
        return INFINITY;
    while (student_chance(high, freedom) > chance && high < 1e12)
        high *= 2;
    for (int i = 0; i < 200 && high - low > 1e-10 * high; i++) {
        double middle = (low + high) / 2;
        if (student_chance(middle, freedom) > chance)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* ---- changes ---------------------------------------------------------------------------------------------------- */

/* Of a sum of two variances, each with its degrees (Welch, Satterthwaite). */
static double freedom_of(double va, double fa, double vb, double fb)
{
    double sum = va + vb;
    if (!(sum > 0))
        return fa + fb;
    return sum * sum / ((fa > 0 ? va * va / fa : 0) + (fb > 0 ? vb * vb / fb : 0));
}

struct change change_between(const struct estimate *a, const struct estimate *b, double level)
{
    struct change c = {1, NAN, NAN, 1};
    if (!isfinite(a->value) || !isfinite(b->value)) {
        c.factor = NAN;
        return c;
    }
    if (a->value != 0)
        c.factor = b->value / a->value;
    else if (b->value != 0)
        c.factor = INFINITY;
    if (!isfinite(a->error) || !isfinite(b->error) || (a->value <= 0 && b->value <= 0))
        return c;
    if (a->value <= 0 || b->value <= 0) { /* there is no logarithm */
        double va = a->error * a->error, vb = b->error * b->error;
        c.chance = va + vb > 0 ? student_chance((b->value - a->value) / sqrt(va + vb),
                                                freedom_of(va, a->freedom, vb, b->freedom))
                               : 1;
        return c;
    }
    double ea = a->error / a->value, eb = b->error / b->value, error = hypot(ea, eb), change = log(c.factor);
    double freedom = freedom_of(ea * ea, a->freedom, eb * eb, b->freedom);
    double far = error > 0 ? student_quantile(1 - level, freedom) * error : 0;
    c.low = exp(change - far);
    c.high = exp(change + far);
    c.chance = change == 0 ? 1 : error > 0 ? student_chance(change / error, freedom) : 0;
    return c;
}

/* ---- many of them ----------------------------------------------------------------------------------------------- */

struct ranked {
    double chance;
    size_t i;
};

static int by_chance(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->chance != y->chance)
        return x->chance < y->chance ? -1 : 1;
    return (x->i > y->i) - (x->i < y->i);
}

bool adjust_for_many(double *chances, size_t n)
{
    struct ranked *ranked = malloc((n + 1) * sizeof *ranked);
    double most = 0;
    if (!ranked)
        return false;
    for (size_t i = 0; i < n; i++)
        ranked[i] = (struct ranked){chances[i], i};
    qsort(ranked, n, sizeof *ranked, by_chance);
    for (size_t i = 0; i < n; i++) {
        double adjusted = ranked[i].chance * (double)(n - i);
        most = adjusted > most ? adjusted : most;
        chances[ranked[i].i] = most < 1 ? most : 1;
    }
    free(ranked);
    return true;
}
