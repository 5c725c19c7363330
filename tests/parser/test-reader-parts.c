/* Parts of the reader: the map of IDs, the sort that breaks ties as Go does, and its failures. */
#include "parser/failure.h" /* before cmocka, which has a macro named fail */

#include "tests/unit/unit.h"

#include <stdlib.h>

#include "parser/gosort.h"
#include "parser/idmap.h"

static uint64_t next_random(uint64_t *r)
{
    *r ^= *r << 13;
    *r ^= *r >> 7;
    *r ^= *r << 17;
    return *r;
}

static void idmap_holds_any_id(void **state)
{
    static const uint64_t ids[] = {0, 1, 1023, 1024, 1 << 20, UINT32_MAX, UINT64_MAX - 1, UINT64_MAX};
    struct idmap m = {0};
    for (uint32_t i = 0; i < ARRAY_SIZE(ids); i++) {
        assert_int_equal(idmap_get(&m, ids[i]), 0);
        assert_true(idmap_add(&m, ids[i], i + 1));
    }
    for (uint32_t i = 0; i < ARRAY_SIZE(ids); i++)
        assert_int_equal(idmap_get(&m, ids[i]), i + 1);
    assert_in_range(m.ndense, 1, 4096); /* a few large IDs do not make a large array */
    for (uint32_t i = 0; i < ARRAY_SIZE(ids); i++) {
        idmap_remove(&m, ids[i]);
        idmap_remove(&m, ids[i]);
        assert_int_equal(idmap_get(&m, ids[i]), 0);
    }
    assert_int_equal(m.count, 0);
    idmap_free(&m);
}

/* Against an array of all there is, with IDs that make entries move from the hash to the array. */
static void idmap_survives_a_random_walk(void **state)
{
    enum { N = 40000, STEPS = 400000 };
    uint32_t *model = calloc(N, sizeof *model);
    struct idmap m = {0};
    uint64_t r = 42;
    size_t count = 0;
    for (uint32_t step = 1; step <= STEPS; step++) {
        uint64_t at = next_random(&r) % N, id = at % 3 ? at : at << 40;
        assert_int_equal(idmap_get(&m, id), model[at]);
        if (!model[at]) {
            assert_true(idmap_add(&m, id, step));
            model[at] = step;
            count++;
        } else if (next_random(&r) % 3 == 0) {
            idmap_remove(&m, id);
            model[at] = 0;
            count--;
        }
        assert_int_equal(m.count, count);
        if (step == STEPS / 2) {
            idmap_clear(&m);
            memset(model, 0, N * sizeof *model);
            count = 0;
        }
    }
    idmap_free(&m);
    free(model);
}

static int64_t key_of(int shape, int64_t i, int64_t n, uint64_t r)
{
    switch (shape) {
    case 0: /* random */
        return (int64_t)(r >> 40);
    case 1: /* few different ones */
        return (int64_t)(r >> 60) % 5;
    case 2: /* sorted, with ties */
        return i / 3;
    case 3: /* nearly sorted */
        return r >> 59 ? i : (int64_t)(r >> 50);
    case 4: /* falling */
        return (n - i) / 2;
    default: /* rising, then falling */
        return i < n / 2 ? i / 2 : (n - i) / 2;
    }
}

/* FNV-1a over where each element came from, for 0 to 700 elements: the digests are what Go's slices.SortFunc gave. */
static void gosort_leaves_ties_as_go_does(void **state)
{
    static const uint64_t digests[] = {
        UINT64_C(0x4c6afa299462f06b),
        UINT64_C(0x5890c4b00c0399d5),
        UINT64_C(0xb3a645178a5df97f),
        UINT64_C(0xaecf99c35d91c4f3),
        UINT64_C(0x2beb78a683e7ffcf),
        UINT64_C(0x6f98af02a58bea0f),
    };
    enum { MOST = 700 };
    struct keyed v[MOST];
    for (int shape = 0; shape < (int)ARRAY_SIZE(digests); shape++) {
        uint64_t h = UINT64_C(0xcbf29ce484222325);
        for (int n = 0; n <= MOST; n++) {
            uint64_t r = (uint64_t)(n * 6 + shape) * UINT64_C(0x9e3779b97f4a7c15) + 1;
            for (int i = 0; i < n; i++)
                v[i] = (struct keyed){key_of(shape, i, n, next_random(&r)), (uint64_t)i};
            gosort(v, (size_t)n);
            for (int i = 0; i < n; i++) {
                assert_true(!i || v[i - 1].key <= v[i].key);
                h = (h ^ v[i].value) * UINT64_C(0x100000001b3);
            }
        }
        assert_int_equal(h, digests[shape]);
    }
}

/* Where every pivot is bad, heapsort takes over. */
static void gosort_is_not_led_astray(void **state)
{
    enum { N = 3000 };
    struct keyed v[N];
    for (int i = 0; i < N; i++)
        v[i] = (struct keyed){i % 2 ? i : -i, 0};
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < N; i++)
            v[i].key = (v[i].key * 7919 + round) % (round * 13 + 2);
        gosort(v, N);
        for (int i = 1; i < N; i++)
            assert_true(v[i - 1].key <= v[i].key);
    }
}

static void the_first_failure_stays(void **state)
{
    struct failure f = {0};
    const struct place here = {.generation = 2, .thread = 3, .offset = 4, .event = "Event"};
    (fail)(&f, GOTRACE_EBROKEN, here, "no. %d", 1);
    (fail)(&f, GOTRACE_ENOMEM, (struct place){.generation = 5}, "no. %d", 2);
    assert_int_equal(f.error.status, GOTRACE_EBROKEN);
    assert_string_equal(f.error.message, "no. 1");
    assert_int_equal(f.error.generation, 2);
    assert_int_equal(f.error.thread, 3);
    assert_int_equal(f.error.offset, 4);
    assert_string_equal(f.error.event, "Event");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idmap_holds_any_id),
        cmocka_unit_test(idmap_survives_a_random_walk),
        cmocka_unit_test(gosort_leaves_ties_as_go_does),
        cmocka_unit_test(gosort_is_not_led_astray),
        cmocka_unit_test(the_first_failure_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
