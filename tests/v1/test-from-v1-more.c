/* v1 traces written as v2: what begins and ends, what goroutines are created as, and what the tables hold. */
#include "lib/wire/events.h"
#include "parser/as_v2/as_v2.h"
#include "parser/batch.h"
#include "tests/v1/from-v1.h"

static void collections_happen_where_a_goroutine_runs(void **state)
{
    struct made m = made_running(21);
    RECORD(&m, GCStart, 1, 0, 0);
    RECORD(&m, GCDone, 1);
    RECORD(&m, GCStart, 1, 1, 0);
    RECORD(&m, GoSched, 1, 0);
    RECORD(&m, GCDone, 1); /* nobody runs: it cannot end, so it does not begin */
    RECORD(&m, GCStart, 1, 2, 0);
    RECORD(&m, GoStart, 1, 1, 2);
    RECORD(&m, GCDone, 1);
    RECORD(&m, GCStart, 1, 3, 0);
    becomes(&m, 22, RUNNING "RangeBegin 13 M=7 P=0 G=1 Name=\"GC concurrent mark phase\" Scope=None\n"
                        "RangeEnd 14 M=7 P=0 G=1 Name=\"GC concurrent mark phase\" Scope=None Attributes=[]\n"
                        "StateTransition 16 M=7 P=0 G=1 GoID=1 Running->Runnable Reason=\"runtime.Gosched\"\n"
                        "StateTransition 19 M=7 P=0 G=-1 GoID=1 Runnable->Running Reason=\"\"\n"
                        "RangeBegin 21 M=7 P=0 G=1 Name=\"GC concurrent mark phase\" Scope=None\n"
                        "dropped 2 GCBegin\n"
                        "dropped 2 GCEnd\n");
}

static void the_world_is_stopped_by_a_goroutine(void **state)
{
    struct made m = made_running(21);
    RECORD(&m, STWStart, 1, 9);
    RECORD(&m, STWDone, 1);
    RECORD(&m, STWStart, 1, 2);
    RECORD(&m, GoSched, 1, 0);
    RECORD(&m, STWDone, 1);
    RECORD(&m, STWStart, 1, 3);
    RECORD(&m, GoStart, 1, 1, 2);
    RECORD(&m, STWDone, 1);
    RECORD(&m, STWStart, 1, 4);
    RECORD(&m, GoEnd, 1);
    becomes(&m, 22, RUNNING "RangeBegin 13 M=7 P=0 G=1 Name=\"stop-the-world (GOMAXPROCS)\" Scope=Goroutine(1)\n"
                        "RangeEnd 14 M=7 P=0 G=1 Name=\"stop-the-world (GOMAXPROCS)\" Scope=Goroutine(1) "
                        "Attributes=[]\n"
                        "StateTransition 16 M=7 P=0 G=1 GoID=1 Running->Runnable Reason=\"runtime.Gosched\"\n"
                        "StateTransition 19 M=7 P=0 G=-1 GoID=1 Runnable->Running Reason=\"\"\n"
                        "StateTransition 22 M=7 P=0 G=1 GoID=1 Running->NotExist Reason=\"\"\n"
                        "dropped 3 STWBegin\n"
                        "dropped 2 STWEnd\n");
}

