/* v1 traces written as v2, rule by rule: where things happen, and what is dropped. */
#include "tests/v1/from-v1.h"

static void times_are_2_ns_later(void **state)
{
    struct made m = made_running(21);
    RECORD(&m, HeapAlloc, 5, 77);
    RECORD(&m, HeapGoal, 0, 78);
    becomes(&m, 22, RUNNING
            "Metric 17 M=7 P=0 G=1 Name=\"/memory/classes/heap/objects:bytes\" Value=Value{Uint64(77)}\n"
            "Metric 18 M=7 P=0 G=1 Name=\"/gc/heap/goal:bytes\" Value=Value{Uint64(78)}\n");
}

static void calls_from_the_beginning_are_on_threads_that_are_made_up(void **state)
{
    struct made m = made(21);
    PROC(&m, 0, 100);
    RECORD(&m, GoCreate, 0, 2, 0, 0);
    RECORD(&m, GoInSyscall, 0, 2);
    RECORD(&m, GoCreate, 0, 3, 0, 0);
    RECORD(&m, GoInSyscall, 0, 3);
    RECORD(&m, GoCreate, 0, 4, 0, 0);
    RECORD(&m, GoWaiting, 0, 4);
    RECORD(&m, GoCreate, 0, 5, 0, 0);
    RECORD(&m, ProcStart, 0, 7);
    RECORD(&m, Gomaxprocs, 10, 2, 0);
    RECORD(&m, GoSysExit, 10, 2, 2, 0);
    RECORD(&m, GoStart, 1, 2, 3);
    RECORD(&m, GoEnd, 1);
    becomes(&m, 26, "StateTransition 2 M=4294967296 P=-1 G=-1 GoID=2 Undetermined->Syscall Reason=\"\"\n"
                "StateTransition 3 M=4294967297 P=-1 G=-1 GoID=3 Undetermined->Syscall Reason=\"\"\n"
                "StateTransition 4 M=-1 P=-1 G=-1 GoID=4 Undetermined->Waiting Reason=\"\"\n"
                "StateTransition 5 M=7 P=-1 G=-1 ProcID=0 Undetermined->Running Reason=\"\"\n"
                "StateTransition 12 M=-1 P=-1 G=-1 GoID=5 Undetermined->Runnable Reason=\"\"\n"
                "StateTransition 22 M=4294967296 P=-1 G=2 GoID=2 Syscall->Runnable Reason=\"\"\n"
                "StateTransition 23 M=7 P=0 G=-1 GoID=2 Runnable->Running Reason=\"\"\n"
                "StateTransition 24 M=7 P=0 G=2 GoID=2 Running->NotExist Reason=\"\"\n");
}

static void a_call_that_blocks_keeps_its_thread(void **state)
{
    struct made m = made_running(21);
    RECORD(&m, GoSysCall, 10, 0);
    RECORD(&m, GoSysBlock, 10);
    RECORD(&m, ProcStop, 10);
    RECORD(&m, ProcStart, 10, 8);
    RECORD(&m, GoSysExit, 10, 1, 2, 0);
    RECORD(&m, ProcStop, 10);
    RECORD(&m, ProcStart, 10, 7);
    RECORD(&m, GoStart, 10, 1, 3);
    becomes(&m, 22, RUNNING "StateTransition 22 M=7 P=0 G=1 GoID=1 Running->Syscall Reason=\"\"\n"
                        "StateTransition 42 M=7 P=0 G=1 ProcID=0 Running->Idle Reason=\"\"\n"
                        "StateTransition 52 M=8 P=-1 G=-1 ProcID=0 Idle->Running Reason=\"\"\n"
                        "StateTransition 62 M=7 P=-1 G=1 GoID=1 Syscall->Runnable Reason=\"\"\n"
                        "StateTransition 72 M=8 P=0 G=-1 ProcID=0 Running->Idle Reason=\"\"\n"
                        "StateTransition 82 M=7 P=-1 G=-1 ProcID=0 Idle->Running Reason=\"\"\n"
                        "StateTransition 92 M=7 P=0 G=-1 GoID=1 Runnable->Running Reason=\"\"\n");
}

