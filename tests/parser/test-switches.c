/* What the kernel says of threads and processors, in traces of a few events: what becomes of each. */
#include "tests/parser/switched.h"

/* Goroutine 1 is without a processor until 2000, and waits at 3000. */
static void check_without(struct thread_switch off, const char *expected)
{
    struct made m = begin(1);
    block(&m, 1, 3000, "sync", 0);
    BECOMES(&m, 2, expected, off, IN(1, 2000));
}

/* Also if nobody noted it, as it was so when the recording began. */
static void test_preempted(void **state)
{
    (void)state;
    static const char stops[] = "1.1000 GoStop(preempted), 1.1001 ProcStop, 1.2000 ProcStart, 1.2001 GoStart, "
                                "1.2002 ProcsChange, 1.3000 GoBlock(sync)";
    check_without((struct thread_switch)PREEMPTED(1, 1000), stops);
    check_without((struct thread_switch)PREEMPTED_AT_BEGIN(1, 1000), stops);
}

static void test_blocked_unseen(void **state)
{
    (void)state;
    static const char waits[] = "1.1000 GoBlock(unspecified), 1.1001 ProcStop, 1.2000 GoUnblock, 1.2001 ProcStart, "
                                "1.2002 GoStart, 1.2003 ProcsChange, 1.3000 GoBlock(sync)";
    check_without((struct thread_switch)BLOCKS(1, 1000), waits);
    check_without((struct thread_switch)WAITED_AT_BEGIN(1, 1000), waits);
}

/* What nobody noted is no word of where the thread was, nor of when a wait that the trace has began. */
static void test_at_begin(void **state)
{
    (void)state;
    struct made m = wait_of_1(2000, 3000);
    BECOMES(&m, 2,
            "1.1000 GoBlock(sync), 1.1001 ProcStop, 2.2000 GoUnblock, 1.3000 ProcStart, 1.3001 GoStart, "
            "1.3002 ProcsChange",
            WAITED_AT_BEGIN(1, 1100));
    show_cpus = true;
    m = begin(1);
    block(&m, 1, 3000, "sync", 0);
    BECOMES(&m, 2,
            "switches lost 5, moves threads 0, 1.1000 GoStop(preempted), 1.1001 ProcStop, 1.2000 ProcStart, "
            "1.2001 GoStart, 1.2002 ProcsChange, 1.2003 UserLog(7), 1.3000 GoBlock(sync)",
            PREEMPTED_AT_BEGIN(1, 1000), IN_ON(7, 1, 2000));
    m = begin(1);
    block(&m, 1, 3000, "sync", 0);
    BECOMES(&m, 2,
            "switches lost 5, moves threads 0, 1.1000 GoStop(preempted), 1.1001 ProcStop, 1.3000 ProcStart, "
            "1.3001 GoStart, 1.3002 ProcsChange, 1.3003 GoBlock(sync)",
            PREEMPTED_AT_BEGIN(1, 1000));
    show_cpus = false;
}

/* Who says something has a processor, whatever the clocks say. */
static void test_word_of_one_without_a_processor(void **state)
{
    (void)state;
    struct made m = begin(1);
    block(&m, 1, 1500, "sync", 0);
    BECOMES(&m, 2,
            "1.1000 GoStop(preempted), 1.1001 ProcStop, 1.1500 ProcStart, 1.1501 GoStart, 1.1502 ProcsChange, "
            "1.1503 GoBlock(sync)",
            PREEMPTED(1, 1000), IN(1, 2000));
}

static void test_lost(void **state)
{
    (void)state;
    struct made m = begin(1);
    block(&m, 1, 5000, "sync", 0);
    BECOMES(&m, 2,
            "1.1000 GoStop(preempted), 1.1001 ProcStop, 1.2000 ProcStart, 1.2001 GoStart, 1.2002 ProcsChange, "
            "1.5000 GoBlock(sync)",
            PREEMPTED(1, 1000), LOST(2000), IN(1, 3000));
    m = wait_of_1(2000, 3000);
    BECOMES(&m, 2,
            "1.1100 GoBlock(sync), 1.1101 ProcStop, 2.2000 GoUnblock, 1.3000 ProcStart, 1.3001 GoStart, "
            "1.3002 ProcsChange",
            BLOCKS(1, 1100), LOST(2200), IN(1, 2500));
}

