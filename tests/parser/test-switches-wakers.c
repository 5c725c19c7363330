/* Who ended waits, by what the kernel says of it, in traces of a few events. */
#include "tests/parser/switched.h"

/* It is runnable from then on, and has a processor later. */
static void test_by_another_process(void **state)
{
    (void)state;
    struct made m = wait_of_1(0, 3000);
    BECOMES(&m, 2,
            "1.1100 GoBlock(sync), 1.1101 ProcStop, -1.2000 GoUnblock(by cat (thread 77)), 1.2500 ProcStart, "
            "1.2501 GoStart, 1.2502 ProcsChange",
            BLOCKS(1, 1100), WOKEN_BY(77, 1, 2000), IN(1, 2500));
}

static void test_by_one_without_a_name(void **state)
{
    (void)state;
    struct made m = wait_of_1(0, 3000);
    BECOMES(&m, 2,
            "1.1100 GoBlock(sync), 1.1101 ProcStop, -1.2000 GoUnblock(by thread 78), 1.2500 ProcStart, "
            "1.2501 GoStart, 1.2502 ProcsChange",
            BLOCKS(1, 1100), WOKEN_BY(78, 1, 2000), IN(1, 2500));
}

/* Whom it interrupted has nothing to do with it, be it a thread of the program. */
static void test_by_interrupts(void **state)
{
    (void)state;
    static const struct {
        uint32_t number;
        const char *as;
    } softirqs[] = {{0, "softirq"}, {1, "softirq hi"}, {4, "softirq net_rx"}, {10, "softirq rcu"}, {11, "softirq"}};
    for (size_t i = 0; i < ARRAY_SIZE(softirqs); i++) {
        struct made m = wait_of_1(0, 3000);
        char expected[256];
        snprintf(expected, sizeof expected,
                 "1.1100 GoBlock(sync), 1.1101 ProcStop, -1.2000 GoUnblock(by %s on CPU 3), 1.2500 ProcStart, "
                 "1.2501 GoStart, 1.2502 ProcsChange",
                 softirqs[i].as);
        BECOMES(&m, 2, expected, BLOCKS(1, 1100), WOKEN_IN_SOFTIRQ(softirqs[i].number, 1, 2000), IN(1, 2500));
    }
    struct made m = wait_of_1(0, 3000);
    BECOMES(&m, 2,
            "1.1100 GoBlock(sync), 1.1101 ProcStop, -1.2000 GoUnblock(by interrupt on CPU 3), 1.2500 ProcStart, "
            "1.2501 GoStart, 1.2502 ProcsChange",
            BLOCKS(1, 1100), WOKEN_IN(WAKING_IN_INTERRUPT, 1, 2000), IN(1, 2500));
}

/* By a call that no wrapper sees. */
static void test_by_a_thread_of_the_program(void **state)
{
    (void)state;
    struct made m = wait_of_1(0, 3000);
    BECOMES(&m, 2,
            "1.1100 GoBlock(sync), 1.1101 ProcStop, 2.2000 GoUnblock, 1.2500 ProcStart, 1.2501 GoStart, "
            "1.2502 ProcsChange",
            BLOCKS(1, 1100), WOKEN_BY(2, 1, 2000), IN(1, 2500));
}

