/* CPU samples of a recording: in the generation of their time, and with no more weight than there was time for. */
#include "tests/unit/recording-file.h"

#include "cmd/finish/recording_read.h"
#include "lib/meta.h"
#include "lib/wire/events.h"

static uint64_t weight = 1;

static void add_sample(uint64_t written_in, uint64_t time, uint64_t p1, uint64_t g, int n, const uint64_t *pcs)
{
    struct meta_record *r = begin_record(META_SAMPLE);
    meta_int(r, time);
    meta_int(r, 7);
    meta_int(r, p1);
    meta_int(r, g);
    meta_int(r, weight);
    meta_int(r, (uint64_t)n);
    for (int i = 0; i < n; i++)
        meta_int(r, i ? zigzag_encode((int64_t)(pcs[i] - pcs[i - 1])) : pcs[i]);
    end_record(r, written_in);
}

static void samples_belong_to_the_generation_of_their_time(void **state)
{
    static const uint64_t deep[] = {0x7fff00001234, 0x401000, 0x401800, UINT64_MAX, 2}, other[] = {0x401000};
    struct recording r;
    begin_file();
    add_sample(2, 250, 3, 9, 5, deep);
    add_sample(2, 199, 0, 0, 5, deep); /* written late */
    add_sample(2, 150, 1, 9, 5, deep);
    add_sample(3, 150, 1, 9, 1, other);
    add_sample(3, 50, 1, 9, 0, NULL);
    add_sample(3, 300, 1, 9, 5, deep);
    assert_null(recording_read(&r, &file));
    static const struct {
        uint64_t time, generation;
    } wanted[] = {{50, 1}, {150, 1}, {150, 1}, {199, 1}, {250, 2}, {300, 3}};
    assert_int_equal(r.samples.n, ARRAY_SIZE(wanted));
    for (size_t i = 0; i < r.samples.n; i++) {
        assert_int_equal(r.samples.v[i].time, wanted[i].time);
        assert_int_equal(r.samples.v[i].generation, wanted[i].generation);
        assert_int_equal(r.samples.v[i].m, 7);
    }
    assert_int_equal(r.samples.v[0].stack_id, 0);
    assert_int_equal(r.samples.v[3].p, ID_NONE);
    assert_int_equal(r.samples.v[3].g, 0);
    assert_int_equal(r.samples.v[4].p, 2);
    assert_int_equal(r.samples.v[4].g, 9);

    /* One stack for equal ones of a generation: two in the first, one each in the others. */
    assert_int_equal(r.stacks.n, 4);
    for (size_t i = 0; i < r.stacks.n; i++) {
        assert_true(r.stacks.v[i].id >= SAMPLE_STACK_BASE);
        for (size_t k = 0; k < r.stacks.v[i].n; k++)
            assert_int_equal(r.stacks.pcs[r.stacks.v[i].first + k].pc, (r.stacks.v[i].n == 5 ? deep : other)[k]);
    }
    recording_free(&r);
}

static void many_stacks_stay_apart(void **state)
{
    enum { STACKS = 3000, PER_BATCH = 15 };
    struct recording r;
    begin_file();
    memset(&r, 0, sizeof r);
    assert_true(samples_begin(&r.samples, &file));
    for (int round = 0; round < 2; round++)
        for (uint64_t i = 0; i < STACKS; i++) {
            file.meta.n = 0;
            add_sample(1, 110 + i % 2 * 100, 1, 1, 2, (const uint64_t[]){0x1000, 0x2000 + i / 2});
            assert_true(samples_read(&r.samples, &r.stacks, &r.modules, meta[0].data + 1, meta[0].data + meta[0].size));
        }
    samples_end(&r.samples);
    assert_int_equal(r.stacks.n, STACKS);
    assert_int_equal(r.samples.n, 2 * STACKS);
    recording_free(&r);
}