/* Before 1.10; a second proc's goroutine has stopped it as well. */
static void procs_stop_the_world_one_by_one(void **state)
{
    struct made m = made_running(9);
    RECORD(&m, GoCreate, 1, 2, 0, 0);
    RECORD(&m, STWStart, 1);
    PROC(&m, 1, 120);
    RECORD(&m, ProcStart, 0, 8);
    RECORD(&m, STWStart, 0);
    RECORD(&m, STWDone, 1);
    RECORD(&m, GoStart, 0, 2, 1);
    RECORD(&m, STWStart, 1);
    PROC(&m, 0, 130);
    RECORD(&m, STWDone, 1);
    PROC(&m, 1, 140);
    RECORD(&m, STWDone, 1);
    becomes(&m, 22, RUNNING "StateTransition 13 M=7 P=0 G=1 GoID=2 NotExist->Runnable Reason=\"\" TransitionStack=\n"
                        "RangeBegin 14 M=7 P=0 G=1 Name=\"stop-the-world (GC mark termination)\" Scope=Goroutine(1)\n"
                        "StateTransition 22 M=8 P=-1 G=-1 ProcID=1 Undetermined->Running Reason=\"\"\n"
                        "StateTransition 25 M=8 P=1 G=-1 GoID=2 Runnable->Running Reason=\"\"\n"
                        "RangeBegin 26 M=8 P=1 G=2 Name=\"stop-the-world (GC mark termination)\" Scope=Goroutine(2)\n"
                        "RangeEnd 33 M=7 P=0 G=1 Name=\"stop-the-world (GC mark termination)\" Scope=Goroutine(1) "
                        "Attributes=[]\n"
                        "RangeEnd 43 M=8 P=1 G=2 Name=\"stop-the-world (GC mark termination)\" Scope=Goroutine(2) "
                        "Attributes=[]\n"
                        "dropped 1 STWBegin\n"
                        "dropped 1 STWEnd\n");
}

static void an_assist_that_began_before_is_active(void **state)
{
    struct made m = made_running(21);
    RECORD(&m, GCMarkAssistDone, 1);
    RECORD(&m, GCMarkAssistStart, 1, 0);
    RECORD(&m, GCMarkAssistDone, 1);
    RECORD(&m, GCMarkAssistDone, 1); /* of none */
    RECORD(&m, GoCreate, 1, 2, 0, 0);
    RECORD(&m, GoSched, 1, 0);
    RECORD(&m, GoStart, 1, 2, 1);
    RECORD(&m, GCMarkAssistDone, 1); /* that goroutine was not there before */
    RECORD(&m, GCMarkAssistStart, 1, 0);
    RECORD(&m, GoEnd, 1); /* and is no more */
    RECORD(&m, GCMarkAssistStart, 1, 0);
    becomes(&m, 22, RUNNING "RangeActive 4 M=-1 P=-1 G=-1 Name=\"GC mark assist\" Scope=Goroutine(1)\n"
                        "RangeEnd 13 M=7 P=0 G=1 Name=\"GC mark assist\" Scope=Goroutine(1) Attributes=[]\n"
                        "RangeBegin 14 M=7 P=0 G=1 Name=\"GC mark assist\" Scope=Goroutine(1)\n"
                        "RangeEnd 15 M=7 P=0 G=1 Name=\"GC mark assist\" Scope=Goroutine(1) Attributes=[]\n"
                        "StateTransition 17 M=7 P=0 G=1 GoID=2 NotExist->Runnable Reason=\"\" TransitionStack=\n"
                        "StateTransition 18 M=7 P=0 G=1 GoID=1 Running->Runnable Reason=\"runtime.Gosched\"\n"
                        "StateTransition 19 M=7 P=0 G=-1 GoID=2 Runnable->Running Reason=\"\"\n"
                        "StateTransition 22 M=7 P=0 G=2 GoID=2 Running->NotExist Reason=\"\"\n"
                        "dropped 2 GCMarkAssistBegin\n"
                        "dropped 2 GCMarkAssistEnd\n");
}

static void sweeps_are_of_a_proc(void **state)
{
    struct made m = made_running(21);
    RECORD(&m, GCSweepStart, 1, 0);
    RECORD(&m, GoSysCall, 1, 0);
    RECORD(&m, GoSysBlock, 1);
    RECORD(&m, ProcStop, 1);
    RECORD(&m, GCSweepDone, 1, 5, 6);
    PROC(&m, (uint64_t)-1, 130);
    RECORD(&m, GCSweepStart, 1, 0);
    becomes(&m, 22, RUNNING "RangeBegin 13 M=7 P=0 G=1 Name=\"GC incremental sweep\" Scope=Proc(0)\n"
                        "StateTransition 14 M=7 P=0 G=1 GoID=1 Running->Syscall Reason=\"\"\n"
                        "StateTransition 16 M=7 P=0 G=1 ProcID=0 Running->Idle Reason=\"\"\n"
                        "StateTransition 17 M=4294967296 P=-1 G=-1 ProcID=0 Idle->Running Reason=\"\"\n"
                        "RangeEnd 18 M=4294967296 P=0 G=-1 Name=\"GC incremental sweep\" Scope=Proc(0) "
                        "Attributes=[\"bytes swept\"=Value{Uint64(5)} \"bytes reclaimed\"=Value{Uint64(6)}]\n"
                        "dropped 1 GCSweepBegin\n");
}

