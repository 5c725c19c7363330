/* v1 events as events of v2: what users say, what is nowhere, and what old versions do not have. */
#include "tests/v1/as-v2.h"

#define SYNC "Sync -1 M=-1 P=-1 G=-1 N=1\n"

/* A trace with goroutine 1 on proc 0, and nothing to tell. */
static struct made running(unsigned nn)
{
    struct made m = made(nn);
    PROC(&m, 0, 100);
    RECORD(&m, GoCreate, 0, 1, 0, 0);
    RECORD(&m, GoStart, 0, 1, 1);
    RECORD(&m, Gomaxprocs, 0, 2, 0);
    return m;
}
#define RUNNING SYNC "StateTransition 0 M=-1 P=0 G=1 GoID=1 Undetermined->Running Reason=\"\"\n"

/* That a task has no parent is said in another way at its end, and that its begin is not known as at its begin. */
static void tasks_end_with_their_names(void **state)
{
    struct made m = running(21);
    made_string(&m, 1, "a task");
    RECORD(&m, UserTaskCreate, 10, 5, 0, 1, 0);
    RECORD(&m, UserTaskCreate, 10, 6, 5, 1, 0);
    RECORD(&m, UserTaskEnd, 10, 6, 0);
    RECORD(&m, UserTaskEnd, 10, 5, 0);
    RECORD(&m, UserTaskEnd, 10, 5, 0);
    shows(&m, RUNNING "TaskBegin 10 M=-1 P=0 G=1 ID=5 Parent=18446744073709551615 Type=\"a task\"\n"
                      "TaskBegin 20 M=-1 P=0 G=1 ID=6 Parent=5 Type=\"a task\"\n"
                      "TaskEnd 30 M=-1 P=0 G=1 ID=6 Parent=5 Type=\"a task\"\n"
                      "TaskEnd 40 M=-1 P=0 G=1 ID=5 Parent=0 Type=\"a task\"\n"
                      "TaskEnd 50 M=-1 P=0 G=1 ID=5 Parent=18446744073709551615 Type=\"\"\n"
                      "Sync 51 M=-1 P=-1 G=-1 N=2\n");
}

static void regions_and_logs_say_what_they_said(void **state)
{
    struct made m = running(11);
    made_string(&m, 1, "region");
    made_string(&m, 2, "key");
    made_log(&m, 10, 5, 2, 0, "first");
    RECORD(&m, UserRegion, 10, 5, 0, 1, 0);
    made_log(&m, 10, 5, 2, 0, "second");
    RECORD(&m, UserRegion, 10, 5, 1, 1, 0);
    made_log(&m, 10, 0, 99, 0, "");
    shows(&m, RUNNING "Log 10 M=-1 P=0 G=1 Task=5 Category=\"key\" Message=\"first\"\n"
                      "RegionBegin 20 M=-1 P=0 G=1 Task=5 Type=\"region\"\n"
                      "Log 30 M=-1 P=0 G=1 Task=5 Category=\"key\" Message=\"second\"\n"
                      "RegionEnd 40 M=-1 P=0 G=1 Task=5 Type=\"region\"\n"
                      "Log 50 M=-1 P=0 G=1 Task=0 Category=\"\" Message=\"\"\n"
                      "Sync 51 M=-1 P=-1 G=-1 N=2\n");
}

/* A sample is on no thread that v1 knows of, not even where its proc has one. */
static void samples_have_a_time_of_their_own(void **state)
{
    struct made m = running(19);
    RECORD(&m, ProcStart, 10, 7);
    RECORD(&m, HeapAlloc, 10, 1);
    RECORD(&m, CPUSample, 0, 115, 0, 1, 3);
    RECORD(&m, CPUSample, 0, 105, UINT64_MAX, 0, 0);
    RECORD(&m, Stack, 3, 1, 0x50, 0, 0, 1);
    shows(&m, RUNNING "StackSample 5 M=-1 P=-1 G=-1 Stack=\n"
                      "StateTransition 10 M=7 P=0 G=1 ProcID=0 Undetermined->Running Reason=\"\"\n"
                      "StackSample 15 M=-1 P=0 G=1 Stack= @ 0x50 :1\n"
                      "Metric 20 M=7 P=0 G=1 Name=\"/memory/classes/heap/objects:bytes\" Value=Value{Uint64(1)}\n"
                      "Sync 21 M=-1 P=-1 G=-1 N=2\n");
}

