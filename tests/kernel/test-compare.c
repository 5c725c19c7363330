/* The comparison on made-up accounts of two threads: it accepts those that agree, and finds each kind of lie. */
#include "tests/unit/unit.h"

#include "tests/kernel/scene.h"

/* ---- agreement ------------------------------------------------------------------------------------------------- */

static void what_agrees_agrees(void **state)
{
    struct comparison c = compared(agreeing());
    assert_tally(c.sleeps, 6, 6);
    assert_tally(c.by_clock, 6, 6);
    assert_tally(c.mutex, 2, 2);
    assert_tally(c.cond, 2, 2);
    assert_tally(c.sem, 1, 1);
    assert_int_equal(c.ncalls, 6);
    assert_int_equal(c.waits, 6);
    assert_int_equal(c.missing + c.twice + c.begins_off + c.ends_off + c.chained + c.unslept, 0);
    assert_true(holds(in_trace(&c)));
    assert_true(in_place(c.sleeps));
}

static void a_return_that_only_perf_tells_counts(void **state)
{
    struct scene s = agreeing();
    s.perf_tells_return = true;
    assert_tally(compared(s).by_clock, 6, 6);
}

static void a_return_that_nobody_tells_is_not_held_against_the_trace(void **state)
{
    struct scene s = agreeing();
    s.unreported = 3;
    assert_tally(compared(s).by_clock, 3, 3);
}

static void short_sleeps_and_a_cpu_taken_away_are_not_asked_for(void **state)
{
    struct scene s = agreeing();
    s.sleeps[6] = (struct scripted_sleep){8000, 0, 9000, 0, 'R'};
    s.sleeps[7] = (struct scripted_sleep){9100, 9120, 9149, WAKER, 'S'};
    assert_tally(compared(s).sleeps, 6, 6);
}

/* The thread is in the wait by its own word when the CPU is taken from it; then it sleeps, and sleeps again. */
static void a_call_may_sleep_twice_and_wait_for_a_cpu(void **state)
{
    struct scene s = agreeing();
    s.sleeps[6] = (struct scripted_sleep){8005, 0, 8400, 0, 'R'};
    s.sleeps[7] = (struct scripted_sleep){8410, 8600, 8610, WAKER, 'S'};
    s.sleeps[8] = (struct scripted_sleep){8620, 8800, 8810, STRANGER, 'D'};
    s.waits[6] = (struct scripted_wait){8000, 8590, 8815, WAKER, "pthread_mutex_lock", BLOCKS};
    struct comparison c = compared(s);
    assert_tally(c.sleeps, 8, 8);
    assert_tally(c.by_clock, 6, 8);
    assert_tally(c.mutex, 3, 3);
    assert_int_equal(c.chained, 2);
}

/* ---- lies ------------------------------------------------------------------------------------------------------ */

static void a_sleep_that_the_trace_lacks_is_missed(void **state)
{
    struct scene s = agreeing();
    memset(&s.waits[5], 0, sizeof s.waits[5]);
    struct comparison c = compared(s);
    assert_tally(c.sleeps, 5, 6);
    assert_int_equal(c.missing, 1);
    assert_false(holds(in_trace(&c)));
}

/* As in a page fault: then the thread was in no call. */
static void an_uninterruptible_sleep_outside_of_calls_is_not_asked_for(void **state)
{
    struct scene s = agreeing();
    s.sleeps[6] = (struct scripted_sleep){8100, 8390, 8400, STRANGER, 'D'};
    struct comparison c = compared(s);
    assert_tally(c.sleeps, 6, 6);
    assert_int_equal(c.missing, 0);
    assert_int_equal(c.faults, 1);
    s.sleeps[6].state = 'S';
    c = compared(s);
    assert_tally(c.sleeps, 6, 7);
    assert_int_equal(c.faults, 0);
}

static void a_sleep_told_elsewhere_is_found(void **state)
{
    static const struct {
        int begin, end; /* by how much the trace is off */
        int begins_off, ends_off;
    } lies[] = {{-40, 40, 0, 0}, {-60, 0, 1, 0}, {60, 0, 1, 0}, {0, 60, 0, 1}, {0, -60, 0, 1}};
    for (size_t i = 0; i < ARRAY_SIZE(lies); i++) {
        struct scene s = agreeing();
        s.waits[3].begin += lies[i].begin;
        s.waits[3].end += lies[i].end;
        s.waits[3].woken += lies[i].end;
        struct comparison c = compared(s);
        assert_int_equal(c.begins_off, lies[i].begins_off);
        assert_int_equal(c.ends_off, lies[i].ends_off);
        assert_int_equal(c.sleeps.good, 6 - lies[i].begins_off - lies[i].ends_off);
    }
}