/* A proc that is with a thread in a system call, and without a processor, goes to who needs one. */
static void test_proc_of_a_call(void **state)
{
    (void)state;
    struct made m = begin(2);
    EVENT(&m, 1, 1000, GoSyscallBegin, 1, 0);
    EVENT(&m, 1, 5000, GoSyscallEnd);
    EVENT(&m, 2, 6000, HeapAlloc, 1);
    BECOMES(&m, 2,
            "2.500 GoStop(preempted), 2.501 ProcStop, 1.1000 GoSyscallBegin, 2.2000 ProcStart, 2.2001 GoStart, "
            "2.2002 ProcsChange, 1.5000 GoSyscallEnd, 2.6000 HeapAlloc",
            PREEMPTED(2, 500), BLOCKS(1, 1100), IN(2, 2000), IN(1, 4000));
    m = begin(2);
    EVENT(&m, 1, 1000, GoSyscallBegin, 1, 0);
    EVENT(&m, 1, 5000, GoSyscallEnd);
    EVENT(&m, 2, 6000, HeapAlloc, 1);
    BECOMES(&m, 1,
            "2.500 GoStop(preempted), 2.501 ProcStop, 1.1000 GoSyscallBegin, 2.2000 ProcSteal, 2.2001 ProcStart, "
            "2.2002 GoStart, 2.2003 ProcsChange, 2.2500 GoStop(preempted), 2.2501 ProcStop, 1.5000 ProcStart, "
            "1.5001 GoSyscallEndBlocked, 1.5002 GoStart, 1.6000 HeapAlloc",
            PREEMPTED(2, 500), BLOCKS(1, 1100), IN(2, 2000), PREEMPTED(2, 2500), IN(1, 4000));
}

/* What is of the process waits until somebody has a proc. */
static void test_metric_without_a_proc(void **state)
{
    (void)state;
    struct made m = begin(1);
    EVENT(&m, 1, 1500, HeapAlloc, 7);
    block(&m, 1, 3000, "sync", 0);
    BECOMES(&m, 2,
            "1.1000 GoStop(preempted), 1.1001 ProcStop, 1.2000 ProcStart, 1.2001 HeapAlloc, 1.2002 GoStart, "
            "1.2003 ProcsChange, 1.3000 GoBlock(sync)",
            PREEMPTED(1, 1000), IN(1, 2000));
}

/* Who is without a processor when a generation begins is so in its statuses. */
static void test_generation(void **state)
{
    (void)state;
    struct made m = begin(1);
    second_generation(&m, 1500);
    EVENT(&m, 1, 1501, ProcStatus, 1, 1);
    EVENT(&m, 1, 1502, GoStatus, 1, 1, 2);
    block(&m, 1, 3000, "sync", 0);
    BECOMES(&m, 2,
            "1.500 GoStop(preempted), 1.501 ProcStop, 1.600 ProcStart, 1.601 GoStart, 1.602 ProcsChange, "
            "1.1000 GoStop(preempted), 1.1001 ProcStop, 1.2000 ProcStart, 1.2001 GoStart, 1.3000 GoBlock(sync)",
            PREEMPTED(1, 500), IN(1, 600), PREEMPTED(1, 1000), IN(1, 2000));
}

/* Nothing is known of threads before their first event, and of those that have ended. */
static void test_unknown_threads(void **state)
{
    (void)state;
    struct made m = begin(1);
    EVENT(&m, 1, 2000, GoDestroy);
    EVENT(&m, 1, 2001, ProcStop);
    BECOMES(&m, 2, "1.2000 GoDestroy, 1.2001 ProcStop", IN(7, 1000), PREEMPTED(7, 1100), BLOCKS(1, 2100), IN(1, 2200));
}