/* Goroutine 2 waits for the network, goroutine 3 for time, which goroutine 1 wakes. */
static void wakeups_by_the_network_and_by_timers_are_on_no_thread(void **state)
{
    struct made m = made(11);
    PROC(&m, 0, 100);
    RECORD(&m, TimerGoroutine, 3);
    RECORD(&m, GoCreate, 0, 1, 0, 0);
    RECORD(&m, GoCreate, 0, 2, 0, 0);
    RECORD(&m, GoCreate, 0, 3, 0, 0);
    RECORD(&m, GoWaiting, 0, 1);
    RECORD(&m, ProcStart, 0, 7);
    RECORD(&m, GoStart, 0, 2, 1);
    RECORD(&m, Gomaxprocs, 0, 1, 0);
    RECORD(&m, GoBlockNet, 10, 0);
    RECORD(&m, GoStart, 10, 3, 1);
    RECORD(&m, GoUnblock, 10, 1, 2, 0);
    RECORD(&m, GoSched, 10, 0);
    RECORD(&m, GoStart, 10, 1, 3);
    RECORD(&m, GoUnblock, 10, 2, 2, 0);
    shows(&m, SYNC "StateTransition 0 M=-1 P=0 G=1 GoID=1 Undetermined->Waiting Reason=\"\"\n"
                   "StateTransition 1 M=7 P=0 G=-1 ProcID=0 Undetermined->Running Reason=\"\"\n"
                   "StateTransition 2 M=7 P=0 G=2 GoID=2 Undetermined->Running Reason=\"\"\n"
                   "StateTransition 3 M=-1 P=-1 G=-1 GoID=3 Undetermined->Runnable Reason=\"\"\n"
                   "StateTransition 10 M=7 P=0 G=2 GoID=2 Running->Waiting Reason=\"network\"\n"
                   "StateTransition 20 M=7 P=0 G=3 GoID=3 Runnable->Running Reason=\"\"\n"
                   "StateTransition 30 M=-1 P=1000001 G=3 GoID=1 Waiting->Runnable Reason=\"\"\n"
                   "StateTransition 40 M=7 P=0 G=3 GoID=3 Running->Runnable Reason=\"runtime.Gosched\"\n"
                   "StateTransition 50 M=7 P=0 G=1 GoID=1 Runnable->Running Reason=\"\"\n"
                   "StateTransition 60 M=-1 P=1000002 G=1 GoID=2 Waiting->Runnable Reason=\"\"\n"
                   "Sync 61 M=-1 P=-1 G=-1 N=2\n");
}

static void futile_wakeups_stay_and_are_not_said(void **state)
{
    struct made m = running(7);
    RECORD(&m, GoCreate, 10, 2, 0, 0);
    RECORD(&m, GoBlockRecv, 10, 0);
    RECORD(&m, GoStartLocal, 10, 2);
    RECORD(&m, GoUnblockLocal, 10, 1, 0);
    RECORD(&m, GoEnd, 10);
    RECORD(&m, GoStartLocal, 10, 1);
    RECORD(&m, FutileWakeup, 10);
    RECORD(&m, GoBlockRecv, 10, 0);
    shows(&m, RUNNING "StateTransition 10 M=-1 P=0 G=1 GoID=2 NotExist->Runnable Reason=\"\" TransitionStack=\n"
                      "StateTransition 20 M=-1 P=0 G=1 GoID=1 Running->Waiting Reason=\"chan receive\"\n"
                      "StateTransition 30 M=-1 P=0 G=2 GoID=2 Runnable->Running Reason=\"\"\n"
                      "StateTransition 40 M=-1 P=0 G=2 GoID=1 Waiting->Runnable Reason=\"\"\n"
                      "StateTransition 50 M=-1 P=0 G=2 GoID=2 Running->NotExist Reason=\"\"\n"
                      "StateTransition 60 M=-1 P=0 G=1 GoID=1 Runnable->Running Reason=\"\"\n"
                      "StateTransition 80 M=-1 P=0 G=1 GoID=1 Running->Waiting Reason=\"chan receive\"\n"
                      "Sync 81 M=-1 P=-1 G=-1 N=2\n");
}