/* A damaged record must not make a large trace of a small spool. */
static void weights_are_bounded(void **state)
{
    static const uint64_t weights[] = {3, 0, 4, 3, UINT64_MAX, SAMPLE_WEIGHT_MAX + 1, 2};
    static const uint64_t wanted[] = {3, 1, 4, 1, 1, 1, 1};
    struct recording r;
    begin_file();
    header.samples.repeats = 5;
    for (size_t i = 0; i < ARRAY_SIZE(weights); i++) {
        weight = weights[i];
        add_sample(1, 100 + i, 1, 9, 1, (const uint64_t[]){0x1000});
    }
    weight = 1;
    assert_null(recording_read(&r, &file));
    for (size_t i = 0; i < ARRAY_SIZE(weights); i++)
        assert_int_equal(r.samples.v[i].weight, wanted[i]);
    recording_free(&r);
    begin_file();
    header.samples.repeats = UINT64_MAX;
    weight = SAMPLE_WEIGHT_MAX;
    add_sample(1, 100, 1, 9, 1, (const uint64_t[]){0x1000});
    weight = SAMPLE_WEIGHT_MAX + 1; /* more than one record may say, whatever the header does */
    add_sample(1, 101, 1, 9, 1, (const uint64_t[]){0x1000});
    weight = 1;
    assert_null(recording_read(&r, &file));
    assert_int_equal(r.samples.v[0].weight, SAMPLE_WEIGHT_MAX);
    assert_int_equal(r.samples.v[1].weight, 1);
    recording_free(&r);
    header.samples.repeats = 5;
}

static void differences_fold(void **state)
{
    static const int64_t v[] = {0, 1, -1, 63, -64, INT64_MAX, INT64_MIN, -0x7fffffff0000};
    for (size_t i = 0; i < ARRAY_SIZE(v); i++)
        assert_true(zigzag_decode(zigzag_encode(v[i])) == v[i]);
    assert_true(zigzag_encode(-64) == 127 && zigzag_encode(63) == 126);
}

static uint64_t total_weight(const struct samples *s)
{
    uint64_t n = 0;
    for (size_t i = 0; i < s->n; i++)
        n += s->v[i].weight;
    return n;
}

/* A sample weighs no more than there was time for, whatever the spool says. */
static void samples_weigh_what_there_was_time_for(void **state)
{
    enum { HZ = 100, TICKS = 1000000, SECONDS = 4, N = HZ * SECONDS, MANY = 20000 };
    struct sample v[N];
    struct samples s = {.v = v, .n = N, .cap = N};
    struct spool_header h = {.first = {.ticks = 5000}, .samples = {.hz = HZ}};
    for (int i = 0; i < N; i++)
        v[i] = (struct sample){.generation = 1, .m = 8, .time = 5000 + (uint64_t)i * TICKS * SECONDS / N, .weight = 1};
    v[N / 2].m = 7;
    v[N / 2].weight = HZ * SECONDS / 2; /* its signal was blocked all the time */
    assert_int_equal(samples_bound(&s, &h, TICKS), 0);

    for (int i = 0; i < N; i++) {
        v[i].m = 7;
        v[i].weight = 4096;
    }
    uint64_t cut = samples_bound(&s, &h, TICKS);
    assert_in_range(total_weight(&s), HZ * SECONDS, 2 * HZ * SECONDS + N);
    assert_int_equal(cut + total_weight(&s), (uint64_t)N * 4096);
    for (int i = 0; i < N; i++)
        assert_true(v[i].weight > 0);

    /* Nor more than a trace can have, when the header makes up a long time and a high rate. */
    static struct sample many[MANY];
    s = (struct samples){.v = many, .n = MANY, .cap = MANY};
    h.samples.hz = UINT64_MAX;
    for (uint64_t i = 0; i < MANY; i++)
        many[i] = (struct sample){.generation = 1, .m = i, .time = UINT64_MAX - MANY + i, .weight = 4096};
    samples_bound(&s, &h, 1);
    assert_in_range(total_weight(&s), MANY, 6 << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_belong_to_the_generation_of_their_time),
        cmocka_unit_test(samples_weigh_what_there_was_time_for),
        cmocka_unit_test(many_stacks_stay_apart),
        cmocka_unit_test(weights_are_bounded),
        cmocka_unit_test(differences_fold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