/* As threads that C made do when they call Go. */
static struct made created_in_a_call(void)
{
    struct made m = made_running(21);
    RECORD(&m, GoCreate, 1, 2, 0, 0);
    RECORD(&m, GoInSyscall, 1, 2);
    RECORD(&m, GoSysExit, 1, 2, 2, 0);
    RECORD(&m, GoSched, 1, 0);
    RECORD(&m, GoStart, 1, 2, 3);
    return m;
}

static void a_goroutine_may_be_created_in_a_call(void **state)
{
    struct made m = created_in_a_call();
    becomes(&m, 22, RUNNING "StateTransition 13 M=4294967296 P=-1 G=-1 GoID=2 NotExist->Syscall Reason=\"\"\n"
                        "StateTransition 15 M=4294967296 P=-1 G=2 GoID=2 Syscall->Runnable Reason=\"\"\n"
                        "StateTransition 16 M=7 P=0 G=1 GoID=1 Running->Runnable Reason=\"runtime.Gosched\"\n"
                        "StateTransition 17 M=7 P=0 G=-1 GoID=2 Runnable->Running Reason=\"\"\n");
    struct raw_buffer out = {0};
    struct converted done;
    m = created_in_a_call();
    convert_made(&m, 22, &out, &done);
    assert_int_equal(done.create_stacks, 1);
    assert_int_equal(done.made_clocks, 0);
    raw_buffer_free(&out);
}

static struct made created_to_wait(void)
{
    struct made m = made_running(21);
    RECORD(&m, GoCreate, 1, 2, 0, 0);
    RECORD(&m, GoWaiting, 1, 2);
    RECORD(&m, GoUnblock, 1, 2, 2, 0);
    RECORD(&m, GoSched, 1, 0);
    RECORD(&m, GoStart, 1, 2, 3);
    RECORD(&m, GoBlock, 1, 0);
    RECORD(&m, GoStart, 1, 1, 2);
    RECORD(&m, GoUnblock, 1, 2, 4, 0);
    return m;
}

static void a_goroutine_may_be_created_to_wait(void **state)
{
    struct made m = created_to_wait();
    becomes(&m, 26, RUNNING "StateTransition 13 M=7 P=0 G=1 GoID=2 NotExist->Waiting Reason=\"\" TransitionStack=\n"
                        "StateTransition 15 M=7 P=0 G=1 GoID=2 Waiting->Runnable Reason=\"\"\n"
                        "StateTransition 16 M=7 P=0 G=1 GoID=1 Running->Runnable Reason=\"runtime.Gosched\"\n"
                        "StateTransition 17 M=7 P=0 G=-1 GoID=2 Runnable->Running Reason=\"\"\n"
                        "StateTransition 18 M=7 P=0 G=2 GoID=2 Running->Waiting Reason=\"\"\n"
                        "StateTransition 19 M=7 P=0 G=-1 GoID=1 Runnable->Running Reason=\"\"\n"
                        "StateTransition 20 M=7 P=0 G=1 GoID=2 Waiting->Runnable Reason=\"\"\n");
    m = created_to_wait();
    becomes(&m, 22, RUNNING "StateTransition 13 M=7 P=0 G=1 GoID=2 NotExist->Runnable Reason=\"\" TransitionStack=\n"
                        "StateTransition 16 M=7 P=0 G=1 GoID=1 Running->Runnable Reason=\"runtime.Gosched\"\n"
                        "StateTransition 17 M=7 P=0 G=-1 GoID=2 Runnable->Running Reason=\"\"\n"
                        "StateTransition 18 M=7 P=0 G=2 GoID=2 Running->Waiting Reason=\"\"\n"
                        "StateTransition 19 M=7 P=0 G=-1 GoID=1 Runnable->Running Reason=\"\"\n"
                        "StateTransition 20 M=7 P=0 G=1 GoID=2 Waiting->Runnable Reason=\"\"\n"
                        "dropped 1 GoUnblock\n");
}