/* What the hypervisor takes in the middle of a switch is before or behind it, as one likes. */
static void a_moment_within_a_switch_is_that_of_the_switch(void **state)
{
    static const struct {
        int takes, begin, end; /* by how much the trace is off, of a near of 50 */
        int good;
    } moments[] = {{0, 70, 70, 4}, {30, 70, 70, 6}, {30, 90, 70, 5}, {30, 70, 90, 5}, {30, -45, -40, 6},
                   {30, -60, 70, 5}};
    for (size_t i = 0; i < ARRAY_SIZE(moments); i++) {
        struct scene s = agreeing();
        s.switch_takes = moments[i].takes;
        s.waits[2].begin = s.sleeps[2].begin + moments[i].begin;
        s.waits[3].end = s.sleeps[3].end + moments[i].end;
        struct comparison c = compared(s);
        assert_tally(c.by_clock, (uint64_t)moments[i].good, 6);
        assert_tally(c.sleeps, (uint64_t)moments[i].good, 6);
    }
}

/* So is a stop's. */
static void a_stop_within_a_switch_is_that_of_the_switch(void **state)
{
    struct scene s = agreeing();
    s.sleeps[6] = (struct scripted_sleep){8000, 0, 9000, 0, 'R'};
    s.waits[6] = (struct scripted_wait){8070, 0, 9070, 0, "-", STOPS};
    assert_tally(compared(s).stops, 0, 1);
    s.switch_takes = 30;
    assert_tally(compared(s).stops, 1, 1);
}

static void sleeps_that_are_all_told_elsewhere_are_not_in_place(void **state)
{
    struct scene s = agreeing();
    for (int i = 0; i < 3; i++)
        s.waits[i].begin -= 60;
    struct comparison c = compared(s);
    assert_tally(c.sleeps, 3, 6);
    assert_true(holds(in_trace(&c)));
    assert_false(in_place(c.sleeps));
}

static void a_sleep_told_twice_is_found(void **state)
{
    struct scene s = agreeing();
    s.waits[5] = (struct scripted_wait){6000, 6200, 6210, WAKER, "mtx_lock", BLOCKS};
    s.waits[6] = (struct scripted_wait){6215, 6480, 6500, WAKER, "mtx_lock", BLOCKS};
    struct comparison c = compared(s);
    assert_int_equal(c.twice, 1);
    assert_tally(c.sleeps, 5, 6);
    assert_tally(in_trace(&c), 5, 6);
}

static void a_wrong_waker_is_found(void **state)
{
    struct scene s = agreeing();
    s.sleeps[0].waker = STRANGER;
    s.waits[1].waker = SLEEPER;
    s.waits[1].woken = s.waits[1].end - 1;
    struct comparison c = compared(s);
    assert_tally(c.mutex, 1, 2);
    assert_tally(c.cond, 1, 2);
    assert_tally(c.sem, 1, 1);
    assert_tally(c.sleeps, 6, 6);
}

static void what_an_interrupt_wakes_counts_for_nobody(void **state)
{
    struct scene s = agreeing();
    s.sleeps[0].waker = STRANGER;
    s.waits[0].waker = INTERRUPT;
    struct comparison c = compared(s);
    assert_tally(c.mutex, 1, 1);
    assert_tally(c.sleeps, 6, 6);
}

/* Whom it interrupted has nothing to do with it: the thread says that nobody woke it. */
static void what_a_timer_wakes_nobody_else_does(void **state)
{
    struct scene s = agreeing();
    s.timers = 3;
    s.waits[0].waker = SLEEPER;
    struct comparison c = compared(s);
    assert_tally(c.mutex, 2, 2);
    assert_tally(c.cond, 1, 2);
    assert_tally(c.sleeps, 6, 6);
}

/* Woken before it is away, in the middle of the switch: that ends this sleep, and not one that is long after. */
static void who_wakes_in_the_middle_of_a_switch_counts(void **state)
{
    for (int long_before = 0; long_before < 2; long_before++) {
        struct scene s = agreeing();
        s.sleeps[6] = (struct scripted_sleep){8005, 8003 - 100 * long_before, 8400, WAKER, 'S'};
        s.waits[6] = (struct scripted_wait){8001, 8002, 8402, WAKER, "sem_wait", BLOCKS};
        struct comparison c = compared(s);
        assert_tally(c.sem, 2 - long_before, 2 - long_before);
        s.timers = 1 << 6;
        c = compared(s);
        assert_tally(c.sem, 1, 2 - long_before);
        s.waits[6].waker = SLEEPER;
        c = compared(s);
        assert_tally(c.sem, 2 - long_before, 2 - long_before);
    }
}

