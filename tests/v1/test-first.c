/* Traces of the tracer of 2014, made by hand: no real one was at hand. */
#include <stdio.h>

#include "lib/wire/version.h"
#include "tests/v1/as-v2.h"
#include "tests/v1/first.h"

static void records_have_no_numbers(void **state)
{
    struct made m = made(WIRE_FIRST_TRACER);
    PROC(&m, 0, 100);
    RECORD(&m, GoCreate, 0, 1, 0x50, 7);
    RECORD(&m, GoCreate, 0, 2, 0x70, 7);
    RECORD(&m, GoInSyscall, 0, 2);
    RECORD(&m, ProcStart, 10);
    RECORD(&m, GoStart, 10, 1);
    RECORD(&m, GoSysCall, 10, 7);
    RECORD(&m, GoSysBlock, 10, 7);
    RECORD(&m, GCStart, 10, 7);
    PROC(&m, UINT64_MAX, 160);
    RECORD(&m, GoSysExit, 0, 2);
    RECORD(&m, Stack, 7, 2, 0x81, 0x91);
    gives(&m, "0 GoCreate p0 g0 1 80 @81  :0 @91  :0\n0 GoCreate p0 g0 2 112 @81  :0 @91  :0\n"
              "0 GoInSyscall p0 g2 2\n10 ProcStart p0 g0 0\n20 GoStart p0 g1 1 0 @51  :0\n"
              "30 GoSysCall p0 g1 @81  :0 @91  :0\n40 GoSysBlock p0 g1 @81  :0 @91  :0\n"
              "50 GCStart p1000004 g0 0 @81  :0 @91  :0\n60 GoSysExit p1000003 g2 2 0 0\n");
}

static void later_records_are_unknown(void **state)
{
    struct made m = made(WIRE_FIRST_TRACER);
    PROC(&m, 0, 100);
    RECORD(&m, FutileWakeup, 0);
    fails(&m, "FutileWakeup: event type 36 is unknown in version 1.4");
    m = made(WIRE_FIRST_TRACER);
    PROC(&m, 0, 100);
    RECORD(&m, GoSysExit, 0, 1, 2, 3);
    fails(&m, "GoSysExit: has 4 arguments, not 2");
    m = made(5);
    RECORD(&m, Batch, 0, 0, 100);
    RECORD(&m, GoSysBlock, 0, 0, 7);
    fails(&m, "GoSysBlock: has 3 arguments, not 2");
}

static void a_header_alone_is_empty(void **state)
{
    struct made m = {.nn = WIRE_FIRST_TRACER};
    made_bytes(&m, WIRE_FIRST_HEADER, WIRE_FIRST_HEADER_SIZE);
    fails(&m, ": the trace is empty: it has no events");
    m = (struct made){0};
    made_bytes(&m, WIRE_FIRST_HEADER, WIRE_FIRST_HEADER_SIZE - 1);
    fails(&m, ": not a trace of Go 1.5 to 1.21");
    m = (struct made){0};
    made_bytes(&m, "go 1.4 trace\0\0\0", 16);
    fails(&m, ": not a trace of Go 1.5 to 1.21");
}

/* Both procs may start it; the later one has to wait until the other has stopped it. */
static void who_may_not_yet_waits(void **state)
{
    struct made m = made(WIRE_FIRST_TRACER);
    PROC(&m, 1, 130);
    RECORD(&m, GoStart, 0, 1);
    PROC(&m, 0, 100);
    RECORD(&m, GoCreate, 0, 1, 0x50, 0);
    RECORD(&m, GoStart, 10, 1);
    RECORD(&m, GoSched, 10, 0);
    gives(&m, "0 GoCreate p0 g0 1 80\n10 GoStart p0 g1 1 0 @51  :0\n20 GoSched p0 g1\n30 GoStart p1 g1 1 0\n");
}

/* What happens at one time is in the order in which it can. */
static void states_decide_where_times_do_not(void **state)
{
    struct made m = made(WIRE_FIRST_TRACER);
    PROC(&m, 0, 100);
    RECORD(&m, GoCreate, 0, 1, 0x50, 0);
    RECORD(&m, GoWaiting, 0, 1);
    PROC(&m, 2, 100);
    RECORD(&m, GoStart, 10, 1);
    PROC(&m, 1, 110);
    RECORD(&m, GoUnblock, 0, 1, 0);
    gives(&m, "0 GoCreate p0 g0 1 80\n0 GoWaiting p0 g1 1\n10 GoUnblock p1 g0 1 0\n10 GoStart p2 g1 1 0 @51  :0\n");
}

static void times_against_that_are_refused(void **state)
{
    struct made m = made(WIRE_FIRST_TRACER);
    PROC(&m, 0, 100);
    RECORD(&m, GoCreate, 0, 1, 0x50, 0);
    RECORD(&m, GoWaiting, 0, 1);
    PROC(&m, 2, 109);
    RECORD(&m, GoStart, 0, 1);
    PROC(&m, 1, 110);
    RECORD(&m, GoUnblock, 0, 1, 0);
    fails(&m, "GoStart: time stamps out of order");
    m = made(WIRE_FIRST_TRACER);
    PROC(&m, 0, 100);
    RECORD(&m, GoStart, 0, 1);
    fails(&m, "GoStart: no consistent ordering of events possible");
}