/* Thread 7 is still in the call when it gets another proc; so is the thread that was made up for that. */
static void a_busy_thread_is_replaced(void **state)
{
    struct made m = made_running(21);
    RECORD(&m, GoCreate, 1, 2, 0, 0);
    RECORD(&m, GoSysCall, 10, 0);
    RECORD(&m, GoSysBlock, 10);
    RECORD(&m, ProcStop, 10);
    RECORD(&m, ProcStart, 10, 7);
    RECORD(&m, GoStart, 10, 2, 1);
    RECORD(&m, GoEnd, 10);
    RECORD(&m, ProcStop, 10);
    PROC(&m, 1, 200);
    RECORD(&m, ProcStart, 10, 7);
    becomes(&m, 22, RUNNING "StateTransition 13 M=7 P=0 G=1 GoID=2 NotExist->Runnable Reason=\"\" TransitionStack=\n"
                        "StateTransition 23 M=7 P=0 G=1 GoID=1 Running->Syscall Reason=\"\"\n"
                        "StateTransition 43 M=7 P=0 G=1 ProcID=0 Running->Idle Reason=\"\"\n"
                        "StateTransition 53 M=4294967296 P=-1 G=-1 ProcID=0 Idle->Running Reason=\"\"\n"
                        "StateTransition 63 M=4294967296 P=0 G=-1 GoID=2 Runnable->Running Reason=\"\"\n"
                        "StateTransition 73 M=4294967296 P=0 G=2 GoID=2 Running->NotExist Reason=\"\"\n"
                        "StateTransition 83 M=4294967296 P=0 G=-1 ProcID=0 Running->Idle Reason=\"\"\n"
                        "StateTransition 112 M=4294967296 P=-1 G=-1 ProcID=1 Undetermined->Running Reason=\"\"\n");
}

/* Another thread goes on with the proc, which did not stop. */
static void a_proc_that_changes_threads_stops_and_starts(void **state)
{
    struct made m = made_running(21);
    RECORD(&m, GoCreate, 1, 2, 0, 0);
    RECORD(&m, GoSysCall, 10, 0);
    RECORD(&m, GoSysBlock, 10);
    RECORD(&m, GoStart, 10, 2, 1);
    RECORD(&m, GoSysExit, 10, 1, 2, 0);
    RECORD(&m, GoBlock, 10, 0);
    RECORD(&m, GoStart, 10, 1, 3);
    becomes(&m, 22, RUNNING "StateTransition 13 M=7 P=0 G=1 GoID=2 NotExist->Runnable Reason=\"\" TransitionStack=\n"
                        "StateTransition 23 M=7 P=0 G=1 GoID=1 Running->Syscall Reason=\"\"\n"
                        "StateTransition 40 M=7 P=0 G=1 ProcID=0 Running->Idle Reason=\"\"\n"
                        "StateTransition 41 M=4294967296 P=-1 G=-1 ProcID=0 Idle->Running Reason=\"\"\n"
                        "StateTransition 43 M=4294967296 P=0 G=-1 GoID=2 Runnable->Running Reason=\"\"\n"
                        "StateTransition 53 M=7 P=-1 G=1 GoID=1 Syscall->Runnable Reason=\"\"\n"
                        "StateTransition 63 M=4294967296 P=0 G=2 GoID=2 Running->Waiting Reason=\"\"\n"
                        "StateTransition 73 M=4294967296 P=0 G=-1 GoID=1 Runnable->Running Reason=\"\"\n");
}

static void the_end_of_a_call_takes_its_proc_away(void **state)
{
    struct made m = made_running(21);
    RECORD(&m, GoSysCall, 10, 0);
    RECORD(&m, GoSysBlock, 10);
    RECORD(&m, GoSysExit, 10, 1, 2, 0);
    RECORD(&m, GoStart, 10, 1, 3);
    RECORD(&m, GoSched, 1, 0);
    RECORD(&m, ProcStop, 1);
    becomes(&m, 22, RUNNING "StateTransition 22 M=7 P=0 G=1 GoID=1 Running->Syscall Reason=\"\"\n"
                        "StateTransition 39 M=7 P=0 G=1 ProcID=0 Running->Idle Reason=\"\"\n"
                        "StateTransition 42 M=7 P=-1 G=1 GoID=1 Syscall->Runnable Reason=\"\"\n"
                        "StateTransition 49 M=7 P=-1 G=-1 ProcID=0 Idle->Running Reason=\"\"\n"
                        "StateTransition 52 M=7 P=0 G=-1 GoID=1 Runnable->Running Reason=\"\"\n"
                        "StateTransition 53 M=7 P=0 G=1 GoID=1 Running->Runnable Reason=\"runtime.Gosched\"\n"
                        "StateTransition 54 M=7 P=0 G=-1 ProcID=0 Running->Idle Reason=\"\"\n");
}