/* The trace has the first waker of a wait, though it slept longer after that. */
static void who_wakes_at_once_counts(void **state)
{
    struct scene s = agreeing();
    s.sleeps[6] = (struct scripted_sleep){8003, 8005, 8006, WAKER, 'S'};
    s.sleeps[7] = (struct scripted_sleep){8010, 8800, 8810, STRANGER, 'S'};
    s.waits[6] = (struct scripted_wait){8000, 8004, 8812, WAKER, "pthread_cond_wait", BLOCKS};
    assert_tally(compared(s).cond, 3, 3);
}

static void a_wait_without_sleep_is_counted(void **state)
{
    struct scene s = agreeing();
    s.waits[6] = (struct scripted_wait){8000, 8400, 8500, WAKER, "read", BLOCKS};
    struct comparison c = compared(s);
    assert_int_equal(c.waits, 7);
    assert_int_equal(c.unslept, 1);
    assert_tally(c.sleeps, 6, 6);
}

/* ---- processors, and calls of the kernel ------------------------------------------------------------------------- */

static struct scene stopped_once(int begin, int end)
{
    struct scene s = agreeing();
    s.sleeps[6] = (struct scripted_sleep){8000, 0, 9000, 0, 'R'};
    if (end)
        s.waits[6] = (struct scripted_wait){begin, 0, end, 0, "work", STOPS};
    return s;
}

static void a_lost_processor_is_a_stop_of_that_time(void **state)
{
    assert_tally(compared(stopped_once(8002, 8999)).stops, 1, 1);
    assert_tally(compared(stopped_once(8051, 9000)).stops, 0, 1);
    assert_tally(compared(stopped_once(8000, 9051)).stops, 0, 1);
    assert_int_equal(compared(stopped_once(8051, 9000)).stops_missing, 0);
    struct comparison c = compared(stopped_once(0, 0));
    assert_tally(c.stops, 0, 1);
    assert_int_equal(c.stops_missing, 1);
    assert_tally(c.sleeps, 6, 6);
}

static void a_processor_lost_in_a_call_is_no_stop(void **state)
{
    struct scene s = stopped_once(7900, 9100);
    s.waits[6].kind = CALLS_KERNEL;
    struct comparison c = compared(s);
    assert_tally(c.stops, 0, 0);
    assert_int_equal(c.stops_in_calls, 1);
}

/* What it does in there besides, before and after, nobody knows. */
static void a_sleep_in_a_system_call_lies_within(void **state)
{
    struct scene s = agreeing();
    s.sleeps[6] = (struct scripted_sleep){8100, 8380, 8400, STRANGER, 'D'};
    s.waits[6] = (struct scripted_wait){8000, 0, 8500, 0, "pwrite", CALLS_KERNEL};
    struct comparison c = compared(s);
    assert_tally(c.sleeps, 6, 6);
    assert_tally(c.in_calls, 1, 1);
    assert_tally(in_trace(&c), 7, 7);
    s.waits[6].end = 8340;
    c = compared(s);
    assert_tally(c.in_calls, 0, 1);
    assert_int_equal(c.ends_off, 1);
}

static void the_tolerance_is_what_is_asked_for(void **state)
{
    struct scene s = stopped_once(8030, 9000);
    s.waits[3].begin -= 30;
    assert_tally(compared(s).sleeps, 6, 6);
    assert_tally(compared(s).stops, 1, 1);
    s.near_us = 20;
    struct comparison c = compared(s);
    assert_tally(c.sleeps, 5, 6);
    assert_tally(c.by_clock, 5, 6);
    assert_tally(c.stops, 0, 1);
}

/* From each GoUnblock to the GoStart 20 us later; the kernel's thread is queued for 14 us before it has a CPU. */
static void runnable_time_is_summed_on_both_sides(void **state)
{
    struct comparison c = compared(stopped_once(8010, 9000));
    assert_int_equal(c.runnable / 1000, 6 * 20 + 990); /* events of one time are a nanosecond apart */
    assert_int_equal(c.kernel_runnable / 1000, 6 * 14 + 1000);
}

static struct scene stopped_for_long(int begin)
{
    struct scene s = stopped_once(begin, 19000);
    s.sleeps[6].end = 19000;
    return s;
}