/* Thread 1 has moved before it says so, and does not say it in a wait; 2 stays. */
static void test_cpus(void **state)
{
    (void)state;
    struct made m = begin(2);
    wait_until(&m, 1, 1000, 2, 2000, 3000);
    block(&m, 1, 4000, "sync", 0);
    show_cpus = true;
    BECOMES(&m, 2,
            "switches lost 5, moves threads 1, moves of 1 migrations 3 cpus 2, "
            "1.500 GoStop(preempted), 1.501 ProcStop, 1.600 ProcStart, 1.601 GoStart, 1.602 ProcsChange, "
            "1.603 UserLog(7), 1.1100 GoBlock(sync), 1.1101 ProcStop, "
            "2.1200 GoBlock(unspecified), 2.1201 ProcStop, 2.1300 GoUnblock, 2.1301 ProcStart, 2.1302 GoStart, "
            "2.1303 UserLog(1), 2.2000 GoUnblock, 1.2500 ProcStart, 1.2501 GoStart, 1.2502 UserLog(3), "
            "1.3100 GoStop(preempted), 1.3101 ProcStop, "
            "1.3200 ProcStart, 1.3201 GoStart, 1.3202 UserLog(7), 1.4000 GoBlock(sync)",
            PREEMPTED_ON(3, 1, 500), IN_ON(7, 1, 600), BLOCKS_ON(7, 1, 1100), BLOCKS_ON(1, 2, 1200),
            IN_ON(1, 2, 1300), IN_ON(3, 1, 2500), PREEMPTED_ON(3, 1, 3100), IN_ON(7, 1, 3200));
    show_cpus = false;
}

/* What is of the whole trace is said once. */
static void test_cpus_in_generations(void **state)
{
    (void)state;
    struct made m = begin(1);
    second_generation(&m, 1500);
    EVENT(&m, 1, 1501, ProcStatus, 1, 1);
    EVENT(&m, 1, 1502, GoStatus, 1, 1, 2);
    block(&m, 1, 3000, "sync", 0);
    show_cpus = true;
    BECOMES(&m, 2, "switches lost 5, moves threads 0, switches lost 5, 1.3000 GoBlock(sync)", IN(7, 1000));
    show_cpus = false;
}

/*
 * Of 1, that was there before, what was counted since the recording began; of 2, that was made meanwhile, all until it
 * ends, and not what comes too late. Of 3 nobody says what it was at the beginning, and 4 has nothing counted. The
 * trace has 5 made, as it has main, but it was there when the recording began.
 */
static void delays_become(const char *delays, const char *log, struct thread_switch s)
{
    static const struct thread_delay said[] = {{150, 20, 5, false, false},   {200, 1000, 1, true, false},
                                               {220, 30, 5, true, false},    {300, 500, 3, false, false},
                                               {1500, 5000, 1, false, false}, {1600, 90, 2, false, true},
                                               {1650, 37, 5, false, false},  {1700, 2500, 3, false, false},
                                               {1950, 99, 2, false, true}};
    char expected[400];
    struct made m = begin(1);
    EVENT(&m, 3, 25, ProcStatus, 3, 1);
    EVENT(&m, 3, 26, GoStatus, 3, 3, 2);
    EVENT(&m, 4, 27, ProcStatus, 4, 1);
    EVENT(&m, 4, 28, GoStatus, 4, 4, 2);
    EVENT(&m, 1, 110, GoCreate, 2, 0, 0);
    EVENT(&m, 2, 120, ProcStatus, 2, 1);
    EVENT(&m, 2, 160, GoStart, 2, 1);
    EVENT(&m, 1, 170, GoCreate, 5, 0, 0);
    EVENT(&m, 5, 171, ProcStatus, 5, 1);
    EVENT(&m, 5, 180, GoStart, 5, 1);
    EVENT(&m, 2, 1900, GoDestroy);
    EVENT(&m, 2, 1901, ProcStop);
    block(&m, 1, 2000, "sync", 0);
    memcpy(delays_said, said, sizeof said);
    show_cpus = true;
    snprintf(expected, sizeof expected,
             "switches lost 5, moves threads 0, %s, 1.110 GoCreate, 2.161 ProcStart, 2.162 GoStart, 2.163 ProcsChange, "
             "1.170 GoCreate, 5.181 ProcStart, 5.182 GoStart, 5.183 ProcsChange, %s2.1900 GoDestroy, 2.1901 ProcStop, "
             "1.2000 GoBlock(sync)",
             delays, log);
    BECOMES(&m, 4, expected, s);
    show_cpus = false;
    memset(delays_said, 0, sizeof delays_said);
}

