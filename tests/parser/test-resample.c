/* What is by chance, and what is not: the statistics of thrace diff, with numbers whose truth is known. */
#include "tests/unit/unit.h"

#include <math.h>
#include <string.h>

#include "parser/analyze/resample.h"

enum { STRETCHES = 100, RUNS = 8 };

struct runs {
    size_t n;
    double x[RUNS][STRETCHES];
};

static double sum_of(const void *arg, const uint32_t *times)
{
    const struct runs *r = arg;
    double sum = 0;
    for (size_t i = 0; i < r->n * STRETCHES; i++)
        sum += r->x[i / STRETCHES][i % STRETCHES] * times[i];
    return sum / (double)r->n;
}

static double random_part(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) / (double)(UINT64_C(1) << 53);
}

/* About a normal one, of mean 0 and deviation 1. */
static double random_normal(uint64_t *state)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += random_part(state);
    return sum;
}

/* Runs that differ by `between`, as a part; stretches next to each other are alike. */
static void make(struct runs *r, size_t n, double mean, double between, uint64_t *seed)
{
    r->n = n;
    for (size_t i = 0; i < n; i++) {
        double level = mean * (1 + between * random_normal(seed)), near = 0;
        for (size_t k = 0; k < STRETCHES; k++) {
            near = .5 * near + .1 * random_normal(seed);
            r->x[i][k] = level * (1 + near);
        }
    }
}

static struct estimate estimate(const struct runs *r, struct resample_noise noise)
{
    struct resample s;
    size_t n[RUNS];
    for (size_t i = 0; i < r->n; i++)
        n[i] = STRETCHES;
    assert_true(resample_init(&s, r->n, n, 1));
    struct estimate e = resample_estimate(&s, sum_of, r, noise);
    resample_free(&s);
    return e;
}

static const struct resample_noise no_noise;

static struct change compare(const struct runs *a, const struct runs *b, struct resample_noise noise)
{
    struct estimate x = estimate(a, noise), y = estimate(b, noise);
    return change_between(&x, &y, .95);
}

/* How many of 400 pairs differ by that factor, by what is said of them. */
static unsigned found(size_t runs, double factor, double between, struct resample_noise noise)
{
    enum { PAIRS = 400 };
    static struct runs a, b;
    uint64_t seed = 7;
    unsigned n = 0;
    for (int i = 0; i < PAIRS; i++) {
        make(&a, runs, 1, between, &seed);
        make(&b, runs, factor, between, &seed);
        n += compare(&a, &b, noise).chance <= .05;
    }
    return n;
}

static void equal_runs_seldom_differ(void **state)
{
    (void)state;
    assert_in_range(found(5, 1, .05, no_noise), 1, 20); /* of 400, 5 % are 20 */
    assert_in_range(found(1, 1, 0, no_noise), 1, 32);   /* blocks do not know all of what makes neighbours alike */
    assert_in_range(found(1, 1, .1, (struct resample_noise){.12, 0}), 0, 20);
    assert_true(found(1, 1, .1, no_noise) > 100); /* one run does not know what runs differ by */
}

static void a_tenth_more_is_found(void **state)
{
    (void)state;
    assert_true(found(8, 1.1, .03, no_noise) > 380);
    assert_true(found(1, 1.1, 0, (struct resample_noise){.01, 0}) > 200);
    assert_true(found(8, 1 / 1.1, .03, no_noise) > 380);
}

static void the_interval_has_the_truth(void **state)
{
    enum { PAIRS = 400 };
    static struct runs a, b;
    uint64_t seed = 3;
    unsigned has = 0;
    (void)state;
    for (int i = 0; i < PAIRS; i++) {
        make(&a, 5, 1, .05, &seed);
        make(&b, 5, 1.25, .05, &seed);
        struct change c = compare(&a, &b, no_noise);
        assert_true(c.low < c.factor && c.factor < c.high);
        has += c.low <= 1.25 && 1.25 <= c.high;
    }
    assert_in_range(has, PAIRS * 94 / 100, PAIRS - 1);
}

