/* The order of events in v1 traces, their times, and the procs that are none. */
#include "tests/v1/made.h"

#include <stdio.h>

/* Goroutine 1, which waits from the start, and goroutine 2, which is about to run, both from proc 0. */
static struct made two(void)
{
    struct made m = made(21);
    PROC(&m, 0, 100);
    RECORD(&m, GoCreate, 0, 1, 0, 0);
    RECORD(&m, GoWaiting, 0, 1);
    RECORD(&m, GoCreate, 0, 2, 0, 0);
    return m;
}
#define TWO "0 GoCreate p0 g0 1 0\n0 GoWaiting p0 g1 1\n0 GoCreate p0 g0 2 0\n"

static void procs_are_merged_by_time(void **state)
{
    struct made m = made(21);
    PROC(&m, 0, 100);
    RECORD(&m, HeapAlloc, 0, 1);
    RECORD(&m, HeapAlloc, 20, 3);
    PROC(&m, 1, 110);
    RECORD(&m, HeapAlloc, 0, 2);
    PROC(&m, 0, 130);
    RECORD(&m, HeapAlloc, 0, 4);
    gives(&m, "0 HeapAlloc p0 g0 1\n10 HeapAlloc p1 g0 2\n20 HeapAlloc p0 g0 3\n30 HeapAlloc p0 g0 4\n");
}

/* Goroutine 2 wakes 1 on proc 0, which starts on proc 1 at a time that is not later. */
static void sequence_numbers_decide_what_may_happen(void **state)
{
    struct made m = two();
    RECORD(&m, GoStart, 10, 2, 1);
    RECORD(&m, GoUnblock, 10, 1, 2, 0);
    PROC(&m, 1, 120);
    RECORD(&m, GoStart, 0, 1, 3);
    gives(&m, TWO "10 GoStart p0 g2 2 1\n20 GoUnblock p0 g2 1 2\n20 GoStart p1 g1 1 3\n");
}

static void times_against_the_order_are_refused(void **state)
{
    struct made m = two();
    RECORD(&m, GoStart, 10, 2, 1);
    RECORD(&m, GoUnblock, 10, 1, 2, 0);
    PROC(&m, 1, 119);
    RECORD(&m, GoStart, 0, 1, 3);
    fails(&m, "GoStart: time stamps out of order");
}

static void what_can_never_happen_has_no_order(void **state)
{
    struct made m = two();
    PROC(&m, 1, 120);
    RECORD(&m, GoStart, 0, 1, 3);
    PROC(&m, 2, 110);
    RECORD(&m, GoUnblockLocal, 0, 5, 0);
    fails(&m, "GoUnblockLocal: no consistent ordering of events possible");
}

/* What is counted of goroutine 0, which nothing should happen to, is not what is counted of collections. */
static void goroutine_0_is_not_the_collector(void **state)
{
    struct made m = made(21);
    PROC(&m, 0, 121);
    RECORD(&m, GCStart, 0, 0, 0);
    RECORD(&m, GoCreate, 0, 0, 0, 0);
    fails(&m, "GoCreate: g 0 already exists (time 0)");
}

static void one_wakeup_is_not_there_for_two(void **state)
{
    struct made m = two();
    PROC(&m, 1, 130);
    RECORD(&m, GoStart, 0, 2, 1);
    PROC(&m, 2, 130);
    RECORD(&m, GoStart, 0, 2, 1);
    fails(&m, "GoStart: event sequences are broken");
}

static void collections_are_counted(void **state)
{
    struct made m = made(21);
    PROC(&m, 0, 121);
    RECORD(&m, GCStart, 0, 1, 0);
    PROC(&m, 1, 100);
    RECORD(&m, GCStart, 20, 0, 0);
    RECORD(&m, GCDone, 0);
    gives(&m, "0 GCStart p1000004 g0 0\n0 GCDone p1 g0\n1 GCStart p1000004 g0 1\n");
    m = made(21);
    PROC(&m, 0, 100);
    RECORD(&m, GCStart, 0, 1, 0);
    fails(&m, "GCStart: no consistent ordering of events possible");
}