/* Sequence numbers, PCs without names, and a PC for where a goroutine starts. */
static void what_go_1_5_wrote_has_pcs(void **state)
{
    struct made m = made(5);
    RECORD(&m, Batch, 0, 1, 100);
    RECORD(&m, GoCreate, 1, 0, 1, 0, 0);
    RECORD(&m, GoStart, 1, 0, 1);
    RECORD(&m, Gomaxprocs, 1, 0, 2, 0);
    RECORD(&m, GoCreate, 1, 10, 2, 0x4f, 3);
    RECORD(&m, GoCreate, 1, 10, 3, 0x6f, 0);
    RECORD(&m, GoCreate, 1, 0, 4, 0x6f, 0);
    RECORD(&m, GoSched, 1, 10, 9);
    RECORD(&m, GoStart, 1, 10, 2);
    RECORD(&m, Stack, 3, 2, 0x10, 0x20);
    shows(&m, RUNNING "StateTransition 10 M=-1 P=0 G=1 GoID=2 NotExist->Runnable Reason=\"\" TransitionStack= @ 0x50 :0 "
                      "Stack= @ 0x10 :0 @ 0x20 :0\n"
                      "StateTransition 20 M=-1 P=0 G=1 GoID=3 NotExist->Runnable Reason=\"\" "
                      "TransitionStack= @ 0x70 :0\n"
                      "StateTransition 21 M=-1 P=0 G=1 GoID=4 NotExist->Runnable Reason=\"\" "
                      "TransitionStack= @ 0x70 :0\n"
                      "StateTransition 30 M=-1 P=0 G=1 GoID=1 Running->Runnable Reason=\"runtime.Gosched\"\n"
                      "StateTransition 40 M=-1 P=0 G=2 GoID=2 Runnable->Running Reason=\"\"\n"
                      "Sync 41 M=-1 P=-1 G=-1 N=2\n");
}

/* Two stacks say different things of one PC. */
static void a_pc_is_one_frame(void **state)
{
    struct made m = running(21);
    RECORD(&m, Stack, 3, 1, 0x50, 1, 2, 11);
    RECORD(&m, Stack, 4, 2, 0x60, 1, 2, 12, 0x50, 2, 1, 13);
    made_string(&m, 1, "f");
    made_string(&m, 2, "g");
    RECORD(&m, GoSysCall, 10, 4);
    shows(&m, RUNNING "StateTransition 10 M=-1 P=0 G=1 GoID=1 Running->Syscall Reason=\"\" TransitionStack= f @ 0x60 "
                      "g:12 f @ 0x50 g:11 Stack= f @ 0x60 g:12 f @ 0x50 g:11\n"
                      "StateTransition 11 M=-1 P=0 G=1 GoID=1 Syscall->Running Reason=\"\"\n"
                      "Sync 12 M=-1 P=-1 G=-1 N=2\n");
}

static void a_broken_trace_has_no_events(void **state)
{
    struct made m = running(21);
    RECORD(&m, GoEnd, 10);
    RECORD(&m, GCDone, 10);
    refuses(&m, "GCDone: the end of a GC that did not begin (time 20)");
    m = made(21);
    refuses(&m, ": the trace is empty: it has no events");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_end_with_their_names),
        cmocka_unit_test(regions_and_logs_say_what_they_said),
        cmocka_unit_test(samples_have_a_time_of_their_own),
        cmocka_unit_test(wakeups_by_the_network_and_by_timers_are_on_no_thread),
        cmocka_unit_test(futile_wakeups_stay_and_are_not_said),
        cmocka_unit_test(what_go_1_5_wrote_has_pcs),
        cmocka_unit_test(a_pc_is_one_frame),
        cmocka_unit_test(a_broken_trace_has_no_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