/* The same draws each time. */
static void it_can_be_repeated(void **state)
{
    static struct runs a;
    uint64_t seed = 1;
    (void)state;
    make(&a, 3, 1, .1, &seed);
    struct estimate x = estimate(&a, no_noise), y = estimate(&a, no_noise);
    assert_memory_equal(&x, &y, sizeof x);
    struct change c = change_between(&x, &y, .95);
    assert_true(c.factor == 1 && c.chance == 1 && c.low < 1 && c.high > 1);
}

static void least_noise_counts_for_small_numbers(void **state)
{
    static struct runs a, b;
    uint64_t seed = 5;
    (void)state;
    make(&a, 1, .001, 0, &seed);
    make(&b, 1, .1, 0, &seed);
    assert_true(compare(&a, &b, no_noise).chance < 1e-6);
    assert_true(compare(&a, &b, (struct resample_noise){0, 100}).chance > .5);
    /* Several runs say it themselves. */
    make(&a, 3, .001, 0, &seed);
    make(&b, 3, .1, 0, &seed);
    assert_true(compare(&a, &b, (struct resample_noise){1, 100}).chance < .01);
}

static void from_nothing_there_is_no_factor(void **state)
{
    static struct runs none, some;
    uint64_t seed = 9;
    (void)state;
    none.n = 1;
    make(&some, 1, 1, 0, &seed);
    struct change c = compare(&none, &some, no_noise);
    assert_true(isinf(c.factor) && isnan(c.low) && c.chance < 1e-6);
    c = compare(&some, &none, no_noise);
    assert_true(c.factor == 0 && isnan(c.high) && c.chance < 1e-6);
    c = compare(&none, &none, no_noise);
    assert_true(c.factor == 1 && c.chance == 1);
    memset(some.x, 0, sizeof some.x);
    some.x[0][5] = 10; /* once only */
    assert_true(compare(&none, &some, no_noise).chance > .05);
}

static double of_the_first(const void *arg, const uint32_t *times) { return *(const double *)arg * times[0]; }

static void a_short_trace_knows_nothing(void **state)
{
    struct resample s;
    const double three = 3;
    size_t n = RESAMPLE_LEAST - 1;
    (void)state;
    assert_true(resample_init(&s, 1, &n, 1));
    struct estimate e = {3, NAN, 0}, f = resample_estimate(&s, of_the_first, &three, no_noise);
    assert_true(f.value == 3 && isnan(f.error));
    struct change c = change_between(&e, &f, .95);
    assert_true(c.chance == 1 && isnan(c.low));
    resample_free(&s);
    n = 0;
    assert_true(resample_init(&s, 1, &n, 1));
    resample_free(&s);
}

/* By the tables of any book. */
static void students_t(void **state)
{
    static const struct {
        double t, freedom, chance;
    } known[] = {{12.706, 1, .05}, {2.776, 4, .05}, {2.228, 10, .05}, {4.144, 10, .002}, {1.96, 1e6, .05}};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_true(fabs(student_chance(known[i].t, known[i].freedom) / known[i].chance - 1) < .002);
        assert_true(fabs(student_chance(-known[i].t, known[i].freedom) / known[i].chance - 1) < .002);
        assert_true(fabs(student_quantile(known[i].chance, known[i].freedom) / known[i].t - 1) < .001);
    }
    assert_true(student_chance(0, 5) == 1);
    assert_true(student_chance(3, 0) == 1);
    assert_true(isinf(student_quantile(.05, 0)));
}

static void many_at_once(void **state)
{
    double chances[] = {.04, .001, .5, .02, .5};
    (void)state;
    assert_true(adjust_for_many(chances, 5));
    assert_true(fabs(chances[1] - .005) < 1e-12);
    assert_true(fabs(chances[3] - .08) < 1e-12);
    assert_true(fabs(chances[0] - .12) < 1e-12);
    assert_true(chances[2] == 1 && chances[4] == 1);
    assert_true(adjust_for_many(chances, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_runs_seldom_differ),
        cmocka_unit_test(a_tenth_more_is_found),
        cmocka_unit_test(the_interval_has_the_truth),
        cmocka_unit_test(it_can_be_repeated),
        cmocka_unit_test(least_noise_counts_for_small_numbers),
        cmocka_unit_test(from_nothing_there_is_no_factor),
        cmocka_unit_test(a_short_trace_knows_nothing),
        cmocka_unit_test(students_t),
        cmocka_unit_test(many_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