static void local_events_need_no_numbers(void **state)
{
    struct made m = two();
    RECORD(&m, GoStartLocal, 10, 2);
    RECORD(&m, GoUnblockLocal, 10, 1, 0);
    RECORD(&m, GoBlockSync, 10, 0);
    RECORD(&m, GoStartLocal, 10, 1);
    RECORD(&m, GoUnblockLocal, 10, 2, 0);
    PROC(&m, 1, 160);
    RECORD(&m, GoStart, 0, 2, 3);
    gives(&m, TWO "10 GoStart p0 g2 2 0\n20 GoUnblock p0 g2 1 0\n30 GoBlockSync p0 g2\n40 GoStart p0 g1 1 0\n"
                  "50 GoUnblock p0 g1 2 0\n60 GoStart p1 g2 2 3\n");
}

/* No tracer ever wrote one: it is of the goroutine that runs on the proc, not of the one that returns. */
static void a_local_exit_is_of_who_runs(void **state)
{
    struct made m = two();
    RECORD(&m, GoSysExitLocal, 10, 1, 9);
    fails(&m, "GoSysExit: g 0 is not waiting during syscall exit (time 10)");
}

/* It is written once there is a proc again, and says when the call returned. */
static void a_system_call_ends_when_it_returned(void **state)
{
    struct made m = two();
    RECORD(&m, GoStart, 10, 2, 1);
    RECORD(&m, GoSysCall, 10, 0);
    RECORD(&m, GoSysBlock, 10);
    RECORD(&m, HeapAlloc, 10, 1);
    RECORD(&m, HeapAlloc, 10, 2);
    RECORD(&m, GoSysExit, 10, 2, 2, 140);
    gives(&m, TWO "10 GoStart p0 g2 2 1\n20 GoSysCall p0 g2\n30 GoSysBlock p0 g2\n40 HeapAlloc p0 g0 1\n"
                  "40 GoSysExit p1000003 g2 2 2 140\n50 HeapAlloc p0 g0 2\n");
}

static void exits_fall_into_place_among_each_other(void **state)
{
    struct made m = made(21);
    PROC(&m, 0, 100);
    for (unsigned g = 1; g <= 3; g++) {
        RECORD(&m, GoCreate, 0, g, 0, 0);
        RECORD(&m, GoInSyscall, 0, g);
    }
    RECORD(&m, GoSysExit, 50, 1, 2, 130);
    RECORD(&m, GoSysExit, 1, 2, 2, 120);
    RECORD(&m, GoSysExit, 1, 3, 2, 120);
    gives(&m, "0 GoCreate p0 g0 1 0\n0 GoInSyscall p0 g1 1\n0 GoCreate p0 g0 2 0\n0 GoInSyscall p0 g2 2\n"
              "0 GoCreate p0 g0 3 0\n0 GoInSyscall p0 g3 3\n20 GoSysExit p1000003 g2 2 2 120\n"
              "20 GoSysExit p1000003 g3 3 2 120\n30 GoSysExit p1000003 g1 1 2 130\n");
}

static void an_exit_stays_before_what_came_later_at_its_time(void **state)
{
    struct made m = two();
    RECORD(&m, GoStart, 10, 2, 1);
    RECORD(&m, GoSysCall, 10, 0);
    RECORD(&m, GoSysBlock, 10);
    RECORD(&m, HeapAlloc, 10, 1);
    RECORD(&m, GoSysExit, 0, 2, 2, 140);
    RECORD(&m, HeapAlloc, 0, 2);
    gives(&m, TWO "10 GoStart p0 g2 2 1\n20 GoSysCall p0 g2\n30 GoSysBlock p0 g2\n40 HeapAlloc p0 g0 1\n"
                  "40 GoSysExit p1000003 g2 2 2 140\n40 HeapAlloc p0 g0 2\n");
}

static void an_exit_without_a_time_stays(void **state)
{
    struct made m = two();
    RECORD(&m, GoSysExit, 10, 1, 2, 0);
    gives(&m, TWO "10 GoSysExit p1000003 g1 1 2 0\n");
}

static void an_exit_comes_after_a_block(void **state)
{
    struct made m = two();
    RECORD(&m, GoSysExit, 10, 1, 2, 105);
    fails(&m, "GoSysExit: a system call returned that did not block");
    m = made(21);
    PROC(&m, 0, 100);
    RECORD(&m, GoCreate, 0, 1, 0, 0);
    RECORD(&m, GoInSyscall, 10, 1);
    RECORD(&m, GoSysExit, 10, 1, 2, 109);
    fails(&m, "GoSysExit: time stamps out of order: a system call returned before it blocked");
}

