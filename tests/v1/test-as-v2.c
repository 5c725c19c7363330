/* v1 events as events of v2, rule by rule, as golang.org/x/exp/trace has them. */
#include "tests/v1/as-v2.h"

#define SYNC "Sync -1 M=-1 P=-1 G=-1 N=1\n"
#define RUNNING                                                                                                        \
    SYNC "StateTransition 0 M=7 P=0 G=-1 ProcID=0 Undetermined->Running Reason=\"\"\n"                                 \
         "StateTransition 1 M=7 P=0 G=1 GoID=1 Undetermined->Running Reason=\"\"\n"

static void a_trace_is_between_two_syncs(void **state)
{
    struct made m = made_running(21);
    shows(&m, RUNNING "Sync 2 M=-1 P=-1 G=-1 N=2\n");
}

/* Goroutine 2 waits, 3 is in a system call, 4 and 5 wait for a proc, and nobody says so. */
static void goroutines_that_were_there_are_told_by_the_first_gomaxprocs(void **state)
{
    struct made m = made(21);
    PROC(&m, 0, 100);
    RECORD(&m, GoCreate, 0, 5, 0, 0);
    RECORD(&m, GoCreate, 0, 2, 0, 0);
    RECORD(&m, GoWaiting, 0, 2);
    RECORD(&m, GoCreate, 0, 3, 0, 0);
    RECORD(&m, GoInSyscall, 1, 3);
    RECORD(&m, GoCreate, 0, 4, 0, 0);
    RECORD(&m, Gomaxprocs, 9, 2, 0);
    RECORD(&m, Gomaxprocs, 0, 4, 0);
    RECORD(&m, GoCreate, 1, 6, 0, 0);
    shows(&m, SYNC "StateTransition 0 M=-1 P=0 G=2 GoID=2 Undetermined->Waiting Reason=\"\"\n"
                   "StateTransition 1 M=-1 P=0 G=3 GoID=3 Undetermined->Syscall Reason=\"\"\n"
                   "StateTransition 10 M=-1 P=-1 G=-1 GoID=5 Undetermined->Runnable Reason=\"\"\n"
                   "StateTransition 11 M=-1 P=-1 G=-1 GoID=4 Undetermined->Runnable Reason=\"\"\n"
                   "Metric 12 M=-1 P=0 G=-1 Name=\"/sched/gomaxprocs:threads\" Value=Value{Uint64(4)}\n"
                   "StateTransition 13 M=-1 P=0 G=-1 GoID=6 NotExist->Runnable Reason=\"\" TransitionStack=\n"
                   "Sync 14 M=-1 P=-1 G=-1 N=2\n");
}

static void nobody_is_told_without_a_gomaxprocs(void **state)
{
    struct made m = made(21);
    PROC(&m, 0, 100);
    RECORD(&m, GoCreate, 0, 5, 0, 0);
    RECORD(&m, HeapAlloc, 5, 77);
    RECORD(&m, HeapGoal, 5, 78);
    shows(&m, SYNC "Metric 5 M=-1 P=0 G=-1 Name=\"/memory/classes/heap/objects:bytes\" Value=Value{Uint64(77)}\n"
                   "Metric 10 M=-1 P=0 G=-1 Name=\"/gc/heap/goal:bytes\" Value=Value{Uint64(78)}\n"
                   "Sync 11 M=-1 P=-1 G=-1 N=2\n");
}

/* A proc has a status first, and its thread until it stops. */
static void procs_start_and_stop_on_threads(void **state)
{
    struct made m = made(21);
    PROC(&m, 3, 100);
    RECORD(&m, ProcStart, 0, 8);
    RECORD(&m, HeapAlloc, 2, 1);
    RECORD(&m, ProcStop, 2);
    RECORD(&m, HeapAlloc, 2, 2);
    RECORD(&m, ProcStart, 2, 9);
    shows(&m, SYNC "StateTransition 0 M=8 P=3 G=-1 ProcID=3 Undetermined->Running Reason=\"\"\n"
                   "Metric 2 M=8 P=3 G=-1 Name=\"/memory/classes/heap/objects:bytes\" Value=Value{Uint64(1)}\n"
                   "StateTransition 4 M=8 P=3 G=-1 ProcID=3 Running->Idle Reason=\"\"\n"
                   "Metric 6 M=-1 P=3 G=-1 Name=\"/memory/classes/heap/objects:bytes\" Value=Value{Uint64(2)}\n"
                   "StateTransition 8 M=9 P=3 G=-1 ProcID=3 Idle->Running Reason=\"\"\n"
                   "Sync 9 M=-1 P=-1 G=-1 N=2\n");
}

