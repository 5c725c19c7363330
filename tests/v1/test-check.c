/* What cannot happen in a v1 trace, and what follows from the order of what can. */
#include "tests/v1/made.h"

#include <stdio.h>

/* Goroutine 1 runs on proc 0. */
static struct made running(unsigned nn)
{
    struct made m = made(nn);
    PROC(&m, 0, 100);
    RECORD(&m, GoCreate, 0, 1, 0, 0);
    RECORD(&m, GoStart, 0, 1, 1);
    return m;
}
#define RUNNING "0 GoCreate p0 g0 1 0\n0 GoStart p0 g1 1 1\n"

/* One event more, and the trace is broken. */
#define BREAKS(nn, wanted, name, ...)                                                                                  \
    do {                                                                                                               \
        struct made m_ = running(nn);                                                                                  \
        RECORD(&m_, name, ##__VA_ARGS__);                                                                              \
        fails(&m_, wanted);                                                                                            \
    } while (0)

static void procs_start_and_stop_in_turn(void **state)
{
    struct made m = made(21);
    PROC(&m, 3, 100);
    RECORD(&m, ProcStart, 0, 7);
    RECORD(&m, ProcStart, 1, 7);
    fails(&m, "ProcStart: p 3 is running before start (time 1)");
    m = made(21);
    PROC(&m, 3, 100);
    RECORD(&m, ProcStop, 0);
    fails(&m, "ProcStop: p 3 is not running before stop (time 0)");
    m = made(21);
    PROC(&m, 3, 100);
    RECORD(&m, ProcStart, 0, 7);
    RECORD(&m, GoCreate, 0, 1, 0, 0);
    RECORD(&m, GoStart, 0, 1, 1);
    RECORD(&m, ProcStop, 5);
    fails(&m, "ProcStop: p 3 is running goroutine 1 during stop (time 5)");
    m = made(21);
    PROC(&m, 3, 100);
    RECORD(&m, ProcStart, 0, 7);
    RECORD(&m, ProcStop, 1);
    RECORD(&m, ProcStart, 1, 8);
    gives(&m, "0 ProcStart p3 g0 7\n1 ProcStop p3 g0\n2 ProcStart p3 g0 8\n");
}

static void spans_begin_and_end_in_turn(void **state)
{
    struct made m = running(21);
    RECORD(&m, GCStart, 0, 0, 0);
    RECORD(&m, GCStart, 0, 1, 0);
    fails(&m, "GCStart: the previous GC has not ended before a new one (time 0)");
    BREAKS(21, "GCDone: the end of a GC that did not begin (time 4)", GCDone, 4);
    m = running(21);
    RECORD(&m, STWStart, 0, 1);
    PROC(&m, 1, 100);
    RECORD(&m, STWStart, 1, 1);
    fails(&m, "STWStart: the previous stop of the world has not ended before a new one (time 1)");
    BREAKS(21, "STWDone: the end of a stop of the world that did not begin (time 4)", STWDone, 4);
    m = running(21);
    RECORD(&m, GCSweepStart, 0, 0);
    RECORD(&m, GCSweepStart, 2, 0);
    fails(&m, "GCSweepStart: the previous sweeping has not ended before a new one (time 2)");
    BREAKS(21, "GCSweepDone: the end of a sweeping that did not begin (time 4)", GCSweepDone, 4, 1, 1);
    m = running(21);
    RECORD(&m, GCMarkAssistStart, 0, 0);
    RECORD(&m, GCMarkAssistStart, 2, 0);
    fails(&m, "GCMarkAssistStart: the previous mark assist has not ended before a new one (time 2)");
}

static void before_1_10_each_proc_stops_by_itself(void **state)
{
    struct made m = made(9);
    PROC(&m, 0, 100);
    RECORD(&m, STWStart, 0);
    PROC(&m, 1, 100);
    RECORD(&m, STWStart, 1);
    RECORD(&m, STWDone, 1);
    gives(&m, "0 STWStart p0 g0 0 \"mark termination\"\n1 STWStart p1 g0 0 \"mark termination\"\n2 STWDone p1 g0\n");
    m = made(9);
    PROC(&m, 0, 100);
    RECORD(&m, STWStart, 0);
    RECORD(&m, STWStart, 1);
    fails(&m, "STWStart: the previous stop of the world has not ended before a new one (time 1)");
}

static void an_assist_may_have_begun_before_the_trace(void **state)
{
    struct made m = running(21);
    RECORD(&m, GCMarkAssistDone, 1);
    RECORD(&m, GCMarkAssistStart, 1, 0);
    RECORD(&m, GCMarkAssistDone, 1);
    RECORD(&m, GCSweepStart, 1, 0);
    RECORD(&m, GCSweepDone, 1, 5, 6);
    gives(&m, RUNNING "1 GCMarkAssistDone p0 g1\n2 GCMarkAssistStart p0 g1\n3 GCMarkAssistDone p0 g1\n"
                      "4 GCSweepStart p0 g1\n5 GCSweepDone p0 g1 5 6\n");
}

static void a_goroutine_is_created_once(void **state)
{
    /* Before 1.7, order does not depend on what goroutines do. */
    struct made m = made(5);
    RECORD(&m, Batch, 0, 1, 100);
    RECORD(&m, GoCreate, 1, 0, 1, 0, 0);
    RECORD(&m, GoCreate, 1, 1, 1, 0, 0);
    fails(&m, "GoCreate: g 1 already exists (time 1)");
    m = made(5);
    RECORD(&m, Batch, 0, 1, 100);
    RECORD(&m, GoCreate, 1, 0, 1, 0, 0);
    RECORD(&m, GoStart, 1, 0, 1);
    RECORD(&m, GoEnd, 1, 0);
    RECORD(&m, GoCreate, 1, 1, 1, 0, 0);
    fails(&m, "GoCreate: g 1 already exists (time 1)");
}

/* A sample is of goroutine 1 before that is created. */
static void go_1_21_knows_goroutines_from_any_event(void **state)
{
    for (enum v1_view view = V1_AS_GO_1_21; view <= V1_AS_GO_1_22; view++) {
        struct made m = made(19);
        PROC(&m, 0, 100);
        RECORD(&m, CPUSample, 0, 99, 0, 1, 0);
        RECORD(&m, GoCreate, 0, 1, 0, 0);
        gives_in(&m, view,
                 view == V1_AS_GO_1_21 ? "GoCreate: g 1 already exists (time 1)"
                                       : "0 CPUSample p0 g1 0 0 1\n1 GoCreate p0 g0 1 0\n");
    }
}

static void a_goroutine_starts_when_it_may(void **state)
{
    struct made m = made(5);
    RECORD(&m, Batch, 0, 1, 100);
    RECORD(&m, GoStart, 1, 3, 1);
    fails(&m, "GoStart: g 1 is not runnable before start (time 0)");
    m = running(21);
    RECORD(&m, GoCreate, 1, 2, 0, 0);
    RECORD(&m, GoStart, 1, 2, 1);
    fails(&m, "GoStart: p 0 is already running g 1 (time 2)");
    m = made(5);
    RECORD(&m, Batch, 0, 1, 100);
    RECORD(&m, GoWaiting, 1, 3, 1);
    fails(&m, "GoWaiting: g 1 is not runnable (time 0)");
    m = made(5);
    RECORD(&m, Batch, 0, 1, 100);
    RECORD(&m, GoInSyscall, 1, 3, 1);
    fails(&m, "GoInSyscall: g 1 is not runnable (time 0)");
}

/* Each of these is of the goroutine that runs on the proc; here none does. */
static void only_who_runs_can_do_something(void **state)
{
    static const uint8_t ids[] = {V1_GoEnd,       V1_GoStop,      V1_GoSched,       V1_GoPreempt,   V1_GoSleep,
                                  V1_GoBlock,     V1_GoBlockSend, V1_GoBlockRecv,   V1_GoBlockSync, V1_GoBlockCond,
                                  V1_GoBlockNet,  V1_GoSysCall,   V1_GoBlockSelect, V1_GoSysBlock};
    for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
        char wanted[80];
        struct made m = made(5);
        RECORD(&m, Batch, 0, 1, 100);
        made_record(&m, ids[i], (const uint64_t[]){1, 3, 0}, v1_form(5).shapes[ids[i]].nargs);
        snprintf(wanted, sizeof wanted, "%s: g 0 cannot do that (time 0)", v1_events[ids[i]].name);
        fails(&m, wanted);
    }
}