static void ticks_become_nanoseconds(void **state)
{
    struct made m = made(21);
    RECORD(&m, Frequency, 3000000000);
    PROC(&m, 0, 1000);
    RECORD(&m, HeapAlloc, 0, 1);
    RECORD(&m, HeapAlloc, 5, 2);
    RECORD(&m, HeapAlloc, 1, 3);
    gives(&m, "0 HeapAlloc p0 g0 1\n1 HeapAlloc p0 g0 2\n2 HeapAlloc p0 g0 3\n");
    m = made(21);
    RECORD(&m, Frequency, 1);
    PROC(&m, 0, 0);
    RECORD(&m, HeapAlloc, 0, 1);
    RECORD(&m, HeapAlloc, UINT64_C(1) << 62, 2);
    gives(&m, "0 HeapAlloc p0 g0 1\n-9223372036854775808 HeapAlloc p0 g0 2\n");
}

/* Behind an event that takes a goroutine off its proc, no goroutine runs there. */
static void who_blocks_no_longer_runs(void **state)
{
    static const uint8_t ids[] = {V1_GoSched,     V1_GoPreempt,   V1_GoSleep,       V1_GoBlock,     V1_GoBlockSend,
                                  V1_GoBlockRecv, V1_GoBlockSync, V1_GoBlockSelect, V1_GoBlockCond, V1_GoBlockNet,
                                  V1_GoBlockGC,   V1_GoSysBlock,  V1_GoStop,        V1_GoEnd};
    for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
        char wanted[200];
        struct made m = two();
        RECORD(&m, GoStart, 0, 2, 1);
        made_record(&m, ids[i], (const uint64_t[]){0, 0}, v1_form(21).shapes[ids[i]].nargs);
        RECORD(&m, HeapAlloc, 0, 1);
        snprintf(wanted, sizeof wanted, TWO "0 GoStart p0 g2 2 1\n0 %s p0 g2\n0 HeapAlloc p0 g0 1\n",
                 v1_events[ids[i]].name);
        gives(&m, wanted);
    }
}

static void timers_and_the_network_have_procs_of_their_own(void **state)
{
    struct made m = made(21);
    PROC(&m, 0, 100);
    RECORD(&m, GoCreate, 0, 1, 0, 0);
    RECORD(&m, GoCreate, 0, 2, 0, 0);
    RECORD(&m, GoCreate, 0, 3, 0, 0);
    RECORD(&m, GoStart, 0, 1, 1);
    RECORD(&m, GoBlockNet, 0, 0);
    RECORD(&m, GoStart, 0, 2, 1);
    RECORD(&m, GoUnblock, 0, 1, 2, 0);
    RECORD(&m, GoSleep, 0, 0);
    RECORD(&m, GoStart, 0, 3, 1);
    RECORD(&m, GoUnblock, 0, 2, 2, 0);
    RECORD(&m, TimerGoroutine, 3);
    RECORD(&m, TimerGoroutine, 3);
    gives(&m, "0 GoCreate p0 g0 1 0\n0 GoCreate p0 g0 2 0\n0 GoCreate p0 g0 3 0\n0 GoStart p0 g1 1 1\n"
              "0 GoBlockNet p0 g1\n0 GoStart p0 g2 2 1\n0 GoUnblock p1000002 g2 1 2\n0 GoSleep p0 g2\n"
              "0 GoStart p0 g3 3 1\n0 GoUnblock p1000001 g3 2 2\n");
}

/* They are written late, and in any order. To Go 1.21 they move the time of their batch. */
static void samples_stand_where_they_were_taken(void **state)
{
    for (enum v1_view view = V1_AS_GO_1_21; view <= V1_AS_GO_1_22; view++) {
        struct made m = made(19);
        RECORD(&m, Stack, 9, 1, 0xabc, 0, 0, 7);
        PROC(&m, 0, 100);
        RECORD(&m, HeapAlloc, 0, 1);
        RECORD(&m, CPUSample, 5, 107, 1, 4, 9);
        RECORD(&m, CPUSample, 0, 103, UINT64_MAX, 0, 0);
        RECORD(&m, HeapAlloc, 1, 2);
        RECORD(&m, CPUSample, 1, 107, 2, 5, 0);
        PROC(&m, 3, 100);
        RECORD(&m, CPUSample, 8, 102, 3, 6, 0);
        RECORD(&m, HeapAlloc, 1, 3);
        gives_in(&m, view,
                 view == V1_AS_GO_1_21
                     ? "0 HeapAlloc p0 g0 1\n2 CPUSample p3 g6 0 3 6\n3 CPUSample p-1 g0 0 18446744073709551615 0\n"
                       "6 HeapAlloc p0 g0 2\n7 CPUSample p1 g4 0 1 4 @abc  :7\n7 CPUSample p2 g5 0 2 5\n"
                       "9 HeapAlloc p3 g0 3\n"
                     : "0 HeapAlloc p0 g0 1\n1 HeapAlloc p3 g0 3\n1 HeapAlloc p0 g0 2\n2 CPUSample p3 g6 0 3 6\n"
                       "3 CPUSample p-1 g0 0 18446744073709551615 0\n7 CPUSample p1 g4 0 1 4 @abc  :7\n"
                       "7 CPUSample p2 g5 0 2 5\n");
    }
}

