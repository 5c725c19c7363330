/* Records of v1 traces: what each version has, and everything that one can be wrong in by itself. */
#include "tests/v1/made.h"

#include <stdio.h>

#include "parser/v1/wire.h"

static void a_trace_begins_with_its_version(void **state)
{
    static const struct {
        const char *header;
        unsigned nn;
    } cases[] = {
        {"go 1.5 trace\0\0\0\0", 5},   {"go 1.21 trace\0\0\0", 21}, {"go 1.11 trace\0\0\0", 11},
        {"go 1.6 trace\0\0\0\0", 0},   {"go 1.22 trace\0\0\0", 0},  {"go 1.05 trace\0\0\0", 0},
        {"go 1.5 trace\0\0\0x", 0},    {"go 2.5 trace\0\0\0\0", 0}, {"gotrace\0\0\0\0\0\0\0\0\0", 4},
        {"go 1.211 trace\0\0", 0},   {"gotraces\0\0\0\0\0\0\0\0", 0}, {"go 1.4 trace\0\0\0\0", 0},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        assert_int_equal(v1_version((const uint8_t *)cases[i].header, V1_HEADER_SIZE), cases[i].nn);
    assert_int_equal(v1_version((const uint8_t *)"go 1.5 trace\0\0\0\0", V1_HEADER_SIZE - 1), 0);
    struct made m = {0};
    made_bytes(&m, "go 1.22 trace\0\0\0", 16);
    fails(&m, ": not a trace of Go 1.5 to 1.21");
}

static void a_record_takes_as_many_integers_as_its_version_says(void **state)
{
    static const struct {
        unsigned nn, id, n;
    } cases[] = {
        {5, V1_Batch, 3},     {7, V1_Batch, 2},        {5, V1_Frequency, 2},  {7, V1_Frequency, 1},
        {5, V1_GoStart, 3},   {7, V1_GoStart, 3},      {5, V1_GCStart, 3},    {7, V1_GCStart, 3},
        {5, V1_GoUnblock, 4}, {7, V1_GoUnblock, 4},    {9, V1_STWStart, 1},   {10, V1_STWStart, 2},
        {8, V1_GCSweepDone, 1}, {9, V1_GCSweepDone, 3}, {5, V1_GoSysExit, 5}, {7, V1_GoSysExit, 4},
        {5, V1_TimerGoroutine, 2}, {7, V1_TimerGoroutine, 1}, {19, V1_CPUSample, 5}, {11, V1_UserRegion, 5},
        {4, V1_Batch, 2},     {4, V1_GoSysExit, 2},    {4, V1_GoSysBlock, 2}, {5, V1_GoSysBlock, 2},
        {4, V1_ProcStart, 1}, {5, V1_ProcStart, 3},    {4, V1_GoCreate, 4},   {4, V1_TimerGoroutine, 1},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        assert_int_equal(v1_form(cases[i].nn).shapes[cases[i].id].nargs, cases[i].n);
}

static void a_version_has_no_records_of_later_ones(void **state)
{
    static const unsigned versions[] = {4, 5, 7, 8, 9, 10, 11, 19, 21};
    for (size_t v = 0; v < ARRAY_SIZE(versions); v++) {
        struct v1_form form = v1_form(versions[v]);
        for (unsigned id = 0; id < V1_IDS; id++)
            assert_int_equal(form.shapes[id].cls != V1_IS_NONE, v1_events[id].name && v1_events[id].since <= versions[v]);
    }
    struct made m = made(10);
    RECORD(&m, CPUSample, 0, 0, 0, 0, 0);
    fails(&m, "CPUSample: event type 49 is unknown in version 1.10");
    m = made(21);
    made_record(&m, 50, (const uint64_t[]){1}, 1);
    fails(&m, ": event type 50 is unknown in version 1.21");
    m = made(21);
    made_bytes(&m, "\0\0", 2);
    fails(&m, ": event type 0 is unknown in version 1.21");
}

static void the_number_of_arguments_has_to_be_right(void **state)
{
    struct made m = made(21);
    PROC(&m, 0, 1);
    RECORD(&m, GoEnd, 1, 2);
    fails(&m, "GoEnd: has 2 arguments, not 1");
    m = made(21);
    PROC(&m, 0, 1);
    RECORD(&m, GoSysExit, 1, 2, 3, 4, 5);
    fails(&m, "GoSysExit: has 5 arguments, not 4");
    m = made(5);
    RECORD(&m, Batch, 0, 1);
    fails(&m, "Batch: has 2 arguments, not 3");
    m = made(21);
    made_sized(&m, V1_GoEnd, NULL, 0);
    fails(&m, "GoEnd: has 0 arguments, not 1");
}

static void a_size_in_front_is_never_wrong_by_itself(void **state)
{
    struct made m = made(21);
    PROC(&m, 0, 1);
    made_sized(&m, V1_HeapAlloc, (const uint64_t[]){1, 5}, 2);
    gives(&m, "0 HeapAlloc p0 g0 5\n");
}

static void what_is_cut_off_is_said(void **state)
{
    struct made whole = made(21);
    PROC(&whole, 0, 1);
    size_t ends[6] = {whole.b.size}, n = 1;
    RECORD(&whole, HeapAlloc, 300, 5);
    ends[n++] = whole.b.size;
    made_string(&whole, 300, "text");
    ends[n++] = whole.b.size;
    RECORD(&whole, Stack, 7, 1, 500, 1, 1, 1);
    ends[n++] = whole.b.size;
    made_log(&whole, 1, 1, 1, 0, "logged");
    ends[n++] = whole.b.size;
    static const char *const names[] = {"HeapAlloc", "String", "Stack", "UserLog"};
    for (size_t size = ends[0] + 1, record = 0; size <= ends[n - 1]; size++) {
        char wanted[64];
        struct made m = {.nn = 21};
        if (size == ends[record + 1]) {
            record++;
            continue;
        }
        made_bytes(&m, whole.b.at, size);
        char *got = outcome(&m, V1_AS_GO_1_21);
        snprintf(wanted, sizeof wanted, "%s: the trace is cut off", names[record]);
        assert_string_equal(got, wanted);
        free(got);
        raw_buffer_free(&m.b);
    }
    raw_buffer_free(&whole.b);
}

static void an_integer_fits_64_bits(void **state)
{
    struct made m = made(21);
    made_bytes(&m, (const uint8_t[]){V1_ProcStop, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2}, 11);
    fails(&m, "ProcStop: an integer does not fit 64 bits");
    m = made(21);
    made_bytes(&m, (const uint8_t[]){V1_HeapAlloc | 3 << 6, 2, 1, 0x80, 0}, 5);
    fails(&m, "HeapAlloc: the size of the event ends within an integer");
}

static void strings_have_an_id_and_bytes(void **state)
{
    struct made m = made(21);
    made_string(&m, 0, "x");
    fails(&m, "String: a string has the invalid ID 0");
    m = made(21);
    made_string(&m, 1, "");
    fails(&m, "String: a string has the invalid length 0");
    m = made(21);
    made_string(&m, 1, "x");
    made_string(&m, 1, "y");
    fails(&m, "String: the string ID 1 is there twice");
    m = made(21);
    made_bytes(&m, (const uint8_t[]){V1_String, 1, 0xc1, 0x84, 0x3d}, 5);
    fails(&m, "String: a string of 1000001 bytes is too long");
}

static void stacks_have_the_frames_that_they_say(void **state)
{
    struct made m = made(21);
    RECORD(&m, Stack, 1);
    fails(&m, "Stack: has 1 arguments, not at least 2");
    m = made(21);
    RECORD(&m, Stack, 1, 1001);
    fails(&m, "Stack: a stack of 1001 frames is too deep");
    m = made(21);
    RECORD(&m, Stack, 1, 1, 2, 3, 4);
    fails(&m, "Stack: a stack of 1 frames has 5 arguments, not 6");
    m = made(21);
    RECORD(&m, Stack, 1, 1, 2, 3, 4, 5, 6);
    fails(&m, "Stack: a stack of 1 frames has 7 arguments, not 6");
    m = made(5);
    RECORD(&m, Stack, 1, 2, 3);
    fails(&m, "Stack: a stack of 2 frames has 3 arguments, not 4");
}

static void a_stop_of_the_world_has_a_kind(void **state)
{
    struct made m = made(10);
    PROC(&m, 0, 1);
    RECORD(&m, STWStart, 1, 2);
    gives_in(&m, V1_AS_GO_1_21, "STWStart: unknown kind 2 of a stop of the world");
    m = made(10);
    PROC(&m, 0, 1);
    RECORD(&m, STWStart, 1, 2);
    gives_in(&m, V1_AS_GO_1_22, "0 STWStart p0 g0 2 \"sweep termination\"\n");
    m = made(9);
    PROC(&m, 0, 1);
    RECORD(&m, STWStart, 2);
    gives(&m, "0 STWStart p0 g0 0 \"mark termination\"\n");
    m = made(19);
    PROC(&m, 0, 1);
    RECORD(&m, STWStart, 1, 1);
    gives(&m, "0 STWStart p0 g0 1 \"sweep termination\"\n");
    m = made(21);
    PROC(&m, 0, 1);
    RECORD(&m, STWStart, 1, 9);
    RECORD(&m, STWDone, 1);
    RECORD(&m, STWStart, 1, 17);
    gives(&m, "0 STWStart p0 g0 9 \"GOMAXPROCS\"\n1 STWDone p0 g0\n2 STWStart p0 g0 17 \"unknown\"\n");
}

static void a_trace_needs_events_and_a_clock(void **state)
{
    struct made m = made(21);
    fails(&m, ": the trace is empty: it has no events");
    m = made(21);
    m.b.size = V1_HEADER_SIZE;
    PROC(&m, 0, 1);
    RECORD(&m, ProcStart, 1, 0);
    fails(&m, ": the trace has no Frequency event");
    m = made(21);
    RECORD(&m, Frequency, 0);
    fails(&m, "Frequency: time stamps out of order: the frequency is not positive");
    m = made(21);
    RECORD(&m, Frequency, UINT64_C(1) << 63);
    fails(&m, "Frequency: time stamps out of order: the frequency is not positive");
}

static void procs_have_sane_numbers(void **state)
{
    struct made m = made(21);
    PROC(&m, UINT64_C(1) << 31, 1);
    fails(&m, "Batch: the proc ID 2147483648 is too large");
    m = made(19);
    RECORD(&m, CPUSample, 1, 1, UINT64_C(1) << 31, 0, 0);
    fails(&m, "CPUSample: the proc ID 2147483648 is too large");
    m = made(21);
    PROC(&m, UINT64_MAX, 1);
    RECORD(&m, HeapGoal, 1, 2);
    gives(&m, "0 HeapGoal p-1 g0 2\n");
    m = made(21);
    for (unsigned p = 0; p <= 16384; p++) {
        PROC(&m, p, 1);
        RECORD(&m, ProcStart, 1, 0);
    }
    fails(&m, "ProcStart: has more than 16384 procs");
}

/* Those that samples name count, those that are none do not. */
static void procs_of_samples_are_procs(void **state)
{
    struct made m = made(19);
    struct v1_trace t;
    struct v1_error e;
    PROC(&m, 5, 1);
    RECORD(&m, ProcStart, 1, 0);
    for (unsigned p = 0; p < 16384; p++)
        RECORD(&m, CPUSample, 1, 1, p, 0, 0);
    RECORD(&m, CPUSample, 1, 1, UINT64_MAX, 0, 0);
    RECORD(&m, CPUSample, 1, 1, V1_GC_P, 0, 0);
    assert_true(v1_parse(&t, m.b.at, m.b.size, V1_AS_GO_1_22, &e));
    assert_int_equal(t.nsamples, 16386);
    v1_free(&t);
    RECORD(&m, CPUSample, 1, 1, 16384, 0, 0);
    fails(&m, "CPUSample: has more than 16384 procs");
}

/* Offsets have 40 bits. None of these bytes is looked at. */
static void a_trace_has_a_size(void **state)
{
    struct made m = made(21);
    struct v1_trace t;
    struct v1_error e;
    assert_false(v1_parse(&t, m.b.at, (size_t)V1_MAX_SIZE + 1, V1_AS_GO_1_22, &e));
    assert_string_equal(e.message, "the trace is too large");
    raw_buffer_free(&m.b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trace_begins_with_its_version),
        cmocka_unit_test(a_record_takes_as_many_integers_as_its_version_says),
        cmocka_unit_test(a_version_has_no_records_of_later_ones),
        cmocka_unit_test(the_number_of_arguments_has_to_be_right),
        cmocka_unit_test(a_size_in_front_is_never_wrong_by_itself),
        cmocka_unit_test(what_is_cut_off_is_said),
        cmocka_unit_test(an_integer_fits_64_bits),
        cmocka_unit_test(strings_have_an_id_and_bytes),
        cmocka_unit_test(stacks_have_the_frames_that_they_say),
        cmocka_unit_test(a_stop_of_the_world_has_a_kind),
        cmocka_unit_test(a_trace_needs_events_and_a_clock),
        cmocka_unit_test(procs_have_sane_numbers),
        cmocka_unit_test(procs_of_samples_are_procs),
        cmocka_unit_test(a_trace_has_a_size),
    };
    return cmocka_run_group_tests_name("v1 records", tests, NULL, NULL);
}
