/* When waits begin and end, by what the kernel says of threads, in traces of a few events. */
#include "tests/parser/switched.h"

static void test_end_of_wait(void **state)
{
    (void)state;
    struct made m = wait_of_1(2000, 3000);
    BECOMES(&m, 2,
            "1.1100 GoBlock(sync), 1.1101 ProcStop, 2.2000 GoUnblock, 1.2500 ProcStart, 1.2501 GoStart, "
            "1.2502 ProcsChange",
            BLOCKS(1, 1100), IN(1, 2500));
}

/* What the thread executes until it is put to sleep is its own; why it waits, and where, is said then. */
static void test_begin_of_wait(void **state)
{
    (void)state;
    struct made m = begin(2);
    uint64_t where = stack(&m, NULL, "pthread_mutex_lock", NULL, 0, "main");
    block(&m, 1, 1000, "sync", where);
    EVENT(&m, 1, 1001, ProcStop);
    EVENT(&m, 2, 1500, HeapAlloc, 1);
    wake(&m, 2, 1, 2000, 0);
    EVENT(&m, 1, 2999, ProcStart, 1, 1);
    start(&m, 1, 3000);
    BECOMES(&m, 2,
            "1.1200 GoStop(preempted), 1.1201 ProcStop, 1.1300 ProcStart, 1.1301 GoStart, 1.1302 ProcsChange, "
            "2.1500 HeapAlloc, 1.1600 GoBlock(sync in pthread_mutex_lock), 1.1601 ProcStop, 2.2000 GoUnblock, "
            "1.2500 ProcStart, 1.2501 GoStart",
            PREEMPTED(1, 1200), IN(1, 1300), BLOCKS(1, 1600), IN(1, 1700), BLOCKS(1, 1800), IN(1, 2500));
}

/* Each wait is told by its number. */
static void test_begins_of_waits(void **state)
{
    (void)state;
    struct made m = begin(1);
    for (uint64_t at = 1000; at <= 70 * 1000; at += 1000) {
        block(&m, 1, at, "sync", 0);
        EVENT(&m, 1, at + 700, GoUnblock, 1, ++m.seq[1], 0);
        start(&m, 1, at + 701);
    }
    assert_int_equal(gotrace_builder_finish(m.b), 0);
    struct thread_switch v[] = {BLOCKS(1, 3500), IN(1, 3550), BLOCKS(1, 3580), IN(1, 3600), BLOCKS(1, 68500),
                                IN(1, 68600)};
    struct thread_switches switches = {v, ARRAY_SIZE(v)};
    struct switches_known known = {0};
    struct gotrace_reader *r = reader_of(&m);
    assert_true(switches_learn(r, &switches, &known));
    assert_int_equal(known.late.words.n, 2);
    assert_int_equal(known.late.words.v[0], 1 << 2);
    assert_int_equal(known.late.words.v[1], 1 << 3);
    assert_true(v[0].begins_wait && v[3].ends_wait && v[4].begins_wait && v[5].ends_wait);
    assert_false(v[1].ends_wait || v[2].begins_wait);
    gotrace_reader_free(r);
    switches_known_free(&known);
    gotrace_builder_free(m.b);
}

/* Else the waker would wake one that runs. */
static void test_woken_before_it_sleeps(void **state)
{
    (void)state;
    struct made m = wait_of_1(2000, 3000);
    BECOMES(&m, 2,
            "1.1000 GoBlock(sync), 1.1001 ProcStop, 2.2000 GoUnblock, 1.2500 ProcStart, 1.2501 GoStart, "
            "1.2502 ProcsChange",
            BLOCKS(1, 2100), IN(1, 2500));
}

/* The first that was noted need not be the first. */
static void test_begin_of_wait_lost(void **state)
{
    (void)state;
    struct made m = wait_of_1(2000, 3000);
    BECOMES(&m, 2,
            "1.1000 GoBlock(sync), 1.1001 ProcStop, 2.2000 GoUnblock, 1.2500 ProcStart, 1.2501 GoStart, "
            "1.2502 ProcsChange",
            LOST(1050), BLOCKS(1, 1100), IN(1, 2500));
}

/* It has a processor when it is put to sleep, whatever was noted. */
static void test_no_return_before_it_sleeps(void **state)
{
    (void)state;
    struct made m = wait_of_1(2000, 3000);
    BECOMES(&m, 2,
            "1.1050 GoStop(preempted), 1.1051 ProcStop, 1.1100 ProcStart, 1.1101 GoStart, 1.1102 ProcsChange, "
            "1.1103 GoBlock(sync), 1.1104 ProcStop, 2.2000 GoUnblock, 1.2500 ProcStart, 1.2501 GoStart",
            PREEMPTED(1, 1050), BLOCKS(1, 1100), IN(1, 2500));
}