static void tables_may_stand_anywhere(void **state)
{
    struct made m = made(21);
    PROC(&m, 0, 100);
    RECORD(&m, Gomaxprocs, 0, 4, 9);
    made_string(&m, 1, "f");
    RECORD(&m, Stack, 9, 1, 5, 1, 2, 3);
    RECORD(&m, Stack, 8, 0);
    RECORD(&m, Gomaxprocs, 10, 5, 9);
    RECORD(&m, Stack, 9, 1, 6, 1, 2, 3);
    RECORD(&m, Gomaxprocs, 10, 6, 8);
    made_string(&m, 2, "g");
    gives(&m, "0 Gomaxprocs p0 g0 4 @6 f g:3\n10 Gomaxprocs p0 g0 5 @6 f g:3\n20 Gomaxprocs p0 g0 6\n");
}

/* Goroutine 1 is woken by 2, starts on another proc, is preempted, and waits again. */
static struct made woken(bool futile)
{
    struct made m = two();
    RECORD(&m, GoStart, 10, 2, 1);
    RECORD(&m, GoUnblock, 10, 1, 2, 0);
    PROC(&m, 1, 130);
    RECORD(&m, GoStart, 0, 1, 3);
    RECORD(&m, GoPreempt, 10, 0);
    RECORD(&m, GoStart, 10, 1, 4);
    if (futile)
        RECORD(&m, FutileWakeup, 0);
    RECORD(&m, GoBlockSync, 10, 0);
    RECORD(&m, HeapAlloc, 10, 1);
    return m;
}

static void futile_wakeups_are_left_out(void **state)
{
    struct made m = woken(true);
    gives_in(&m, V1_AS_GO_1_21, TWO "10 GoStart p0 g2 2 1\n70 HeapAlloc p1 g0 1\n");
    m = woken(true);
    gives_in(&m, V1_AS_GO_1_22, TWO "10 GoStart p0 g2 2 1\n20 GoUnblock p0 g2 1 2\n30 GoStart p1 g1 1 3\n"
                                    "40 GoPreempt p1 g1\n50 GoStart p1 g1 1 4\n50 FutileWakeup p1 g1\n"
                                    "60 GoBlockSync p1 g1\n70 HeapAlloc p1 g0 1\n");
    m = woken(false);
    gives(&m, TWO "10 GoStart p0 g2 2 1\n20 GoUnblock p0 g2 1 2\n30 GoStart p1 g1 1 3\n40 GoPreempt p1 g1\n"
                  "50 GoStart p1 g1 1 4\n60 GoBlockSync p1 g1\n70 HeapAlloc p1 g0 1\n");
}