/* Proc 0 is back on its made-up thread, and thread 7 is no made-up one, when more are needed. */
static void threads_are_spare_while_they_do_nothing(void **state)
{
    struct made m = made_running(21);
    RECORD(&m, GoCreate, 1, 2, 0, 0);
    RECORD(&m, GoSysCall, 10, 0);
    RECORD(&m, GoSysBlock, 10);
    RECORD(&m, ProcStop, 10);
    RECORD(&m, ProcStart, 10, 7);
    RECORD(&m, GoStart, 10, 2, 1);
    RECORD(&m, GoSysCall, 10, 0);
    RECORD(&m, GoSysBlock, 10);
    RECORD(&m, GoSysExit, 10, 2, 2, 0);
    RECORD(&m, GoStart, 10, 2, 3);
    PROC(&m, 1, 300);
    RECORD(&m, ProcStart, 10, 7);
    RECORD(&m, GoSysExit, 10, 1, 2, 0);
    PROC(&m, 2, 400);
    RECORD(&m, HeapAlloc, 10, 1);
    becomes(&m, 22, RUNNING "StateTransition 13 M=7 P=0 G=1 GoID=2 NotExist->Runnable Reason=\"\" TransitionStack=\n"
                        "StateTransition 23 M=7 P=0 G=1 GoID=1 Running->Syscall Reason=\"\"\n"
                        "StateTransition 43 M=7 P=0 G=1 ProcID=0 Running->Idle Reason=\"\"\n"
                        "StateTransition 53 M=4294967296 P=-1 G=-1 ProcID=0 Idle->Running Reason=\"\"\n"
                        "StateTransition 63 M=4294967296 P=0 G=-1 GoID=2 Runnable->Running Reason=\"\"\n"
                        "StateTransition 73 M=4294967296 P=0 G=2 GoID=2 Running->Syscall Reason=\"\"\n"
                        "StateTransition 90 M=4294967296 P=0 G=2 ProcID=0 Running->Idle Reason=\"\"\n"
                        "StateTransition 93 M=4294967296 P=-1 G=2 GoID=2 Syscall->Runnable Reason=\"\"\n"
                        "StateTransition 100 M=4294967296 P=-1 G=-1 ProcID=0 Idle->Running Reason=\"\"\n"
                        "StateTransition 103 M=4294967296 P=0 G=-1 GoID=2 Runnable->Running Reason=\"\"\n"
                        "StateTransition 212 M=4294967297 P=-1 G=-1 ProcID=1 Undetermined->Running Reason=\"\"\n"
                        "StateTransition 222 M=7 P=-1 G=1 GoID=1 Syscall->Runnable Reason=\"\"\n"
                        "StateTransition 309 M=4294967298 P=-1 G=-1 ProcID=2 Undetermined->Running Reason=\"\"\n"
                        "Metric 312 M=4294967298 P=2 G=-1 Name=\"/memory/classes/heap/objects:bytes\" "
                        "Value=Value{Uint64(1)}\n");
}

/* The sample hides from as_v2 that the call blocks. */
static void a_call_that_blocked_after_all(void **state)
{
    struct made m = made_running(21);
    RECORD(&m, GoSysCall, 10, 0);
    RECORD(&m, CPUSample, 0, 125, 0, 1, 0);
    PROC(&m, 0, 130);
    RECORD(&m, GoSysBlock, 0);
    RECORD(&m, ProcStop, 10);
    RECORD(&m, GoSysExit, 10, 1, 2, 0);
    becomes(&m, 22, RUNNING "StateTransition 22 M=7 P=0 G=1 GoID=1 Running->Syscall Reason=\"\"\n"
                        "StateTransition 23 M=7 P=0 G=1 GoID=1 Syscall->Running Reason=\"\"\n"
                        "StackSample 27 M=-1 P=0 G=1 Stack=\n"
                        "StateTransition 39 M=7 P=0 G=1 GoID=1 Running->Syscall Reason=\"\"\n"
                        "StateTransition 42 M=7 P=0 G=1 ProcID=0 Running->Idle Reason=\"\"\n"
                        "StateTransition 52 M=7 P=-1 G=1 GoID=1 Syscall->Runnable Reason=\"\"\n");
}