/* Strings and stacks are of a generation: in the next one a wait has begun. */
static void test_generation_begins_before_it_sleeps(void **state)
{
    (void)state;
    for (int off = 0; off < 2; off++) {
        struct made m = begin(1);
        block(&m, 1, 1000, "sync", stack(&m, NULL, "sem_wait", NULL, 0, "main"));
        EVENT(&m, 1, 1001, ProcStop);
        second_generation(&m, 1500);
        EVENT(&m, 1, 1501, ProcStatus, 1, 2);
        EVENT(&m, 1, 1502, GoStatus, 1, ID_NONE, 4);
        EVENT(&m, 1, 2998, GoUnblock, 1, 1, 0);
        EVENT(&m, 1, 2999, ProcStart, 1, 1);
        EVENT(&m, 1, 3000, GoStart, 1, 2);
        if (off)
            BECOMES(&m, 2,
                    "1.1400 GoStop(preempted), 1.1401 ProcStop, 1.1499 ProcStart, 1.1500 GoStart, 1.1501 ProcsChange, "
                    "1.1502 GoBlock(sync in sem_wait), 1.1503 ProcStop, 1.2500 GoUnblock, 1.2501 ProcStart, "
                    "1.2502 GoStart",
                    PREEMPTED(1, 1400), IN(1, 1600), BLOCKS(1, 1700), IN(1, 2500));
        else
            BECOMES(&m, 2,
                    "1.1499 GoBlock(sync in sem_wait), 1.1500 ProcStop, 1.2500 GoUnblock, 1.2501 ProcStart, "
                    "1.2502 GoStart, 1.2503 ProcsChange",
                    BLOCKS(1, 1700), IN(1, 2500));
    }
}

static void test_woken_in_vain(void **state)
{
    (void)state;
    struct made m = wait_of_1(2000, 3000);
    BECOMES(&m, 2,
            "1.1100 GoBlock(sync), 1.1101 ProcStop, 2.2000 GoUnblock, 1.2500 ProcStart, 1.2501 GoStart, "
            "1.2502 ProcsChange",
            BLOCKS(1, 1100), IN(1, 2100), BLOCKS(1, 2200), IN(1, 2500));
    m = wait_of_1(2000, 3000);
    BECOMES(&m, 2,
            "1.1100 GoBlock(sync), 1.1101 ProcStop, 2.2000 GoUnblock, 1.3000 ProcStart, 1.3001 GoStart, "
            "1.3002 ProcsChange",
            BLOCKS(1, 1100), IN(1, 2100), BLOCKS(1, 2200));
}

/* What brought it back before it was woken cannot be what that was for. */
static void test_back_before_it_was_woken(void **state)
{
    (void)state;
    struct made m = wait_of_1(2000, 3000);
    BECOMES(&m, 2,
            "1.1100 GoBlock(sync), 1.1101 ProcStop, 2.2000 GoUnblock, 1.3000 ProcStart, 1.3001 GoStart, "
            "1.3002 ProcsChange",
            BLOCKS(1, 1100), IN(1, 1500));
}

static void test_woken_by_nobody(void **state)
{
    (void)state;
    struct made m = wait_of_1(0, 3000);
    BECOMES(&m, 2,
            "1.1100 GoBlock(sync), 1.1101 ProcStop, 1.2500 GoUnblock, 1.2501 ProcStart, 1.2502 GoStart, "
            "1.2503 ProcsChange",
            BLOCKS(1, 1100), IN(1, 2500));
}

/* It loses the processor between its wait and its word of that. */
static void test_preempted_before_it_says_so(void **state)
{
    (void)state;
    struct made m = wait_of_1(2000, 3000);
    BECOMES(&m, 2,
            "1.1100 GoBlock(sync), 1.1101 ProcStop, 2.2000 GoUnblock, 1.2500 ProcStart, 1.2501 GoStart, "
            "1.2502 ProcsChange, 1.2600 GoStop(preempted), 1.2601 ProcStop, 1.2900 ProcStart, 1.2901 GoStart",
            BLOCKS(1, 1100), IN(1, 2500), PREEMPTED(1, 2600), IN(1, 2900));
}

static void test_preempted_in_a_wait(void **state)
{
    (void)state;
    struct made m = wait_of_1(2000, 3000);
    BECOMES(&m, 2,
            "1.1000 GoBlock(sync), 1.1001 ProcStop, 2.2000 GoUnblock, 1.3000 ProcStart, 1.3001 GoStart, "
            "1.3002 ProcsChange",
            PREEMPTED(1, 1100), IN(1, 2500));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_end_of_wait),
        cmocka_unit_test(test_begin_of_wait),
        cmocka_unit_test(test_begins_of_waits),
        cmocka_unit_test(test_woken_before_it_sleeps),
        cmocka_unit_test(test_begin_of_wait_lost),
        cmocka_unit_test(test_no_return_before_it_sleeps),
        cmocka_unit_test(test_generation_begins_before_it_sleeps),
        cmocka_unit_test(test_woken_in_vain),
        cmocka_unit_test(test_back_before_it_was_woken),
        cmocka_unit_test(test_woken_by_nobody),
        cmocka_unit_test(test_preempted_before_it_says_so),
        cmocka_unit_test(test_preempted_in_a_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