/* By what the call does: its stack is known as long as its generation is. */
static void test_by_a_thread_in_a_call(void **state)
{
    (void)state;
    for (int later = 0; later < 2; later++) {
        struct made m = begin(2);
        block(&m, 1, 1000, "sync", 0);
        EVENT(&m, 1, 1001, ProcStop);
        EVENT(&m, 2, 1100, GoSyscallBegin, 1, stack(&m, NULL, "sendto", "sender", 7, "sends"));
        if (later) {
            second_generation(&m, 1500);
            EVENT(&m, 1, 1501, ProcStatus, 1, 2);
            EVENT(&m, 2, 1501, ProcStatus, 2, 3);
            EVENT(&m, 2, 1502, GoStatus, 2, 2, 3);
            EVENT(&m, 1, 1502, GoStatus, 1, UINT64_MAX, 4);
        }
        EVENT(&m, 2, 2100, GoSyscallEnd);
        EVENT(&m, 1, 2998, GoUnblock, 1, ++m.seq[1], 0);
        EVENT(&m, 1, 2999, ProcStart, 1, 1);
        start(&m, 1, 3000);
        BECOMES(&m, 2,
                later ? "1.1050 GoBlock(sync), 1.1051 ProcStop, 2.1100 GoSyscallBegin, 2.2000 GoUnblock, "
                        "2.2100 GoSyscallEnd, 1.2500 ProcStart, 1.2501 GoStart, 1.2502 ProcsChange"
                      : "1.1050 GoBlock(sync), 1.1051 ProcStop, 2.1100 GoSyscallBegin, 2.2000 GoUnblock(by sendto), "
                        "2.2100 GoSyscallEnd, 1.2500 ProcStart, 1.2501 GoStart, 1.2502 ProcsChange",
                BLOCKS(1, 1050), WOKEN_BY(2, 1, 2000), IN(1, 2500));
    }
}

static void test_known_already(void **state)
{
    (void)state;
    struct made m = wait_of_1(2000, 3000);
    BECOMES(&m, 2,
            "1.1100 GoBlock(sync), 1.1101 ProcStop, 2.2000 GoUnblock, 1.2500 ProcStart, 1.2501 GoStart, "
            "1.2502 ProcsChange",
            BLOCKS(1, 1100), WOKEN_BY(77, 1, 1900), IN(1, 2500));
}

/* Thread 2 is said to have woken it at 1900, before it did what wakes. */
static struct made woken_by_2(void)
{
    struct made m = begin(3);
    wait_until(&m, 1, 1000, 2, 1900, 3000);
    return m;
}

/* It says already that it waits. */
static void test_by_a_thread_that_waits(void **state)
{
    (void)state;
    struct made m = begin(2);
    block(&m, 1, 1000, "sync", 0);
    EVENT(&m, 1, 1001, ProcStop);
    block(&m, 2, 1500, "sync", 0);
    EVENT(&m, 2, 1501, ProcStop);
    EVENT(&m, 1, 2998, GoUnblock, 1, ++m.seq[1], 0);
    EVENT(&m, 1, 2999, ProcStart, 1, 1);
    start(&m, 1, 3000);
    BECOMES(&m, 2,
            "1.1100 GoBlock(sync), 1.1101 ProcStop, 2.1500 GoBlock(sync), 2.1501 ProcStop, "
            "2.2000 GoUnblock(by thread 2), 1.2500 ProcStart, 1.2501 GoStart, 1.2502 ProcsChange",
            BLOCKS(1, 1100), WOKEN_BY(2, 1, 2000), IN(1, 2500));
}

static void test_not_who_the_trace_says(void **state)
{
    (void)state;
    struct made m = woken_by_2();
    BECOMES(&m, 3,
            "1.1100 GoBlock(sync), 1.1101 ProcStop, 3.2000 GoUnblock, 1.2500 ProcStart, 1.2501 GoStart, "
            "1.2502 ProcsChange",
            BLOCKS(1, 1100), WOKEN_BY(2, 1, 1200), IN(1, 1300), BLOCKS(1, 1400), WOKEN_BY(3, 1, 2000), IN(1, 2500));
    m = woken_by_2();
    BECOMES(&m, 3,
            "1.1100 GoBlock(sync), 1.1101 ProcStop, 3.2000 GoUnblock, 1.2500 ProcStart, 1.2501 GoStart, "
            "1.2502 ProcsChange",
            BLOCKS(1, 1100), WOKEN_BY(3, 1, 2000), IN(1, 2100), BLOCKS(1, 2200), WOKEN_BY(2, 1, 2300), IN(1, 2500));
}

