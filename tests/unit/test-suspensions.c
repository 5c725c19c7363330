/* What is left of two clocks when the machine was suspended in between. */
#include <string.h>

#include "lib/suspensions.h"
#include "tests/unit/unit.h"

enum { HZ = 100000000, S = 1000000000 };

static const struct trace_clock counter = {.source = CLOCK_SOURCE_COUNTER};

/* After so many seconds awake, and so many in which only the counter went on. */
static struct clock_pair at(uint64_t awake_s, uint64_t suspended_s)
{
    return (struct clock_pair){1 + (awake_s + suspended_s) * HZ, 5 * (uint64_t)S + awake_s * S};
}

static void without_one_nothing_is_left_out(void **state)
{
    struct suspensions s = {0};
    assert_int_equal(suspensions_frequency(&s, &counter, at(0, 0), at(10, 0)), HZ);
    assert_int_equal(suspensions_before(&s, UINT64_MAX, HZ), 0);
}

static void the_length_of_a_tick_is_that_of_the_time_awake(void **state)
{
    struct suspensions s = {0};
    suspensions_note(&s, at(3, 0), at(4, 600));
    suspensions_note(&s, at(7, 600), at(8, 9000));
    assert_int_equal(clock_frequency(&counter, at(0, 0), at(10, 9000)) / HZ, 901); /* what it would be else */
    assert_int_equal(suspensions_frequency(&s, &counter, at(0, 0), at(10, 9000)), HZ);
    const struct trace_clock mono = {.source = CLOCK_SOURCE_MONOTONIC};
    assert_int_equal(suspensions_frequency(&s, &mono, at(0, 0), at(10, 9000)), S);
}

static void all_the_time_may_have_been_one(void **state)
{
    struct suspensions s = {0};
    suspensions_note(&s, at(0, 0), at(1, 600));
    assert_int_equal(suspensions_frequency(&s, &counter, at(0, 0), at(1, 600)), 0);
}

static void times_are_behind_by_those_before(void **state)
{
    struct suspensions s = {0};
    suspensions_note(&s, at(3, 0), at(4, 600));
    suspensions_note(&s, at(7, 600), at(8, 9000));
    assert_int_equal(suspensions_before(&s, at(4, 599).ticks, HZ), 0);
    assert_int_equal(suspensions_before(&s, at(4, 600).ticks, HZ), 600 * (uint64_t)S);
    assert_int_equal(suspensions_before(&s, at(8, 8999).ticks, HZ), 600 * (uint64_t)S);
    assert_int_equal(suspensions_before(&s, at(8, 9000).ticks, HZ), 9000 * (uint64_t)S);
    assert_int_equal(suspensions_before(&s, UINT64_MAX, HZ), 9000 * (uint64_t)S);
    assert_int_equal(suspensions_before(&s, UINT64_MAX, 0), 0);
}

static void a_counter_that_stands_still_as_well_is_not_behind(void **state)
{
    struct suspensions s = {0};
    suspensions_note(&s, at(3, 0), at(4, 0));
    assert_int_equal(suspensions_frequency(&s, &counter, at(0, 0), at(10, 0)), HZ);
    assert_int_equal(suspensions_before(&s, UINT64_MAX, HZ), 0);
}

static void those_that_find_no_place_are_one_with_the_last(void **state)
{
    struct suspensions s = {0};
    for (uint64_t i = 0; i < 12; i++)
        suspensions_note(&s, at(10 * i + 2, 100 * i), at(10 * i + 3, 100 * i + 100));
    assert_int_equal(s.n, SUSPENSIONS_MAX);
    assert_int_equal(suspensions_before(&s, UINT64_MAX, HZ), 1200 * (uint64_t)S);
    assert_int_equal(suspensions_frequency(&s, &counter, at(0, 0), at(120, 1200)), HZ);
}

/* As in a file that somebody else may have written. */
static void numbers_that_make_no_sense_are_passed_over(void **state)
{
    struct suspensions s = {0};
    suspensions_note(&s, at(4, 600), at(3, 0));
    suspensions_note(&s, at(5, 0), at(500, 0));
    suspensions_note(&s, (struct clock_pair){0, 0}, at(1, 0));
    s.n = UINT32_MAX;
    assert_int_equal(suspensions_frequency(&s, &counter, at(0, 0), at(10, 0)), HZ);
    memset(&s, 0xff, sizeof s);
    assert_int_equal(suspensions_frequency(&s, &counter, at(0, 0), at(10, 0)), HZ);
    suspensions_before(&s, UINT64_MAX, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_one_nothing_is_left_out),
        cmocka_unit_test(the_length_of_a_tick_is_that_of_the_time_awake),
        cmocka_unit_test(all_the_time_may_have_been_one),
        cmocka_unit_test(times_are_behind_by_those_before),
        cmocka_unit_test(a_counter_that_stands_still_as_well_is_not_behind),
        cmocka_unit_test(those_that_find_no_place_are_one_with_the_last),
        cmocka_unit_test(numbers_that_make_no_sense_are_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