/* What the kernel has counted of goroutine 1, that had no CPU for 11.084 ms, or longer if queued when new. */
static void the_kernels_own_account_is_held_to_one_of_hundred(void **state)
{
    static const struct {
        uint64_t delay;
        int queued_new, good;
    } told[] = {{11084000, 0, 1}, {10974000, 0, 1}, {10973000, 0, 0}, {11194000, 0, 1}, {11195000, 0, 0},
                {11084000, 150, 0}, {11234000, 150, 1}};
    for (size_t i = 0; i < ARRAY_SIZE(told); i++) {
        struct scene s = stopped_for_long(8300);
        s.delay_ns = told[i].delay;
        s.queued_new = told[i].queued_new;
        struct comparison c = compared(s);
        assert_tally(c.delays, (uint64_t)told[i].good, 1);
        assert_tally(c.delays_shown, 0, 1);
    }
    struct comparison c = compared(stopped_for_long(8300));
    assert_tally(c.delays, 0, 1);
    c = compared(stopped_once(8300, 9000));
    assert_int_equal(c.delays.n, 0);
}

static void a_trace_that_shows_a_thread_runnable_for_so_long_is_told(void **state)
{
    assert_tally(compared(stopped_for_long(8036)).delays_shown, 1, 1);
}

/* ---- what cannot be compared ------------------------------------------------------------------------------------ */

static void a_trace_without_clocks_is_refused(void **state)
{
    struct scene s = agreeing();
    s.version = 22;
    assert_false(read_trace(&s));
    trace_free(&s.trace);
}

static void the_account_of_another_run_is_refused(void **state)
{
    struct scene s = agreeing();
    assert_true(read_trace(&s));
    idmap_clear(&s.trace.by_tid);
    assert_false(read_kernel(&s));
    kernel_free(&s.kernel);
    trace_free(&s.trace);
}

/* Thread IDs come again. */
static void the_account_of_another_time_is_refused(void **state)
{
    enum { HOUR_S = 3600 };
    struct scene s = agreeing();
    assert_true(read_trace(&s));
    s.trace.begin += HOUR_S * INT64_C(1000000000);
    s.trace.end += HOUR_S * INT64_C(1000000000);
    assert_false(read_kernel(&s));
    kernel_free(&s.kernel);
    trace_free(&s.trace);
}

static void procs_and_awake_threads_are_counted(void **state)
{
    struct scene s = agreeing();
    assert_true(read_trace(&s));
    assert_true(read_kernel(&s));
    assert_int_equal(s.trace.procs, 2);
    assert_int_equal(s.trace.procs_at_once, 2);
    assert_int_equal(s.kernel.awake_at_once, 2);
    assert_int_equal(s.trace.threads.n, 2);
    kernel_free(&s.kernel);
    trace_free(&s.trace);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_agrees_agrees),
        cmocka_unit_test(a_return_that_only_perf_tells_counts),
        cmocka_unit_test(a_return_that_nobody_tells_is_not_held_against_the_trace),
        cmocka_unit_test(short_sleeps_and_a_cpu_taken_away_are_not_asked_for),
        cmocka_unit_test(a_call_may_sleep_twice_and_wait_for_a_cpu),
        cmocka_unit_test(a_sleep_that_the_trace_lacks_is_missed),
        cmocka_unit_test(an_uninterruptible_sleep_outside_of_calls_is_not_asked_for),
        cmocka_unit_test(a_sleep_told_elsewhere_is_found),
        cmocka_unit_test(a_moment_within_a_switch_is_that_of_the_switch),
        cmocka_unit_test(a_stop_within_a_switch_is_that_of_the_switch),
        cmocka_unit_test(sleeps_that_are_all_told_elsewhere_are_not_in_place),
        cmocka_unit_test(a_sleep_told_twice_is_found),
        cmocka_unit_test(a_wrong_waker_is_found),
        cmocka_unit_test(what_an_interrupt_wakes_counts_for_nobody),
        cmocka_unit_test(what_a_timer_wakes_nobody_else_does),
        cmocka_unit_test(who_wakes_in_the_middle_of_a_switch_counts),
        cmocka_unit_test(who_wakes_at_once_counts),
        cmocka_unit_test(a_wait_without_sleep_is_counted),
        cmocka_unit_test(a_lost_processor_is_a_stop_of_that_time),
        cmocka_unit_test(a_processor_lost_in_a_call_is_no_stop),
        cmocka_unit_test(a_sleep_in_a_system_call_lies_within),
        cmocka_unit_test(the_tolerance_is_what_is_asked_for),
        cmocka_unit_test(runnable_time_is_summed_on_both_sides),
        cmocka_unit_test(the_kernels_own_account_is_held_to_one_of_hundred),
        cmocka_unit_test(a_trace_that_shows_a_thread_runnable_for_so_long_is_told),
        cmocka_unit_test(a_trace_without_clocks_is_refused),
        cmocka_unit_test(the_account_of_another_run_is_refused),
        cmocka_unit_test(the_account_of_another_time_is_refused),
        cmocka_unit_test(procs_and_awake_threads_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