/* No thread is known, so that all is on none. */
static void the_public_api_reads_it(void **state)
{
    struct made m = made(WIRE_FIRST_TRACER);
    PROC(&m, 0, 100);
    RECORD(&m, GoCreate, 0, 1, 0x50, 0);
    RECORD(&m, ProcStart, 0);
    RECORD(&m, GoStart, 0, 1);
    RECORD(&m, Gomaxprocs, 10, 2, 0);
    RECORD(&m, GoSysCall, 10, 0);
    RECORD(&m, GoSysBlock, 10, 0);
    PROC(&m, UINT64_MAX, 150);
    RECORD(&m, GoSysExit, 0, 1);
    shows(&m, "Sync -1 M=-1 P=-1 G=-1 N=1\n"
              "StateTransition 0 M=-1 P=0 G=-1 ProcID=0 Undetermined->Running Reason=\"\"\n"
              "StateTransition 1 M=-1 P=0 G=1 GoID=1 Undetermined->Running Reason=\"\"\n"
              "StateTransition 20 M=-1 P=0 G=1 GoID=1 Running->Syscall Reason=\"\"\n"
              "StateTransition 50 M=-1 P=1000003 G=1 GoID=1 Syscall->Runnable Reason=\"\"\n"
              "Sync 51 M=-1 P=-1 G=-1 N=2\n");
}

static void generations_are_told_and_sought(void **state)
{
    struct made m = made(WIRE_FIRST_TRACER);
    struct gotrace_generation gen = {0};
    PROC(&m, 0, 100);
    RECORD(&m, HeapAlloc, 0, 1);
    struct gotrace_reader *r = gotrace_reader_open_memory(m.b.at, m.b.size);
    assert_int_equal(gotrace_reader_version(r), WIRE_FIRST_TRACER);
    assert_int_equal(gotrace_reader_next_generation(r, &gen), 1);
    assert_int_equal(gen.offset, WIRE_FIRST_HEADER_SIZE);
    assert_int_equal(gen.offset + gen.size, m.b.size);
    while (gotrace_reader_next(r))
        ;
    assert_int_equal(gotrace_reader_seek(r, &gen), 0);
    assert_non_null(gotrace_reader_next(r));
    assert_int_equal(gotrace_reader_next_generation(r, &gen), 0);
    gotrace_reader_free(r);
    raw_buffer_free(&m.b);
}

/* What the generator says has happened, in that order, by both sets of rules. */
static void read_back(uint32_t seed, enum v1_view view)
{
    struct raw_buffer trace = {0}, told = {0}, got = {0};
    struct v1_trace t;
    struct v1_error e;
    first_trace(&trace, &told, seed, 3000);
    assert_false(trace.failed || told.failed);
    if (!v1_parse(&t, trace.at, trace.size, view, &e))
        fail_msg("seed %u: %s: %s", seed, e.event, e.message);
    int64_t last = 0;
    for (const struct v1_event *ev; (ev = v1_next(&t));) {
        bool of_none = ev->id == V1_GCStart || ev->id == V1_GCDone; /* the views differ in these */
        raw_buffer_printf(&got, "%s %u\n", v1_events[ev->id].name, of_none ? 0 : (unsigned)v1_g(&t, ev));
        assert_true(ev->time >= last && ev->time % 20 == 0); /* ticks of 20 ns */
        last = ev->time;
    }
    raw_buffer_add(&told, "", 1);
    raw_buffer_add(&got, "", 1);
    assert_string_equal((char *)got.at, (char *)told.at);
    v1_free(&t);
    raw_buffer_free(&trace);
    raw_buffer_free(&told);
    raw_buffer_free(&got);
}

static void what_happened_comes_back_in_order(void **state)
{
    for (uint32_t seed = 1; seed <= 20; seed++) {
        read_back(seed, V1_AS_GO_1_21);
        read_back(seed, V1_AS_GO_1_22);
    }
}

static void violation(void *arg, const struct gotrace_error *e)
{
    fail_msg("seed %u: %s: %s", *(uint32_t *)arg, e->event, e->message);
}

static void it_is_valid(void **state)
{
    for (uint32_t seed = 1; seed <= 20; seed++) {
        struct raw_buffer trace = {0}, told = {0};
        struct gotrace_summary sum;
        first_trace(&trace, &told, seed, 3000);
        struct gotrace_reader *r = gotrace_reader_open_memory(trace.at, trace.size);
        assert_true(gotrace_reader_validate(r, violation, &seed, &sum));
        assert_true(sum.events > 2000);
        gotrace_reader_free(r);
        raw_buffer_free(&trace);
        raw_buffer_free(&told);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_have_no_numbers),
        cmocka_unit_test(later_records_are_unknown),
        cmocka_unit_test(a_header_alone_is_empty),
        cmocka_unit_test(who_may_not_yet_waits),
        cmocka_unit_test(states_decide_where_times_do_not),
        cmocka_unit_test(times_against_that_are_refused),
        cmocka_unit_test(the_public_api_reads_it),
        cmocka_unit_test(generations_are_told_and_sought),
        cmocka_unit_test(what_happened_comes_back_in_order),
        cmocka_unit_test(it_is_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
