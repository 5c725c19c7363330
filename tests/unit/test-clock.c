/* Trace time: where it starts, that it goes on, and how long a tick is. */
#include "tests/unit/unit.h"

#include "lib/clock.h"

static void it_starts_at_one(void **state)
{
    struct trace_clock c;
    clock_start(&c);
    uint64_t first = clock_ticks(&c);
    assert_true(first >= 1);
    c.origin = UINT64_MAX; /* as if the counter had just wrapped around */
    c.source = CLOCK_SOURCE_MONOTONIC;
    c.shift = 0;
    assert_true(clock_ticks(&c) > 1);
}

static void it_never_goes_back(void **state)
{
    struct trace_clock c;
    clock_start(&c);
    for (uint64_t i = 0, last = 0, now; i < 100000; i++, last = now) {
        now = clock_ticks(&c);
        assert_true(now >= last);
    }
}

static void wait_5_ms(void)
{
    uint64_t begin = clock_mono_ns();
    while (clock_mono_ns() < begin + 5000000)
        ;
}

static void both_sources_go_on(void **state)
{
    for (uint32_t source = CLOCK_SOURCE_MONOTONIC; source <= CLOCK_SOURCE_COUNTER; source++) {
        struct trace_clock c = {.source = source, .shift = source == CLOCK_SOURCE_COUNTER ? clock_shift(3000) : 0};
        c.origin = source == CLOCK_SOURCE_COUNTER ? clock_counter() : clock_mono_ns();
        struct clock_pair first = clock_read_pair(&c);
        wait_5_ms();
        struct clock_pair last = clock_read_pair(&c);
        assert_true(last.mono_ns >= first.mono_ns + 5000000);
        assert_true(last.ticks > first.ticks);
        assert_true(clock_frequency(&c, first, last) > 0);
    }
}

static void a_tick_is_short_but_not_too_short(void **state)
{
    assert_int_equal(clock_shift(3000), 6); /* 21 ns; x86 */
    assert_int_equal(clock_shift(1000), 4); /* 16 ns; aarch64 from v8.6 on */
    assert_int_equal(clock_shift(54), 0);   /* 18 ns */
    assert_int_equal(clock_shift(25), 0);   /* 40 ns; older aarch64 */
}

static void a_rough_time_is_right_within_a_half(void **state)
{
    const struct trace_clock mono = {.source = CLOCK_SOURCE_MONOTONIC};
    assert_int_equal(clock_roughly(&mono, 1000000), 1000000);
    struct trace_clock c;
    clock_start(&c);
    if (c.source != CLOCK_SOURCE_COUNTER)
        SKIP("optional: the counter does not run at one rate here");
    struct clock_pair first = clock_read_pair(&c);
    wait_5_ms();
    struct clock_pair last = clock_read_pair(&c);
    uint64_t ticks = last.ticks - first.ticks, rough = clock_roughly(&c, last.mono_ns - first.mono_ns);
    assert_in_range(rough, ticks / 4, ticks * 4);
}

static void both_clocks_are_read_at_one_time(void **state)
{
    for (uint32_t source = CLOCK_SOURCE_MONOTONIC; source <= CLOCK_SOURCE_COUNTER; source++) {
        const struct trace_clock c = {.source = source};
        for (int i = 0; i < 100; i++) {
            uint64_t ticks = clock_ticks(&c), mono = clock_mono_ns();
            struct clock_pair p = clock_read_pair(&c);
            assert_in_range(p.ticks, ticks, clock_ticks(&c));
            assert_in_range(p.mono_ns, mono, clock_mono_ns());
        }
    }
}

static void the_frequency_is_ticks_by_time(void **state)
{
    const struct trace_clock c = {.source = CLOCK_SOURCE_COUNTER, .shift = 6};
    const struct clock_pair first = {100, 1000000000};
    assert_int_equal(clock_frequency(&c, first, (struct clock_pair){100 + 50000000, 2000000000}), 50000000);
    assert_int_equal(clock_frequency(&c, first, (struct clock_pair){100 + 500, 1001000000}), 500000);
    /* a year at 100 MHz: more than 64 bits on the way */
    assert_int_equal(clock_frequency(&c, first, (struct clock_pair){100 + UINT64_C(3153600000000000),
                                                                    1000000000 + UINT64_C(31536000000000000)}),
                     100000000);
}

static void readings_too_close_say_nothing(void **state)
{
    const struct trace_clock c = {.source = CLOCK_SOURCE_COUNTER, .shift = 6};
    const struct clock_pair first = {100, 1000000000};
    assert_int_equal(clock_frequency(&c, first, first), 0);
    assert_int_equal(clock_frequency(&c, first, (struct clock_pair){200, 1000999999}), 0);
    assert_int_equal(clock_frequency(&c, first, (struct clock_pair){100, 3000000000}), 0);
    assert_int_equal(clock_frequency(&c, first, (struct clock_pair){200, 5}), 0);
    const struct trace_clock mono = {.source = CLOCK_SOURCE_MONOTONIC};
    assert_int_equal(clock_frequency(&mono, first, first), 1000000000);
}

/* A spool's header may say anything. */
static void no_readings_are_too_strange(void **state)
{
    const struct trace_clock c = {.source = CLOCK_SOURCE_COUNTER, .shift = 6};
    const struct clock_pair strange = {0, UINT64_MAX};
    assert_int_equal(clock_frequency(&c, strange, (struct clock_pair){UINT64_MAX, UINT64_MAX}), 0);
    assert_int_equal(clock_frequency(&c, strange, (struct clock_pair){UINT64_MAX, 0}), 0);
    assert_int_equal(clock_frequency(&c, strange, (struct clock_pair){UINT64_MAX, 1000000}), 0);
}

static void a_suspension_is_told_from_a_preemption(void **state)
{
    enum { MS = 1000000 };
    assert_false(clock_was_suspended(7, 7));
    assert_false(clock_was_suspended(0, 10 * MS));
    assert_true(clock_was_suspended(0, 10 * MS + 1));
    assert_false(clock_was_suspended(10 * MS + 1, 0)); /* the reading before was that of a preemption */
    assert_true(clock_was_suspended(-3600000000000, -3599000000000)); /* as in a time namespace */
    int64_t suspended_ns = clock_suspended_ns();
    struct trace_clock c;
    clock_start(&c);
    assert_true(clock_read_all(&c, &suspended_ns).mono_ns > 0);
    assert_false(clock_was_suspended(suspended_ns, clock_suspended_ns()));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_starts_at_one),
        cmocka_unit_test(it_never_goes_back),
        cmocka_unit_test(both_sources_go_on),
        cmocka_unit_test(a_tick_is_short_but_not_too_short),
        cmocka_unit_test(a_rough_time_is_right_within_a_half),
        cmocka_unit_test(both_clocks_are_read_at_one_time),
        cmocka_unit_test(the_frequency_is_ticks_by_time),
        cmocka_unit_test(readings_too_close_say_nothing),
        cmocka_unit_test(no_readings_are_too_strange),
        cmocka_unit_test(a_suspension_is_told_from_a_preemption),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
