/* What the kernel says of threads and processors, in traces of a few events: what becomes of each. */
#include "tests/parser/switched.h"

static void test_preempted(void **state)
{
    (void)state;
    struct made m = begin(1);
    block(&m, 1, 3000, "sync", 0);
    BECOMES(&m, 2,
            "1.1000 GoStop(preempted), 1.1001 ProcStop, 1.2000 ProcStart, 1.2001 GoStart, 1.2002 ProcsChange, "
            "1.3000 GoBlock(sync)",
            PREEMPTED(1, 1000), IN(1, 2000));
}

static void test_blocked_unseen(void **state)
{
    (void)state;
    struct made m = begin(1);
    block(&m, 1, 3000, "sync", 0);
    BECOMES(&m, 2,
            "1.1000 GoBlock(unspecified), 1.1001 ProcStop, 1.2000 GoUnblock, 1.2001 ProcStart, 1.2002 GoStart, "
            "1.2003 ProcsChange, 1.3000 GoBlock(sync)",
            BLOCKS(1, 1000), IN(1, 2000));
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
    assert_int_equal(gotrace_builder_generation(m.b, 2), 0);
    assert_int_equal(gotrace_builder_sync(m.b, 1000000000, 1500, 0, 0, 0), 0);
    m.on = 0;
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
    block(&m, 1, 1000, "sync", 0);
    EVENT(&m, 1, 1001, ProcStop);
    wake(&m, 2, 1, 2000, 0);
    EVENT(&m, 1, 2998, ProcStart, 1, 1);
    start(&m, 1, 3000);
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
    assert_int_equal(gotrace_builder_generation(m.b, 2), 0);
    assert_int_equal(gotrace_builder_sync(m.b, 1000000000, 1500, 0, 0, 0), 0);
    m.on = 0;
    EVENT(&m, 1, 1501, ProcStatus, 1, 1);
    EVENT(&m, 1, 1502, GoStatus, 1, 1, 2);
    block(&m, 1, 3000, "sync", 0);
    show_cpus = true;
    BECOMES(&m, 2, "switches lost 5, moves threads 0, switches lost 5, 1.3000 GoBlock(sync)", IN(7, 1000));
    show_cpus = false;
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
        cmocka_unit_test(test_word_of_one_without_a_processor),
        cmocka_unit_test(test_lost),
        cmocka_unit_test(test_proc_of_a_call),
        cmocka_unit_test(test_metric_without_a_proc),
        cmocka_unit_test(test_generation),
        cmocka_unit_test(test_unknown_threads),
        cmocka_unit_test(test_cpus),
        cmocka_unit_test(test_cpus_in_generations),
        cmocka_unit_test(test_cpus_of_two_with_one_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