/* Before 1.7 a proc may write its events in another order than that of their numbers. */
static void who_runs_has_to_run_there(void **state)
{
    struct made m = made(5);
    RECORD(&m, Batch, 0, 1, 100);
    RECORD(&m, GoCreate, 1, 0, 1, 0, 0);
    RECORD(&m, GoCreate, 3, 0, 2, 0, 0);
    RECORD(&m, GoStart, UINT64_MAX, 0, 1);
    fails(&m, "GoCreate: p 0 is not running g 0 (time 0)");
    m = made(5);
    RECORD(&m, Batch, 0, 1, 100);
    RECORD(&m, GoCreate, 1, 0, 1, 0, 0);
    RECORD(&m, GoStart, 3, 0, 1);
    RECORD(&m, GoSched, UINT64_MAX, 0, 0);
    fails(&m, "GoSched: g 1 is not running (time 0)");
    m = made(5);
    RECORD(&m, Batch, 0, 1, 100);
    RECORD(&m, GoCreate, 1, 0, 1, 0, 0);
    RECORD(&m, GoStart, 3, 0, 1);
    RECORD(&m, GoUnblock, UINT64_MAX, 0, 2, 0);
    fails(&m, "GoUnblock: g 1 is not running (time 0)");
    m = made(5);
    RECORD(&m, Batch, 0, 1, 100);
    RECORD(&m, GoCreate, 1, 0, 1, 0, 0);
    RECORD(&m, GoUnblock, 3, 0, 2, 0);
    RECORD(&m, GoStart, UINT64_MAX, 0, 1);
    fails(&m, "GoUnblock: p 0 is not running g 0 (time 0)");
}