/* A start before the wakeup is no part of it, and neither is what comes after the block. */
static void only_the_last_wakeup_is_futile(void **state)
{
    struct made m = made(21);
    PROC(&m, 0, 100);
    RECORD(&m, GoCreate, 0, 1, 0, 0);
    RECORD(&m, GoCreate, 0, 2, 0, 0);
    RECORD(&m, GoStart, 0, 1, 1);
    RECORD(&m, GoSleep, 0, 0);
    RECORD(&m, GoStart, 0, 2, 1);
    RECORD(&m, GoUnblock, 0, 1, 2, 0);
    RECORD(&m, GoSched, 0, 0);
    RECORD(&m, GoStart, 0, 1, 3);
    RECORD(&m, FutileWakeup, 0);
    RECORD(&m, GoBlockRecv, 0, 0);
    RECORD(&m, GoStart, 0, 2, 2);
    RECORD(&m, GoUnblock, 0, 1, 4, 0);
    RECORD(&m, GoBlockSend, 0, 0);
    RECORD(&m, GoStart, 0, 1, 5);
    RECORD(&m, GoBlockRecv, 0, 0);
    gives_in(&m, V1_AS_GO_1_21,
             "0 GoCreate p0 g0 1 0\n0 GoCreate p0 g0 2 0\n0 GoStart p0 g1 1 1\n0 GoSleep p0 g1\n"
             "0 GoStart p0 g2 2 1\n0 GoSched p0 g2\n0 GoStart p0 g2 2 2\n0 GoUnblock p0 g2 1 4\n"
             "0 GoBlockSend p0 g2\n0 GoStart p0 g1 1 5\n0 GoBlockRecv p0 g1\n");
}

static void before_1_7_sequence_numbers_order_all(void **state)
{
    struct made m = made(5);
    RECORD(&m, Batch, 0, 1, 100);
    RECORD(&m, GoCreate, 1, 0, 1, 0x400, 0);
    RECORD(&m, GoStart, 3, 20, 1);
    RECORD(&m, GoSysCall, 1, 0, 0);
    RECORD(&m, GoSysBlock, 1, 10);
    RECORD(&m, GoSysExit, 4, 30, 1, 9, 150);
    RECORD(&m, Batch, 1, 2, 100);
    RECORD(&m, HeapAlloc, 1, 10, 7);
    RECORD(&m, HeapAlloc, 7, 50, 8);
    RECORD(&m, TimerGoroutine, 9, 0);
    gives(&m, "0 GoCreate p0 g0 1 1024\n10 HeapAlloc p1 g0 7\n20 GoStart p0 g1 1 0 @401  :0\n20 GoSysCall p0 g1\n"
              "30 GoSysBlock p0 g1\n50 GoSysExit p1000003 g1 1 9 150\n60 HeapAlloc p1 g0 8\n");
    m = made(5);
    RECORD(&m, Batch, 0, 1, 100);
    RECORD(&m, HeapAlloc, 1, 10, 7);
    RECORD(&m, Batch, 1, 2, 100);
    RECORD(&m, HeapAlloc, 1, 9, 7);
    fails(&m, "HeapAlloc: time stamps out of order");
}

static void frames_before_1_7_are_pcs(void **state)
{
    struct made m = made(5);
    RECORD(&m, Stack, 4, 2, 0x400, 0x500);
    RECORD(&m, Batch, 0, 1, 100);
    RECORD(&m, Gomaxprocs, 1, 1, 2, 4);
    gives(&m, "0 Gomaxprocs p0 g0 2 @400  :0 @500  :0\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(procs_are_merged_by_time),
        cmocka_unit_test(sequence_numbers_decide_what_may_happen),
        cmocka_unit_test(times_against_the_order_are_refused),
        cmocka_unit_test(what_can_never_happen_has_no_order),
        cmocka_unit_test(one_wakeup_is_not_there_for_two),
        cmocka_unit_test(collections_are_counted),
        cmocka_unit_test(goroutine_0_is_not_the_collector),
        cmocka_unit_test(local_events_need_no_numbers),
        cmocka_unit_test(a_local_exit_is_of_who_runs),
        cmocka_unit_test(a_system_call_ends_when_it_returned),
        cmocka_unit_test(exits_fall_into_place_among_each_other),
        cmocka_unit_test(an_exit_stays_before_what_came_later_at_its_time),
        cmocka_unit_test(an_exit_without_a_time_stays),
        cmocka_unit_test(an_exit_comes_after_a_block),
        cmocka_unit_test(ticks_become_nanoseconds),
        cmocka_unit_test(who_blocks_no_longer_runs),
        cmocka_unit_test(timers_and_the_network_have_procs_of_their_own),
        cmocka_unit_test(samples_stand_where_they_were_taken),
        cmocka_unit_test(tables_may_stand_anywhere),
        cmocka_unit_test(futile_wakeups_are_left_out),
        cmocka_unit_test(only_the_last_wakeup_is_futile),
        cmocka_unit_test(before_1_7_sequence_numbers_order_all),
        cmocka_unit_test(frames_before_1_7_are_pcs),
    };
    return cmocka_run_group_tests_name("v1 order", tests, NULL, NULL);
}