/* Where the proc's thread is in a call, it is none that may create. */
static void who_is_in_a_call_creates_nothing(void **state)
{
    struct made m = made_running(21);
    RECORD(&m, GoSysCall, 1, 0);
    RECORD(&m, GoSysBlock, 1);
    RECORD(&m, GoCreate, 1, 2, 0, 0);
    PROC(&m, (uint64_t)-1, 130);
    RECORD(&m, GoCreate, 1, 3, 0, 0);
    PROC(&m, 0, 140);
    RECORD(&m, GoStart, 1, 2, 1);
    PROC(&m, (uint64_t)-1, 150);
    RECORD(&m, GoCreate, 1, 4, 0, 0);
    becomes(&m, 22, RUNNING "StateTransition 13 M=7 P=0 G=1 GoID=1 Running->Syscall Reason=\"\"\n"
                        "StateTransition 14 M=7 P=0 G=1 ProcID=0 Running->Idle Reason=\"\"\n"
                        "StateTransition 15 M=4294967296 P=-1 G=-1 ProcID=0 Idle->Running Reason=\"\"\n"
                        "StateTransition 16 M=4294967296 P=0 G=-1 GoID=2 NotExist->Runnable Reason=\"\" "
                        "TransitionStack=\n"
                        "StateTransition 43 M=4294967296 P=0 G=-1 GoID=2 Runnable->Running Reason=\"\"\n"
                        "StateTransition 53 M=4294967296 P=0 G=2 GoID=4 NotExist->Runnable Reason=\"\" "
                        "TransitionStack=\n"
                        "dropped 1 GoCreate\n");
}

static void what_a_program_says_stays(void **state)
{
    struct made m = made_running(21);
    made_string(&m, 1, "task");
    made_string(&m, 2, "label");
    PROC(&m, 0, 120);
    RECORD(&m, UserTaskCreate, 1, 5, 0, 1, 0);
    RECORD(&m, UserTaskCreate, 1, 6, 5, 1, 0);
    RECORD(&m, UserRegion, 1, 5, 0, 1, 0);
    made_log(&m, 1, 6, 2, 0, "one");
    made_log(&m, 1, 0, 2, 0, "two");
    RECORD(&m, UserRegion, 1, 5, 1, 1, 0);
    RECORD(&m, UserTaskEnd, 1, 6, 0);
    RECORD(&m, UserTaskEnd, 1, 5, 0);
    RECORD(&m, GoSched, 1, 0);
    RECORD(&m, UserTaskEnd, 1, 7, 0);
    RECORD(&m, GoStartLabel, 1, 1, 2, 2);
    RECORD(&m, CPUSample, 0, 131, 0, 1, 0);
    becomes(&m, 22, RUNNING "TaskBegin 23 M=7 P=0 G=1 ID=5 Parent=18446744073709551615 Type=\"task\"\n"
                        "TaskBegin 24 M=7 P=0 G=1 ID=6 Parent=5 Type=\"task\"\n"
                        "RegionBegin 25 M=7 P=0 G=1 Task=5 Type=\"task\"\n"
                        "Log 26 M=7 P=0 G=1 Task=6 Category=\"label\" Message=\"one\"\n"
                        "Log 27 M=7 P=0 G=1 Task=0 Category=\"label\" Message=\"two\"\n"
                        "RegionEnd 28 M=7 P=0 G=1 Task=5 Type=\"task\"\n"
                        "TaskEnd 29 M=7 P=0 G=1 ID=6 Parent=5 Type=\"task\"\n"
                        "TaskEnd 30 M=7 P=0 G=1 ID=5 Parent=18446744073709551615 Type=\"task\"\n"
                        "StateTransition 31 M=7 P=0 G=1 GoID=1 Running->Runnable Reason=\"runtime.Gosched\"\n"
                        "StackSample 33 M=-1 P=0 G=1 Stack=\n"
                        "StateTransition 34 M=7 P=0 G=-1 GoID=1 Runnable->Running Reason=\"\"\n"
                        "Label 35 M=7 P=0 G=1 Label=\"label\" Resource=Goroutine(1)\n"
                        "dropped 1 UserTaskEnd\n");
}