static void test_delays(void **state)
{
    (void)state;
    delays_become("delays threads 3, delay of 2 ns 90, delay of 1 ns 4000, delay of 5 ns 7", "",
                  (struct thread_switch)IN(7, 1000));
}

/* Who had a processor again after the last word of him may have waited for it; who ends was asked last. */
static void test_delays_read_too_early(void **state)
{
    (void)state;
    delays_become("delays threads 2, delay of 2 ns 90, delay of 5 ns 7", "", (struct thread_switch)IN(1, 2500));
    delays_become("delays threads 2, delay of 2 ns 90, delay of 1 ns 4000", "5.1651 UserLog(0), ",
                  (struct thread_switch)IN(5, 1651));
    delays_become("delays threads 3, delay of 2 ns 90, delay of 1 ns 4000, delay of 5 ns 7", "5.1650 UserLog(0), ",
                  (struct thread_switch)IN(5, 1650));
    delays_become("delays threads 3, delay of 2 ns 90, delay of 1 ns 4000, delay of 5 ns 7", "2.1601 UserLog(0), ",
                  (struct thread_switch)IN(2, 1601));
}

static bool has_switch(struct delays *d, enum switch_kind kind, int64_t time)
{
    const struct thread_switch s = {.time = time, .thread = 9, .kind = kind};
    return delays_switch(d, &s);
}

/* It may have been any that is missing. */
static void test_delays_and_lost_switches(void **state)
{
    (void)state;
    static const struct thread_delay said[] = {{10, 100, 9, true, false}, {20, 300, 9, false, false}};
    for (int64_t lost = 20; lost <= 21; lost++) {
        struct delays d = {.said = said, .n = 2};
        assert_true(delays_know(&d, 1, false) && delays_begin(&d, 9, 1) && has_switch(&d, SWITCH_IN, 15));
        assert_true(has_switch(&d, SWITCHES_LOST, lost) && has_switch(&d, SWITCH_BLOCKS, 30) && delays_end(&d));
        assert_int_equal(d.list.n, lost == 20);
        delays_free(&d);
    }
}

/* Who has been asked for the last time has slept for that, and has to come back. */
static void test_delays_after_the_last_word(void **state)
{
    (void)state;
    static const struct thread_delay said[] = {{20, 300, 9, false, true}};
    struct delays d = {.said = said, .n = 1};
    assert_true(delays_know(&d, 1, true) && delays_begin(&d, 9, 1) && has_switch(&d, SWITCH_PREEMPTED, 10));
    assert_true(has_switch(&d, SWITCH_IN, 15) && has_switch(&d, SWITCH_BLOCKS, 18) && has_switch(&d, SWITCH_IN, 24));
    assert_true(has_switch(&d, SWITCH_PREEMPTED, 30) && has_switch(&d, SWITCH_IN, 80));
    assert_true(has_switch(&d, SWITCH_BLOCKS, 90) && has_switch(&d, SWITCH_IN, 190) && delays_leave(&d, 9, 1));
    assert_int_equal(d.list.n, 1);
    assert_int_equal(d.list.v[0].ns, 300 + 4 + 50);
    delays_free(&d);
}