/* Also where it is woken before it sleeps, or an interrupt lets it go on. */
static void test_who_the_trace_says(void **state)
{
    (void)state;
    struct made m = woken_by_2();
    BECOMES(&m, 3,
            "1.1100 GoBlock(sync), 1.1101 ProcStop, 2.1900 GoUnblock, 1.2500 ProcStart, 1.2501 GoStart, "
            "1.2502 ProcsChange",
            BLOCKS(1, 1100), WOKEN_BY(3, 1, 1800), WOKEN_BY(2, 1, 2000), IN(1, 2500));
    m = woken_by_2();
    BECOMES(&m, 3,
            "1.1100 GoBlock(sync), 1.1101 ProcStop, 2.1900 GoUnblock, 1.2500 ProcStart, 1.2501 GoStart, "
            "1.2502 ProcsChange",
            BLOCKS(1, 1100), WOKEN_BY(3, 1, 1800), IN(1, 2500));
    m = woken_by_2();
    BECOMES(&m, 3,
            "1.1000 GoBlock(sync), 1.1001 ProcStop, 2.1900 GoUnblock, 1.2500 ProcStart, 1.2501 GoStart, "
            "1.2502 ProcsChange",
            WOKEN_BY(3, 1, 2050), BLOCKS(1, 2100), WOKEN_BY(2, 1, 2200), IN(1, 2500));
    m = woken_by_2();
    BECOMES(&m, 3,
            "1.1100 GoBlock(sync), 1.1101 ProcStop, 2.1900 GoUnblock, 1.2500 ProcStart, 1.2501 GoStart, "
            "1.2502 ProcsChange",
            BLOCKS(1, 1100), WOKEN_IN_SOFTIRQ(3, 1, 2000), IN(1, 2500));
}

/* Thread 3 is one of the program's, as it has waited. By the kernel it may be who wakes 1, before the trace says 2. */
static struct made woken_by_2_once_3_has_waited(void)
{
    struct made m = begin(3);
    wait_until(&m, 3, 200, 2, 300, 400);
    wait_until(&m, 1, 1000, 2, 1900, 3000);
    return m;
}

#define THREE_WAITS                                                                                                    \
    "3.200 GoBlock(sync), 3.201 ProcStop, 2.300 GoUnblock, 3.400 ProcStart, 3.401 GoStart, 3.402 ProcsChange, "

static void test_woken_before_the_trace_says(void **state)
{
    (void)state;
    struct made m = woken_by_2_once_3_has_waited();
    BECOMES(&m, 3,
            THREE_WAITS "1.1100 GoBlock(sync), 1.1101 ProcStop, 3.1800 GoUnblock, 1.2500 ProcStart, 1.2501 GoStart",
            BLOCKS(1, 1100), WOKEN_BY(3, 1, 1800), IN(1, 2500));
    m = woken_by_2_once_3_has_waited();
    BECOMES(&m, 3,
            THREE_WAITS "1.1100 GoBlock(sync), 1.1101 ProcStop, 3.2300 GoUnblock, 1.2500 ProcStart, 1.2501 GoStart",
            BLOCKS(1, 1100), WOKEN_BY(2, 1, 1800), IN(1, 2000), BLOCKS(1, 2100), WOKEN_BY(3, 1, 2300), IN(1, 2500));
    m = woken_by_2_once_3_has_waited();
    BECOMES(&m, 3,
            THREE_WAITS "1.1100 GoBlock(sync), 1.1101 ProcStop, 2.1900 GoUnblock, 1.2500 ProcStart, 1.2501 GoStart",
            BLOCKS(1, 1100), WOKEN_BY(3, 1, 1500), IN(1, 1600), BLOCKS(1, 1700), WOKEN_BY(2, 1, 2000), IN(1, 2500));
    m = woken_by_2_once_3_has_waited();
    BECOMES(&m, 3,
            THREE_WAITS "1.1100 GoBlock(sync), 1.1101 ProcStop, 2.1900 GoUnblock, 1.2500 ProcStart, 1.2501 GoStart",
            BLOCKS(1, 1100), WOKEN_BY(3, 1, 1800), IN(1, 2000), BLOCKS(1, 2100), WOKEN_BY(2, 1, 2300), IN(1, 2500));
}