static void frames_without_names_have_their_pc(void **state)
{
    struct made m = made(5);
    RECORD(&m, Batch, 0, 0, 100);
    RECORD(&m, GoCreate, 1, 0, 1, 0x40, 0);
    RECORD(&m, ProcStart, 1, 0, 7);
    RECORD(&m, GoStart, 1, 0, 1);
    RECORD(&m, Gomaxprocs, 1, 10, 2, 3);
    RECORD(&m, GoBlock, 1, 10, 3);
    RECORD(&m, Stack, 3, 2, 0xabcdef0123456789, 0x51);
    becomes(&m, 22, RUNNING "StateTransition 22 M=7 P=0 G=1 GoID=1 Running->Waiting Reason=\"\" TransitionStack= "
                        "0xabcdef0123456789 @ 0xabcdef0123456789 ?:1 0x51 @ 0x51 ?:1 Stack= 0xabcdef0123456789 @ "
                        "0xabcdef0123456789 ?:1 0x51 @ 0x51 ?:1\n");
}

static void what_is_too_long_is_cut(void **state)
{
    enum { LONG = 1025 };
    char text[LONG + 1];
    memset(text, 'x', LONG);
    text[LONG] = 0;
    uint64_t frames[2 + 4 * 129] = {9, 129};
    for (size_t i = 0; i < 129; i++) {
        frames[2 + 4 * i] = i + 1;
        frames[3 + 4 * i] = frames[4 + 4 * i] = 1;
        frames[5 + 4 * i] = 1;
    }
    struct made m = made_running(21);
    made_string(&m, 1, text);
    made_string(&m, 2, text + 1);
    made_record(&m, V1_Stack, frames, 2 + 4 * 129);
    PROC(&m, 0, 120);
    RECORD(&m, UserRegion, 1, 0, 0, 1, 9);
    RECORD(&m, UserRegion, 1, 0, 0, 2, 9);
    struct raw_buffer out = {0};
    struct converted done;
    convert_made(&m, 26, &out, &done);
    assert_int_equal(done.short_stacks, 1);
    assert_int_equal(done.short_strings, 1 + 2 * 128); /* once as a name, and in each frame */
    assert_int_equal(done.made_clocks, 1);
    struct gotrace_reader *r = gotrace_reader_open_memory(out.at, out.size);
    struct gotrace_region region;
    const struct gotrace_event *ev = NULL;
    for (int i = 0; i < 4; i++)
        ev = gotrace_reader_next(r);
    assert_true(gotrace_event_region(ev, &region));
    assert_int_equal(region.type.len, 1024);
    assert_int_equal(gotrace_stack_len(gotrace_event_stack(ev)), 128);
    gotrace_reader_free(r);
    raw_buffer_free(&out);
}