static void a_wakeup_is_of_one_that_waits(void **state)
{
    struct made m = made(5);
    RECORD(&m, Batch, 0, 1, 100);
    RECORD(&m, GoUnblock, 1, 0, 2, 0);
    fails(&m, "GoUnblock: g 2 is not waiting (time 0)");
    m = made(5);
    RECORD(&m, Batch, 0, 1, 100);
    RECORD(&m, GoCreate, 1, 0, 1, 0, 0);
    RECORD(&m, GoStart, 1, 0, 1);
    RECORD(&m, GoSysBlock, 1, 0);
    RECORD(&m, Batch, 1, 5, 100);
    RECORD(&m, GoSysExit, 1, 0, 1, 6, 0);
    RECORD(&m, GoSysExit, 1, 2, 1, 7, 0);
    fails(&m, "GoSysExit: g 1 is not waiting during syscall exit (time 2)");
}

static void a_start_shows_where_the_goroutine_was_made(void **state)
{
    struct made m = made(21);
    RECORD(&m, Stack, 6, 1, 0x10, 0, 0, 1);
    RECORD(&m, Stack, 7, 1, 0x20, 0, 0, 2);
    PROC(&m, 0, 100);
    RECORD(&m, GoCreate, 0, 1, 7, 6);
    RECORD(&m, GoStart, 0, 1, 1);
    RECORD(&m, GoSched, 0, 6);
    RECORD(&m, GoStart, 0, 1, 2);
    gives(&m, "0 GoCreate p0 g0 1 7 @10  :1\n0 GoStart p0 g1 1 1 @20  :2\n0 GoSched p0 g1 @10  :1\n"
              "0 GoStart p0 g1 1 2\n");
    m = made(5);
    RECORD(&m, Batch, 0, 1, 100);
    for (unsigned g = 1; g <= 2; g++) {
        RECORD(&m, GoCreate, 1, 0, g, 0x30, 0);
        RECORD(&m, GoStart, 1, 0, g);
        RECORD(&m, GoEnd, 1, 0);
    }
    gives(&m, "0 GoCreate p0 g0 1 48\n0 GoStart p0 g1 1 0 @31  :0\n0 GoEnd p0 g1\n"
              "0 GoCreate p0 g0 2 48\n0 GoStart p0 g2 2 0 @31  :0\n0 GoEnd p0 g2\n");
}

static void annotations_say_what_they_are(void **state)
{
    struct made m = running(11);
    made_string(&m, 1, "name");
    RECORD(&m, GoSched, 0, 0);
    RECORD(&m, GoStartLabel, 0, 1, 2, 1);
    RECORD(&m, UserTaskCreate, 0, 5, 0, 1, 0);
    RECORD(&m, UserRegion, 0, 5, 0, 1, 0);
    made_log(&m, 0, 5, 1, 0, "hello");
    made_log(&m, 0, 5, 9, 0, "");
    RECORD(&m, UserRegion, 0, 5, 1, 1, 0);
    RECORD(&m, UserTaskEnd, 0, 5, 0);
    RECORD(&m, UserTaskCreate, 0, 5, 0, 1, 0);
    RECORD(&m, UserTaskEnd, 0, 6, 0);
    RECORD(&m, UserRegion, 0, 5, 1, 1, 0);
    gives(&m, RUNNING "0 GoSched p0 g1\n0 GoStartLabel p0 g1 1 2 1 \"name\"\n0 UserTaskCreate p0 g1 5 0 1 \"name\"\n"
                      "0 UserRegion p0 g1 5 0 1 \"name\"\n0 UserLog p0 g1 5 1 \"name\" \"hello\"\n"
                      "0 UserLog p0 g1 5 9 \"\" \"\"\n0 UserRegion p0 g1 5 1 1 \"name\"\n0 UserTaskEnd p0 g1 5\n"
                      "0 UserTaskCreate p0 g1 5 0 1 \"name\"\n0 UserTaskEnd p0 g1 6\n"
                      "0 UserRegion p0 g1 5 1 1 \"name\"\n");
}