static void test_in_vain_at_first(void **state)
{
    (void)state;
    struct made m = wait_of_1(0, 3000);
    BECOMES(&m, 2,
            "1.1100 GoBlock(sync), 1.1101 ProcStop, -1.2000 GoUnblock(by cat (thread 77)), 1.2500 ProcStart, "
            "1.2501 GoStart, 1.2502 ProcsChange",
            BLOCKS(1, 1100), WOKEN_BY(70, 1, 1200), IN(1, 1300), BLOCKS(1, 1400), WOKEN_BY(77, 1, 2000), IN(1, 2500));
}

/* Of a sleep before, or of one that it has come back from. */
static void test_of_another_sleep(void **state)
{
    (void)state;
    struct made m = wait_of_1(0, 3000);
    BECOMES(&m, 2,
            "1.1100 GoBlock(sync), 1.1101 ProcStop, 1.2500 GoUnblock, 1.2501 ProcStart, 1.2502 GoStart, "
            "1.2503 ProcsChange",
            WOKEN_BY(77, 1, 1050), BLOCKS(1, 1100), IN(1, 2500));
    m = wait_of_1(0, 3000);
    BECOMES(&m, 2,
            "1.1100 GoBlock(sync), 1.1101 ProcStop, -1.2000 GoUnblock(by cat (thread 77)), 1.2500 ProcStart, "
            "1.2501 GoStart, 1.2502 ProcsChange",
            BLOCKS(1, 1100), WOKEN_BY(77, 1, 2000), IN(1, 2500), WOKEN_BY(70, 1, 2600));
}

/* It is in a page fault, or a call that no wrapper sees, and so each time that the kernel wakes it. */
static void test_of_what_no_wrapper_sees(void **state)
{
    (void)state;
    struct made m = begin(2);
    EVENT(&m, 1, 4000, HeapAlloc, 1);
    BECOMES(&m, 2,
            "1.1100 GoBlock(unspecified), 1.1101 ProcStop, -1.2000 GoUnblock(by interrupt on CPU 3), 1.2500 ProcStart, "
            "1.2501 GoStart, 1.2502 ProcsChange, 1.2600 GoBlock(unspecified), 1.2601 ProcStop, 1.2800 GoUnblock, "
            "1.2801 ProcStart, 1.2802 GoStart, 1.4000 HeapAlloc",
            BLOCKS(1, 1100), WOKEN_IN(WAKING_IN_INTERRUPT, 1, 2000), IN(1, 2500), BLOCKS(1, 2600), IN(1, 2800));
}

static void test_lost(void **state)
{
    (void)state;
    struct made m = wait_of_1(0, 3000);
    BECOMES(&m, 2,
            "1.1100 GoBlock(sync), 1.1101 ProcStop, 1.2998 GoUnblock, 1.3000 ProcStart, 1.3001 GoStart, "
            "1.3002 ProcsChange",
            BLOCKS(1, 1100), WOKEN_BY(77, 1, 2000), LOST(2100), IN(1, 2500));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_another_process),
        cmocka_unit_test(test_by_one_without_a_name),
        cmocka_unit_test(test_by_interrupts),
        cmocka_unit_test(test_by_a_thread_of_the_program),
        cmocka_unit_test(test_by_a_thread_in_a_call),
        cmocka_unit_test(test_known_already),
        cmocka_unit_test(test_by_a_thread_that_waits),
        cmocka_unit_test(test_not_who_the_trace_says),
        cmocka_unit_test(test_who_the_trace_says),
        cmocka_unit_test(test_woken_before_the_trace_says),
        cmocka_unit_test(test_in_vain_at_first),
        cmocka_unit_test(test_of_another_sleep),
        cmocka_unit_test(test_lost),
        cmocka_unit_test(test_of_what_no_wrapper_sees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