/* What was counted of one that has ended is no other's who has its number, and what is counted after it nobody's. */
static void test_delays_of_two_with_one_number(void **state)
{
    (void)state;
    static const struct thread_delay said[] = {{10, 100, 9, true, false},  {20, 300, 9, false, true},
                                               {30, 310, 9, false, true},  {40, 7, 9, false, false},
                                               {50, 11, 9, false, true},   {60, 4, 9, false, false},
                                               {70, 99, 9, false, true}};
    struct delays d = {.said = said, .n = 7};
    assert_true(delays_know(&d, 1, false) && delays_begin(&d, 9, 1) && delays_until(&d, 30));
    assert_true(delays_leave(&d, 9, 1) && delays_leave(&d, 8, 5) && delays_until(&d, 31));
    assert_true(delays_leave(&d, 9, 1) && delays_know(&d, 2, true) && delays_begin(&d, 9, 2) && delays_until(&d, 51));
    assert_true(delays_know(&d, 3, true) && delays_begin(&d, 9, 3) && has_switch(&d, SWITCH_IN, 55));
    assert_true(delays_until(&d, 61) && delays_leave(&d, 9, 3));
    assert_true(delays_until(&d, 71) && has_switch(&d, SWITCH_IN, 75) && delays_know(&d, 4, true));
    assert_true(delays_begin(&d, 9, 4) && delays_end(&d));
    assert_int_equal(d.list.n, 3);
    assert_int_equal(d.list.v[0].ns, 200);
    assert_int_equal(d.list.v[1].go, 2);
    assert_int_equal(d.list.v[1].ns, 11);
    assert_int_equal(d.list.v[2].go, 3);
    assert_int_equal(d.list.v[2].ns, 4);
    delays_free(&d);
}

/* The number of a thread that has ended is given again. */
static void test_cpus_of_two_with_one_number(void **state)
{
    (void)state;
    struct thread_switch v[] = {IN_ON(1, 9, 1), IN_ON(2, 9, 2), IN_ON(1, 9, 3), PREEMPTED_ON(2, 9, 4),
                                IN_ON(5, 9, 5), IN_ON(6, 9, 6)};
    struct moves m = {0};
    assert_true(moves_begin(&m, 9, 1) && moves_switch(&m, &v[0]) && moves_switch(&m, &v[1]));
    assert_true(moves_begin(&m, 9, 1) && moves_switch(&m, &v[2]));
    assert_true(moves_leave(&m, 9) && moves_leave(&m, 8) && moves_switch(&m, &v[3]) && moves_switch(&m, &v[4]));
    assert_true(moves_begin(&m, 9, 2) && moves_switch(&m, &v[5]) && moves_end(&m));
    assert_int_equal(m.list.n, 2);
    assert_int_equal(m.list.v[0].go, 1);
    assert_int_equal(m.list.v[0].migrations, 2);
    assert_int_equal(m.list.v[0].cpus, 2);
    assert_int_equal(m.list.v[1].go, 2);
    assert_int_equal(m.list.v[1].migrations, 1);
    assert_int_equal(m.list.v[1].cpus, 2);
    moves_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_preempted),
        cmocka_unit_test(test_blocked_unseen),
        cmocka_unit_test(test_at_begin),
        cmocka_unit_test(test_word_of_one_without_a_processor),
        cmocka_unit_test(test_lost),
        cmocka_unit_test(test_proc_of_a_call),
        cmocka_unit_test(test_metric_without_a_proc),
        cmocka_unit_test(test_generation),
        cmocka_unit_test(test_unknown_threads),
        cmocka_unit_test(test_cpus),
        cmocka_unit_test(test_cpus_in_generations),
        cmocka_unit_test(test_cpus_of_two_with_one_number),
        cmocka_unit_test(test_delays),
        cmocka_unit_test(test_delays_read_too_early),
        cmocka_unit_test(test_delays_and_lost_switches),
        cmocka_unit_test(test_delays_after_the_last_word),
        cmocka_unit_test(test_delays_of_two_with_one_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