static void tasks_and_regions_are_used_as_they_should(void **state)
{
    struct made m = running(11);
    RECORD(&m, UserTaskCreate, 0, 5, 0, 1, 0);
    RECORD(&m, UserTaskCreate, 1, 5, 0, 1, 0);
    fails(&m, "UserTaskCreate: the task 5 exists already (time 1)");
    BREAKS(11, "UserRegion: invalid user region mode 2 (time 3)", UserRegion, 3, 5, 2, 1, 0);
    m = running(11);
    RECORD(&m, UserRegion, 0, 5, 0, 1, 0);
    RECORD(&m, UserRegion, 0, 6, 1, 1, 0);
    fails(&m, "UserRegion: misuse of region in goroutine 1: it ends another one than the innermost (time 0)");
    m = running(11);
    made_string(&m, 1, "name");
    RECORD(&m, UserRegion, 0, 5, 0, 1, 0);
    RECORD(&m, UserRegion, 0, 5, 1, 2, 0);
    fails(&m, "UserRegion: misuse of region in goroutine 1: it ends another one than the innermost (time 0)");
}

/* Two ids for one name are the same region to Go 1.21. */
static void go_1_21_compares_the_names_of_regions(void **state)
{
    for (enum v1_view view = V1_AS_GO_1_21; view <= V1_AS_GO_1_22; view++) {
        struct made m = running(11);
        made_string(&m, 1, "a");
        made_string(&m, 2, "a");
        RECORD(&m, UserRegion, 0, 5, 0, 1, 0);
        RECORD(&m, UserRegion, 0, 5, 1, 2, 0);
        gives_in(&m, view,
                 view == V1_AS_GO_1_21
                     ? RUNNING "0 UserRegion p0 g1 5 0 1 \"a\"\n0 UserRegion p0 g1 5 1 2 \"a\"\n"
                     : "UserRegion: misuse of region in goroutine 1: it ends another one than the innermost (time 0)");
    }
}

static void the_end_of_a_goroutine_ends_its_regions(void **state)
{
    struct made m = running(11);
    RECORD(&m, UserRegion, 0, 5, 0, 1, 0);
    RECORD(&m, UserRegion, 0, 6, 0, 1, 0);
    RECORD(&m, GoEnd, 0);
    RECORD(&m, GoCreate, 0, 2, 0, 0);
    RECORD(&m, GoStart, 0, 2, 1);
    RECORD(&m, UserRegion, 0, 7, 0, 1, 0);
    RECORD(&m, UserRegion, 0, 7, 1, 1, 0);
    RECORD(&m, UserRegion, 0, 9, 1, 1, 0);
    gives(&m, RUNNING "0 UserRegion p0 g1 5 0 1 \"\"\n0 UserRegion p0 g1 6 0 1 \"\"\n0 GoEnd p0 g1\n"
                      "0 GoCreate p0 g0 2 0\n0 GoStart p0 g2 2 1\n0 UserRegion p0 g2 7 0 1 \"\"\n"
                      "0 UserRegion p0 g2 7 1 1 \"\"\n0 UserRegion p0 g2 9 1 1 \"\"\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(procs_start_and_stop_in_turn),
        cmocka_unit_test(spans_begin_and_end_in_turn),
        cmocka_unit_test(before_1_10_each_proc_stops_by_itself),
        cmocka_unit_test(an_assist_may_have_begun_before_the_trace),
        cmocka_unit_test(a_goroutine_is_created_once),
        cmocka_unit_test(go_1_21_knows_goroutines_from_any_event),
        cmocka_unit_test(a_goroutine_starts_when_it_may),
        cmocka_unit_test(only_who_runs_can_do_something),
        cmocka_unit_test(who_runs_has_to_run_there),
        cmocka_unit_test(a_wakeup_is_of_one_that_waits),
        cmocka_unit_test(a_start_shows_where_the_goroutine_was_made),
        cmocka_unit_test(annotations_say_what_they_are),
        cmocka_unit_test(tasks_and_regions_are_used_as_they_should),
        cmocka_unit_test(go_1_21_compares_the_names_of_regions),
        cmocka_unit_test(the_end_of_a_goroutine_ends_its_regions),
    };
    return cmocka_run_group_tests_name("v1 check", tests, NULL, NULL);
}
