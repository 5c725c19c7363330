/* What a recording's records become: CPU samples in the generation of their time, modules by address and time. */
#include "tests/unit/unit.h"

#include "cmd/recording.h"
#include "lib/meta.h"
#include "lib/symbolize/symbolize.h"

static struct spool_header header;
static struct spool_batch events[3], meta[16];
static uint8_t bytes[16][256];
static struct spool_file file;

static void begin_file(void)
{
    static const uint64_t times[] = {100, 200, 300};
    memset(&file, 0, sizeof file);
    for (int i = 0; i < 3; i++)
        events[i] = (struct spool_batch){.generation = (uint64_t)i + 1, .m = 7, .time = times[i], .data = bytes[0]};
    file.header = &header;
    file.events = (struct spool_batches){events, 3, 3};
    file.meta = (struct spool_batches){meta, 0, 16};
}

static struct meta_record *begin_record(enum meta_tag tag)
{
    static struct meta_record r;
    meta_begin(&r, bytes[file.meta.n], sizeof bytes[0], tag);
    return &r;
}

static void end_record(struct meta_record *r, uint64_t generation)
{
    uint8_t *start = bytes[file.meta.n];
    assert_false(r->overflow);
    meta[file.meta.n++] = (struct spool_batch){.generation = generation, .data = start, .size = (size_t)(r->p - start)};
}

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
        meta_int(r, i ? meta_fold((int64_t)(pcs[i] - pcs[i - 1])) : pcs[i]);
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
    assert_int_equal(r.samples.v[3].p, GOTRACE_BUILDER_NONE);
    assert_int_equal(r.samples.v[3].g, 0);
    assert_int_equal(r.samples.v[4].p, 2);
    assert_int_equal(r.samples.v[4].g, 9);

    /* One stack for equal ones of a generation: two in the first, one each in the others. */
    assert_int_equal(r.nstacks, 4);
    for (size_t i = 0; i < r.nstacks; i++) {
        assert_true(r.stacks[i].id >= SAMPLE_STACK_BASE);
        for (size_t k = 0; k < r.stacks[i].n; k++)
            assert_int_equal(r.pcs[r.stacks[i].first + k].pc, (r.stacks[i].n == 5 ? deep : other)[k]);
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
            assert_true(samples_read(&r, meta[0].data + 1, meta[0].data + meta[0].size));
        }
    samples_end(&r.samples);
    assert_int_equal(r.nstacks, STACKS);
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
}

static void add_module(uint64_t generation, uint64_t time, uint64_t start, uint64_t end, const char *path)
{
    struct meta_record *r = begin_record(META_MODULE);
    meta_int(r, time);
    meta_int(r, start);
    meta_int(r, end);
    meta_int(r, start);
    meta_text(r, path, strlen(path));
    meta_text(r, "", 0);
    end_record(r, generation);
}

static const char *path_at(const struct recording *r, uint64_t pc, uint64_t generation)
{
    const struct rec_module *m = recording_module_of(r, pc, generation, 0);
    return m ? m->path : "none";
}

static void modules_are_found_by_address_and_time(void **state)
{
    struct recording r;
    begin_file();
    add_module(1, 100, 0x1000, 0x2000, "/no/program");
    add_module(1, 100, 0x5000, 0x6000, "/no/first");
    add_module(2, 200, 0x5800, 0x7000, "/no/second");
    add_module(2, 200, 0x1000, 0x2000, "/no/program");
    add_module(3, 300, 0x5000, 0x6000, "/no/first");
    assert_null(recording_read(&r, &file));
    r.symbolizer = symbolize_new();
    assert_true(recording_add_modules(&r));
    assert_int_equal(r.modules[0].mapping, r.modules[3].mapping);
    assert_int_equal(r.modules[1].mapping, r.modules[4].mapping);
    assert_int_not_equal(r.modules[1].mapping, r.modules[2].mapping);
    for (uint64_t g = 1; g <= 3; g++) {
        assert_string_equal(path_at(&r, 0x1000, g), "none");
        assert_string_equal(path_at(&r, 0x1001, g), "/no/program");
        assert_string_equal(path_at(&r, 0x2000, g), "/no/program");
        assert_string_equal(path_at(&r, 0x2001, g), "none");
        assert_string_equal(path_at(&r, 0x5001, g), "/no/first");
        assert_string_equal(path_at(&r, 0x7000, g), "/no/second"); /* not there in the first, but who else */
    }
    assert_string_equal(path_at(&r, 0x5900, 1), "/no/first");
    assert_string_equal(path_at(&r, 0x5900, 2), "/no/second");
    assert_string_equal(path_at(&r, 0x5900, 3), "/no/first");
    assert_string_equal(path_at(&r, 0x7001, 3), "none");
    recording_free(&r);
}

static const char *path_then(const struct recording *r, uint64_t pc, uint64_t time)
{
    const struct rec_module *m = recording_module_of(r, pc, 1, recording_epoch(r, time));
    return m ? m->path : "none";
}

/* All in one generation: dlclose is seen before and after, dlopen some time later. */
static void modules_of_samples_are_found_by_their_time(void **state)
{
    struct recording r;
    begin_file();
    add_module(1, 100, 0x1000, 0x2000, "/no/program");
    add_module(1, 200, 0x1000, 0x2000, "/no/program");
    add_module(1, 200, 0x5000, 0x6000, "/no/first");
    add_module(1, 210, 0x1000, 0x2000, "/no/program");
    add_module(1, 300, 0x1000, 0x2000, "/no/program");
    add_module(1, 300, 0x5000, 0x6000, "/no/second");
    add_module(1, 310, 0x1000, 0x2000, "/no/program");
    assert_null(recording_read(&r, &file));
    r.symbolizer = symbolize_new();
    assert_true(recording_add_modules(&r));
    static const struct {
        uint64_t time;
        const char *path;
    } wanted[] = {{150, "/no/first"}, {200, "/no/first"}, {209, "/no/first"}, {210, "/no/second"}, {250, "/no/second"},
                  {300, "/no/second"}, {305, "/no/second"}};
    for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
        assert_string_equal(path_then(&r, 0x5001, wanted[i].time), wanted[i].path);
        assert_string_equal(path_then(&r, 0x1001, wanted[i].time), "/no/program");
        assert_string_equal(path_then(&r, 0x3000, wanted[i].time), "none");
    }
    assert_string_not_equal(path_then(&r, 0x5001, 50), "none");
    assert_string_not_equal(path_then(&r, 0x5001, 400), "none");
    recording_free(&r);
}

static void differences_fold(void **state)
{
    static const int64_t v[] = {0, 1, -1, 63, -64, INT64_MAX, INT64_MIN, -0x7fffffff0000};
    for (size_t i = 0; i < ARRAY_SIZE(v); i++)
        assert_true(meta_unfold(meta_fold(v[i])) == v[i]);
    assert_true(meta_fold(-64) == 127 && meta_fold(63) == 126);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_belong_to_the_generation_of_their_time),
        cmocka_unit_test(many_stacks_stay_apart),
        cmocka_unit_test(weights_are_bounded),
        cmocka_unit_test(modules_are_found_by_address_and_time),
        cmocka_unit_test(modules_of_samples_are_found_by_their_time),
        cmocka_unit_test(differences_fold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
