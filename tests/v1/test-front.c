/* Which of two events with the same time comes first. */
#include "tests/unit/unit.h"

#include "parser/gosort.h"
#include "parser/v1/front.h"

static void expect_takes(struct v1_front *f, const char *wanted)
{
    char got[64] = "";
    for (size_t proc, n = 0; v1_front_take(f, &proc); n++)
        got[n] = (char)('a' + proc);
    assert_string_equal(got, wanted);
    v1_front_free(f);
}

static void the_last_one_moves_to_the_front(void **state)
{
    struct v1_front f;
    size_t proc;
    assert_true(v1_front_init(&f, V1_AS_GO_1_21, 4));
    v1_front_add(&f, 1, 0);
    v1_front_add(&f, 2, 1);
    v1_front_add(&f, 2, 2);
    v1_front_add(&f, 2, 3);
    assert_true(v1_front_take(&f, &proc));
    assert_int_equal(proc, 0);
    v1_front_add(&f, 2, 0);
    expect_takes(&f, "dacb");
}

/* The list as Go 1.21 has it: sorted each time, the first one replaced by the last. */
struct plain {
    struct keyed v[64];
    size_t n;
};

static size_t plain_take(struct plain *l)
{
    gosort(l->v, l->n);
    size_t first = l->v[0].value;
    l->v[0] = l->v[--l->n];
    return first;
}

static void the_list_is_that_of_go(void **state)
{
    uint64_t random = 1;
    for (size_t procs = 1; procs <= 40; procs++) {
        for (unsigned spread = 1; spread < 100; spread *= 3) {
            struct plain plain = {.n = 0};
            struct v1_front f;
            size_t got;
            assert_true(v1_front_init(&f, V1_AS_GO_1_21, procs));
            for (size_t i = 0; i < 300; i++) {
                /* All at first, later one mostly, and now and then none or two. */
                size_t add = i ? (random >> 40) % 8 : procs;
                for (add = i && add > 2 ? 1 : add; add && plain.n < procs; add--) {
                    random = random * UINT64_C(6364136223846793005) + 1;
                    struct keyed k = {(int64_t)(i + (random >> 33) % spread), (random >> 50) + i};
                    plain.v[plain.n++] = k;
                    v1_front_add(&f, k.key, k.value);
                }
                if (!plain.n) {
                    assert_false(v1_front_take(&f, &got));
                    continue;
                }
                assert_true(v1_front_take(&f, &got));
                assert_int_equal(got, plain_take(&plain));
            }
            v1_front_free(&f);
        }
    }
}

static void add_both(struct plain *l, struct v1_front *f, int64_t time, size_t value)
{
    l->v[l->n++] = (struct keyed){time, value};
    v1_front_add(f, time, value);
}

static void take_both(struct plain *l, struct v1_front *f, size_t n)
{
    for (size_t got; n; n--) {
        assert_true(v1_front_take(f, &got));
        assert_int_equal(got, plain_take(l));
    }
}

static void one_tie(size_t procs, int64_t time, int64_t other)
{
    struct plain plain = {.n = 0};
    struct v1_front f;
    assert_true(v1_front_init(&f, V1_AS_GO_1_21, procs));
    for (size_t i = 0; i < procs; i++)
        add_both(&plain, &f, (int64_t)i * 10, i);
    take_both(&plain, &f, 2);
    add_both(&plain, &f, time, procs);
    add_both(&plain, &f, other, procs + 1);
    take_both(&plain, &f, procs);
    v1_front_free(&f);
}

/* Of many, only two have the same time: both that were added, or one of these and another one. */
static void an_event_that_is_added_may_tie(void **state)
{
    for (size_t procs = 3; procs <= 40; procs++) {
        for (int64_t time = 20; time < (int64_t)procs * 10; time += 10) {
            one_tie(procs, time + 3, time + 3);
            one_tie(procs, time, time + 3);
        }
    }
}

static void a_heap_gives_the_earliest(void **state)
{
    struct v1_front f;
    size_t proc;
    assert_true(v1_front_init(&f, V1_AS_GO_1_22, 50));
    for (size_t i = 0; i < 50; i++)
        v1_front_add(&f, (int64_t)(i * 37 % 50), i * 37 % 50);
    for (size_t i = 0; i < 50; i++) {
        assert_true(v1_front_take(&f, &proc));
        assert_int_equal(proc, i);
    }
    assert_false(v1_front_take(&f, &proc));
    v1_front_free(&f);
}

static void since_1_22_it_is_a_heap(void **state)
{
    struct v1_front f;
    assert_true(v1_front_init(&f, V1_AS_GO_1_22, 5));
    for (size_t i = 0; i < 5; i++)
        v1_front_add(&f, i == 4 ? 0 : 1, i);
    expect_takes(&f, "ebdca");
}

/* Of `procs` events, the last ones are earlier than the others by `spread` or less. */
static void fill(struct v1_front *f, enum v1_view view, size_t procs, uint64_t seed, int64_t spread)
{
    size_t first;
    assert_true(v1_front_init(f, view, procs + 2));
    v1_front_add(f, -1, procs);
    for (size_t i = 0; i < procs; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1;
        v1_front_add(f, 10 + (int64_t)((seed >> 33) % (uint64_t)spread), i);
    }
    assert_true(v1_front_take(f, &first));
    assert_int_equal(first, procs);
}

/* What passes is the next one, and those that are left come in the order in which they would have come without it. */
static void what_passes_leaves_the_others_as_they_were(void **state)
{
    size_t passed = 0;
    for (uint64_t i = 0; i < 8000; i++) {
        enum v1_view view = i & 1 ? V1_AS_GO_1_21 : V1_AS_GO_1_22;
        size_t procs = i / 2 % 6, got, without;
        int64_t spread = 1 + (int64_t)(i / 12 % 3), time = 9 + (int64_t)(i / 36 % 4);
        struct v1_front with, other;
        fill(&with, view, procs, i, spread);
        fill(&other, view, procs, i, spread);
        if (v1_front_passes(&with, time)) {
            passed++;
            v1_front_add(&with, time, procs + 1);
            assert_true(v1_front_take(&with, &got));
            assert_int_equal(got, procs + 1);
            for (size_t k = 0; k < procs; k++) {
                assert_true(v1_front_take(&with, &got) && v1_front_take(&other, &without));
                assert_int_equal(got, without);
            }
        }
        v1_front_free(&with);
        v1_front_free(&other);
    }
    assert_in_range(passed, 1000, 7000);
}

/* It passes where there is nobody, and before one or two; not together with one. */
static void few_are_passed(void **state)
{
    static const size_t most[] = {[V1_AS_GO_1_21] = 1, [V1_AS_GO_1_22] = 2};
    for (enum v1_view view = V1_AS_GO_1_21; view <= V1_AS_GO_1_22; view++) {
        struct v1_front f;
        for (size_t procs = 0; procs < 5; procs++) {
            fill(&f, view, procs, 1, 1);
            assert_int_equal(v1_front_passes(&f, 9), procs <= most[view]);
            assert_int_equal(v1_front_passes(&f, 10), !procs);
            v1_front_free(&f);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_one_moves_to_the_front),
        cmocka_unit_test(the_list_is_that_of_go),
        cmocka_unit_test(an_event_that_is_added_may_tie),
        cmocka_unit_test(a_heap_gives_the_earliest),
        cmocka_unit_test(since_1_22_it_is_a_heap),
        cmocka_unit_test(what_passes_leaves_the_others_as_they_were),
        cmocka_unit_test(few_are_passed),
    };
    return cmocka_run_group_tests_name("v1 front", tests, NULL, NULL);
}