static void who_wakes_is_known_where_it_was(void **state)
{
    struct made m = made(21);
    PROC(&m, 0, 100);
    for (uint64_t g = 2; g < 5; g++) {
        RECORD(&m, GoCreate, 0, g, 0, 0);
        RECORD(&m, GoWaiting, 0, g);
    }
    RECORD(&m, GoCreate, 0, 1, 0, 0);
    RECORD(&m, ProcStart, 0, 7);
    RECORD(&m, GoStart, 0, 1, 1);
    RECORD(&m, Gomaxprocs, 10, 2, 0);
    RECORD(&m, GoUnblock, 1, 2, 2, 0);
    PROC(&m, (uint64_t)-1, 120);
    RECORD(&m, GoUnblock, 1, 3, 2, 0);
    PROC(&m, 0, 130);
    RECORD(&m, GoSched, 1, 0);
    RECORD(&m, GoUnblock, 1, 4, 2, 0);
    becomes(&m, 22, "StateTransition 2 M=-1 P=-1 G=-1 GoID=2 Undetermined->Waiting Reason=\"\"\n"
                "StateTransition 3 M=-1 P=-1 G=-1 GoID=3 Undetermined->Waiting Reason=\"\"\n"
                "StateTransition 4 M=-1 P=-1 G=-1 GoID=4 Undetermined->Waiting Reason=\"\"\n"
                "StateTransition 5 M=7 P=-1 G=-1 ProcID=0 Undetermined->Running Reason=\"\"\n"
                "StateTransition 6 M=7 P=0 G=-1 GoID=1 Undetermined->Running Reason=\"\"\n"
                "StateTransition 13 M=7 P=0 G=1 GoID=2 Waiting->Runnable Reason=\"\"\n"
                "StateTransition 23 M=-1 P=-1 G=-1 GoID=3 Waiting->Runnable Reason=\"\"\n"
                "StateTransition 33 M=7 P=0 G=1 GoID=1 Running->Runnable Reason=\"runtime.Gosched\"\n"
                "StateTransition 34 M=7 P=0 G=-1 GoID=4 Waiting->Runnable Reason=\"\"\n");
}

static void a_metric_lends_a_proc(void **state)
{
    struct made m = made(21);
    PROC(&m, 0, 100);
    RECORD(&m, HeapAlloc, 10, 1);
    RECORD(&m, HeapAlloc, 10, 2);
    RECORD(&m, ProcStart, 10, 7);
    RECORD(&m, ProcStop, 10);
    RECORD(&m, HeapGoal, 10, 3);
    RECORD(&m, ProcStart, 10, 8);
    PROC(&m, (uint64_t)-1, 200);
    RECORD(&m, HeapAlloc, 10, 4);
    becomes(&m, 22, "StateTransition 2 M=4294967296 P=-1 G=-1 ProcID=0 Undetermined->Running Reason=\"\"\n"
                "Metric 3 M=4294967296 P=0 G=-1 Name=\"/memory/classes/heap/objects:bytes\" "
                "Value=Value{Uint64(1)}\n"
                "Metric 12 M=4294967296 P=0 G=-1 Name=\"/memory/classes/heap/objects:bytes\" "
                "Value=Value{Uint64(2)}\n"
                "StateTransition 19 M=4294967296 P=0 G=-1 ProcID=0 Running->Idle Reason=\"\"\n"
                "StateTransition 22 M=7 P=-1 G=-1 ProcID=0 Idle->Running Reason=\"\"\n"
                "StateTransition 32 M=7 P=0 G=-1 ProcID=0 Running->Idle Reason=\"\"\n"
                "StateTransition 39 M=7 P=-1 G=-1 ProcID=0 Idle->Running Reason=\"\"\n"
                "Metric 42 M=7 P=0 G=-1 Name=\"/gc/heap/goal:bytes\" Value=Value{Uint64(3)}\n"
                "StateTransition 49 M=7 P=0 G=-1 ProcID=0 Running->Idle Reason=\"\"\n"
                "StateTransition 52 M=8 P=-1 G=-1 ProcID=0 Idle->Running Reason=\"\"\n"
                "Metric 102 M=8 P=0 G=-1 Name=\"/memory/classes/heap/objects:bytes\" Value=Value{Uint64(4)}\n");
}