/* More than fits a batch, and a 1,000,001st thread of none: batches begin at the time of their first event. */
static void many_events_are_several_batches(void **state)
{
    enum { MANY = 20000 };
    struct made m = made_running(21);
    for (unsigned i = 0; i < MANY; i++)
        RECORD(&m, HeapAlloc, 300, 70000 + i);
    struct raw_buffer out = {0};
    struct converted done;
    convert_made(&m, 26, &out, &done);
    assert_true(out.size > BATCH_MAX_SIZE);
    struct gotrace_reader *r = gotrace_reader_open_memory(out.at, out.size);
    int64_t n = 0;
    for (const struct gotrace_event *ev; (ev = gotrace_reader_next(r));) {
        struct gotrace_metric metric;
        if (!gotrace_event_metric(ev, &metric))
            continue;
        assert_int_equal(metric.value, 70000 + n);
        assert_int_equal(gotrace_event_time(ev), 2 + 10 + 300 * ++n);
    }
    assert_null(gotrace_reader_error(r));
    assert_int_equal(n, MANY);
    gotrace_reader_free(r);
    raw_buffer_free(&out);
}

static void show_all(struct as_v2 *v, struct raw_buffer *o)
{
    struct failure f = {0};
    for (const struct gotrace_event *ev; (ev = as_v2_next(v, &f));)
        show_event(o, ev);
    raw_buffer_add(o, "", 1);
    assert_int_equal(f.error.status, GOTRACE_OK);
}

static void events_come_again(void **state)
{
    struct made m = made(21);
    PROC(&m, 0, 100);
    RECORD(&m, GoCreate, 0, 1, 0, 0);
    RECORD(&m, GoCreate, 0, 2, 0, 0);
    RECORD(&m, ProcStart, 0, 7);
    RECORD(&m, GoStart, 0, 1, 1);
    RECORD(&m, Gomaxprocs, 10, 2, 0);
    RECORD(&m, GoSysCall, 10, 0);
    RECORD(&m, UserTaskCreate, 1, 5, 9, 1, 0);
    struct source s = {.p = m.b.at + m.b.size, .end = m.b.at + m.b.size, .offset = m.b.size};
    struct generation tables = {0};
    struct failure f = {0};
    struct raw_buffer first = {0}, again = {0};
    struct as_v2 *v = as_v2_open(&s, &tables, &f);
    assert_non_null(v);
    show_all(v, &first);
    as_v2_again(v);
    show_all(v, &again);
    assert_string_equal((char *)first.at, (char *)again.at);
    as_v2_free(v);
    generation_free(&tables);
    raw_buffer_free(&first);
    raw_buffer_free(&again);
    raw_buffer_free(&m.b);
}

static bool write_nothing(void *arg, const void *data, size_t size) { return false; }

static void output_that_fails_is_told_from_input_that_does(void **state)
{
    struct made m = made_running(21);
    struct source s = {.p = m.b.at, .end = m.b.at + m.b.size, .offset = m.b.size};
    struct failure f = {0};
    struct converted done;
    read_any_header(&s, &f);
    assert_false(convert_v1(&s, wire_version(26), write_nothing, NULL, &done, &f));
    assert_int_equal(f.error.status, GOTRACE_OK);
    s = (struct source){.p = m.b.at, .end = m.b.at + m.b.size - 1, .offset = m.b.size - 1};
    read_any_header(&s, &f);
    assert_false(convert_v1(&s, wire_version(26), write_nothing, NULL, &done, &f));
    assert_int_equal(f.error.status, GOTRACE_EBROKEN);
    raw_buffer_free(&m.b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collections_happen_where_a_goroutine_runs),
        cmocka_unit_test(the_world_is_stopped_by_a_goroutine),
        cmocka_unit_test(procs_stop_the_world_one_by_one),
        cmocka_unit_test(an_assist_that_began_before_is_active),
        cmocka_unit_test(sweeps_are_of_a_proc),
        cmocka_unit_test(a_goroutine_may_be_created_in_a_call),
        cmocka_unit_test(a_goroutine_may_be_created_to_wait),
        cmocka_unit_test(who_is_in_a_call_creates_nothing),
        cmocka_unit_test(what_a_program_says_stays),
        cmocka_unit_test(frames_without_names_have_their_pc),
        cmocka_unit_test(what_is_too_long_is_cut),
        cmocka_unit_test(many_events_are_several_batches),
        cmocka_unit_test(events_come_again),
        cmocka_unit_test(output_that_fails_is_told_from_input_that_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