#define BLOCKS(name, to, reason)                                                                                       \
    {V1_##name, "StateTransition 15 M=7 P=0 G=1 GoID=1 Running->" to " Reason=\"" reason "\"\n"}
static void reasons_to_stop_have_names(void **state)
{
    static const struct {
        unsigned id;
        const char *wanted;
    } cases[] = {
        BLOCKS(GoStop, "Waiting", "forever"),
        BLOCKS(GoSched, "Runnable", "runtime.Gosched"),
        BLOCKS(GoPreempt, "Runnable", "preempted"),
        BLOCKS(GoSleep, "Waiting", "sleep"),
        BLOCKS(GoBlock, "Waiting", ""),
        BLOCKS(GoBlockSend, "Waiting", "chan send"),
        BLOCKS(GoBlockRecv, "Waiting", "chan receive"),
        BLOCKS(GoBlockSelect, "Waiting", "select"),
        BLOCKS(GoBlockSync, "Waiting", "sync"),
        BLOCKS(GoBlockCond, "Waiting", "sync.(*Cond).Wait"),
        BLOCKS(GoBlockNet, "Waiting", "network"),
        BLOCKS(GoBlockGC, "Waiting", "GC mark assist wait for work"),
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char wanted[1000];
        struct made m = made_running(21);
        made_record(&m, cases[i].id, (const uint64_t[]){5, 0}, 2);
        snprintf(wanted, sizeof wanted, RUNNING "%sSync 16 M=-1 P=-1 G=-1 N=2\n", cases[i].wanted);
        shows(&m, wanted);
    }
}

/* The first one takes a nanosecond, the second one as long as it took, and returns on no proc. */
static void system_calls_that_do_not_block_take_a_nanosecond(void **state)
{
    struct made m = made_running(21);
    RECORD(&m, GoSysCall, 10, 0);
    RECORD(&m, GoSysCall, 10, 0);
    RECORD(&m, GoSysBlock, 5);
    RECORD(&m, GoSysExit, 10, 1, 2, 140);
    shows(&m, RUNNING "StateTransition 20 M=7 P=0 G=1 GoID=1 Running->Syscall Reason=\"\"\n"
                      "StateTransition 21 M=7 P=0 G=1 GoID=1 Syscall->Running Reason=\"\"\n"
                      "StateTransition 30 M=7 P=0 G=1 GoID=1 Running->Syscall Reason=\"\"\n"
                      "StateTransition 40 M=-1 P=1000003 G=1 GoID=1 Syscall->Runnable Reason=\"\"\n"
                      "Sync 41 M=-1 P=-1 G=-1 N=2\n");
}

static void what_others_do_in_between_does_not_matter(void **state)
{
    struct made m = made_running(21);
    RECORD(&m, GoSysCall, 10, 0);
    PROC(&m, 1, 121);
    RECORD(&m, HeapAlloc, 0, 1);
    PROC(&m, 0, 122);
    RECORD(&m, GoSysBlock, 0);
    shows(&m, RUNNING "StateTransition 20 M=7 P=0 G=1 GoID=1 Running->Syscall Reason=\"\"\n"
                      "Metric 21 M=-1 P=1 G=-1 Name=\"/memory/classes/heap/objects:bytes\" Value=Value{Uint64(1)}\n"
                      "Sync 22 M=-1 P=-1 G=-1 N=2\n");
}

static void creation_and_wakeups_name_the_other(void **state)
{
    struct made m = made_running(21);
    RECORD(&m, GoCreate, 10, 2, 5, 6);
    RECORD(&m, GoBlock, 10, 0);
    RECORD(&m, GoStartLocal, 10, 2);
    RECORD(&m, GoUnblockLocal, 10, 1, 5);
    RECORD(&m, GoEnd, 10);
    RECORD(&m, Stack, 5, 1, 0x50, 1, 2, 33);
    RECORD(&m, Stack, 6, 1, 0x60, 2, 1, 44);
    made_string(&m, 1, "f");
    made_string(&m, 2, "f.go");
    shows(&m, RUNNING "StateTransition 20 M=7 P=0 G=1 GoID=2 NotExist->Runnable Reason=\"\" TransitionStack="
                      " f @ 0x50 f.go:33 Stack= f.go @ 0x60 f:44\n"
                      "StateTransition 30 M=7 P=0 G=1 GoID=1 Running->Waiting Reason=\"\"\n"
                      "StateTransition 40 M=7 P=0 G=2 GoID=2 Runnable->Running Reason=\"\"\n"
                      "StateTransition 50 M=7 P=0 G=2 GoID=1 Waiting->Runnable Reason=\"\" Stack= f @ 0x50 f.go:33\n"
                      "StateTransition 60 M=7 P=0 G=2 GoID=2 Running->NotExist Reason=\"\"\n"
                      "Sync 61 M=-1 P=-1 G=-1 N=2\n");
}

static void labels_are_events_of_their_own(void **state)
{
    struct made m = made_running(21);
    RECORD(&m, GoCreate, 10, 2, 0, 0);
    RECORD(&m, GoSched, 10, 0);
    RECORD(&m, GoStartLabel, 10, 2, 1, 4);
    RECORD(&m, GoSched, 0, 0);
    RECORD(&m, GoStartLabel, 10, 2, 2, 5);
    made_string(&m, 4, "GC (idle)");
    shows(&m, RUNNING "StateTransition 20 M=7 P=0 G=1 GoID=2 NotExist->Runnable Reason=\"\" TransitionStack=\n"
                      "StateTransition 30 M=7 P=0 G=1 GoID=1 Running->Runnable Reason=\"runtime.Gosched\"\n"
                      "StateTransition 40 M=7 P=0 G=2 GoID=2 Runnable->Running Reason=\"\"\n"
                      "Label 41 M=7 P=0 G=2 Label=\"GC (idle)\" Resource=Goroutine(2)\n"
                      "StateTransition 42 M=7 P=0 G=2 GoID=2 Running->Runnable Reason=\"runtime.Gosched\"\n"
                      "StateTransition 50 M=7 P=0 G=2 GoID=2 Runnable->Running Reason=\"\"\n"
                      "Label 51 M=7 P=0 G=2 Label=\"\" Resource=Goroutine(2)\n"
                      "Sync 52 M=-1 P=-1 G=-1 N=2\n");
}

static void collections_are_ranges(void **state)
{
    struct made m = made_running(21);
    RECORD(&m, GCStart, 10, 0, 0);
    RECORD(&m, GCSweepStart, 1, 0);
    RECORD(&m, GCSweepDone, 1, 4096, 512);
    RECORD(&m, GCMarkAssistStart, 1, 0);
    RECORD(&m, GCMarkAssistDone, 1);
    RECORD(&m, GCDone, 1);
    shows(&m, RUNNING "RangeBegin 20 M=-1 P=1000004 G=1 Name=\"GC concurrent mark phase\" Scope=None\n"
                      "RangeBegin 21 M=7 P=0 G=1 Name=\"GC incremental sweep\" Scope=Proc(0)\n"
                      "RangeEnd 22 M=7 P=0 G=1 Name=\"GC incremental sweep\" Scope=Proc(0) "
                      "Attributes=[\"bytes swept\"=Value{Uint64(4096)} \"bytes reclaimed\"=Value{Uint64(512)}]\n"
                      "RangeBegin 23 M=7 P=0 G=1 Name=\"GC mark assist\" Scope=Goroutine(1)\n"
                      "RangeEnd 24 M=7 P=0 G=1 Name=\"GC mark assist\" Scope=Goroutine(1) Attributes=[]\n"
                      "RangeEnd 25 M=7 P=0 G=1 Name=\"GC concurrent mark phase\" Scope=None Attributes=[]\n"
                      "Sync 26 M=-1 P=-1 G=-1 N=2\n");
}

/* The number means something else in each version, and nothing before 1.10. */
static void stop_is(unsigned nn, uint64_t kind, const char *reason)
{
    char wanted[1000];
    struct made m = made_running(nn);
    if (nn < 10)
        RECORD(&m, STWStart, 10);
    else
        RECORD(&m, STWStart, 10, kind);
    RECORD(&m, STWDone, 10);
    snprintf(wanted, sizeof wanted,
             RUNNING "RangeBegin 20 M=7 P=0 G=1 Name=\"stop-the-world (%s)\" Scope=Goroutine(1)\n"
                     "RangeEnd 30 M=7 P=0 G=1 Name=\"stop-the-world (%s)\" Scope=Goroutine(1) Attributes=[]\n"
                     "Sync 31 M=-1 P=-1 G=-1 N=2\n",
             reason, reason);
    shows(&m, wanted);
}

static void stops_of_the_world_have_reasons(void **state)
{
    stop_is(7, 0, "GC mark termination");
    stop_is(11, 0, "GC mark termination");
    stop_is(11, 1, "GC sweep termination");
    stop_is(11, 2, "");
    stop_is(21, 0, "");
    stop_is(21, 1, "GC mark termination");
    stop_is(21, 2, "GC sweep termination");
    stop_is(21, 3, "write heap dump");
    stop_is(21, 4, "goroutine profile");
    stop_is(21, 5, "goroutine profile cleanup");
    stop_is(21, 6, "all goroutine stack trace");
    stop_is(21, 7, "read mem stats");
    stop_is(21, 8, "AllThreadsSyscall");
    stop_is(21, 9, "GOMAXPROCS");
    stop_is(21, 10, "start trace");
    stop_is(21, 11, "stop trace");
    stop_is(21, 12, "CountPagesInUse (test)");
    stop_is(21, 13, "ReadMetricsSlow (test)");
    stop_is(21, 14, "ReadMemStatsSlow (test)");
    stop_is(21, 15, "PageCachePagesLeaked (test)");
    stop_is(21, 16, "ResetDebugLog (test)");
    stop_is(21, 17, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trace_is_between_two_syncs),
        cmocka_unit_test(goroutines_that_were_there_are_told_by_the_first_gomaxprocs),
        cmocka_unit_test(nobody_is_told_without_a_gomaxprocs),
        cmocka_unit_test(procs_start_and_stop_on_threads),
        cmocka_unit_test(reasons_to_stop_have_names),
        cmocka_unit_test(system_calls_that_do_not_block_take_a_nanosecond),
        cmocka_unit_test(what_others_do_in_between_does_not_matter),
        cmocka_unit_test(creation_and_wakeups_name_the_other),
        cmocka_unit_test(labels_are_events_of_their_own),
        cmocka_unit_test(collections_are_ranges),
        cmocka_unit_test(stops_of_the_world_have_reasons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