/* What runs on a proc that is none runs nowhere. */
static void without_a_proc_nothing_runs(void **state)
{
    struct made m = made_running(21);
    RECORD(&m, GoCreate, 1, 2, 0, 0);
    PROC(&m, (uint64_t)-1, 120);
    RECORD(&m, GoStart, 1, 2, 1);
    RECORD(&m, GoSysCall, 1, 0);
    RECORD(&m, GCMarkAssistStart, 1, 0);
    RECORD(&m, GoBlock, 1, 0);
    RECORD(&m, ProcStart, 1, 8);
    becomes(&m, 22, RUNNING "StateTransition 13 M=7 P=0 G=1 GoID=2 NotExist->Runnable Reason=\"\" TransitionStack=\n"
                        "dropped 1 ProcStart\ndropped 1 GoStart\ndropped 1 GoBlock\ndropped 1 GoSyscallBegin\n"
                        "dropped 1 GoSyscallEnd\ndropped 1 GCMarkAssistBegin\n");
}

/* Without a Gomaxprocs each start is told as a status. */
static void a_second_status_is_a_start(void **state)
{
    struct made m = made(21);
    PROC(&m, 0, 100);
    RECORD(&m, GoCreate, 0, 1, 0, 0);
    RECORD(&m, ProcStart, 0, 7);
    RECORD(&m, GoStart, 0, 1, 1);
    RECORD(&m, GoSched, 10, 0);
    RECORD(&m, GoStart, 10, 1, 2);
    becomes(&m, 22, RUNNING "StateTransition 12 M=7 P=0 G=1 GoID=1 Running->Runnable Reason=\"runtime.Gosched\"\n"
                        "StateTransition 22 M=7 P=0 G=-1 GoID=1 Runnable->Running Reason=\"\"\n");
}

static void changing_procs_takes_a_goroutine(void **state)
{
    struct made m = made_running(21);
    RECORD(&m, Gomaxprocs, 1, 4, 0);
    PROC(&m, 1, 150);
    RECORD(&m, Gomaxprocs, 1, 5, 0);
    PROC(&m, 0, 160);
    RECORD(&m, GoBlock, 1, 0);
    RECORD(&m, Gomaxprocs, 1, 6, 0);
    becomes(&m, 22, RUNNING "Metric 13 M=7 P=0 G=1 Name=\"/sched/gomaxprocs:threads\" Value=Value{Uint64(4)}\n"
                        "Metric 53 M=7 P=0 G=1 Name=\"/sched/gomaxprocs:threads\" Value=Value{Uint64(5)}\n"
                        "StateTransition 63 M=7 P=0 G=1 GoID=1 Running->Waiting Reason=\"\"\n"
                        "dropped 1 ProcsChange\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_2_ns_later),
        cmocka_unit_test(calls_from_the_beginning_are_on_threads_that_are_made_up),
        cmocka_unit_test(a_call_that_blocks_keeps_its_thread),
        cmocka_unit_test(a_busy_thread_is_replaced),
        cmocka_unit_test(a_proc_that_changes_threads_stops_and_starts),
        cmocka_unit_test(the_end_of_a_call_takes_its_proc_away),
        cmocka_unit_test(threads_are_spare_while_they_do_nothing),
        cmocka_unit_test(a_call_that_blocked_after_all),
        cmocka_unit_test(who_wakes_is_known_where_it_was),
        cmocka_unit_test(a_metric_lends_a_proc),
        cmocka_unit_test(without_a_proc_nothing_runs),
        cmocka_unit_test(a_second_status_is_a_start),
        cmocka_unit_test(changing_procs_takes_a_goroutine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
