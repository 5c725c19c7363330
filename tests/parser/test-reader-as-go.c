/*
 * Cases where a reader may well differ from Go's own, each with what golang.org/x/exp/trace makes of it or, as
 * docs/reader.md says, should make.
 */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "gotrace/gotrace.h"
#include "lib/wire/batch_header.h"
#include "lib/wire/cursor.h"
#include "tests/parser/made.h"

#define S(s) (s), sizeof(s) - 1

/* How reading ends: after how many events, and with which error; NULL: none. */
static void reads(const void *data, size_t size, unsigned events, const char *error)
{
    struct gotrace_reader *r = gotrace_reader_open_memory(data, size);
    unsigned n = 0;
    while (gotrace_reader_next(r))
        n++;
    const struct gotrace_error *e = gotrace_reader_error(r);
    if (error && (!e || !strstr(e->message, error)))
        fail_msg("%s instead of %s", e ? e->message : "no error", error);
    if (!error && e)
        fail_msg("%s", e->message);
    assert_int_equal(n, events);
    gotrace_reader_free(r);
}

static void built(struct gotrace_builder *b, unsigned events, const char *error)
{
    size_t size;
    const void *bytes = finish(b, &size);
    reads(bytes, size, events, error);
    gotrace_builder_free(b);
}

static struct gotrace_builder *begin(int version)
{
    struct gotrace_builder *b = gotrace_builder_new_memory(version);
    gotrace_builder_generation(b, 1);
    gotrace_builder_sync(b, 1000000000, 1, 1, 1, 1);
    gotrace_builder_batch(b, 5, 1);
    return b;
}

/* ---- the header -------------------------------------------------------------------------------------------------- */

static void header(const void *data, size_t size, const char *error)
{
    /* Nothing behind it: then 1.26 has one Sync event, and 1.22 and 1.25 lack a frequency. */
    reads(data, size, error && strstr(error, "trace") ? 0 : 1, error);
}

static void headers_may_have_blanks(void **state)
{
    header(S("go 1.26 trace\0\0\0"), NULL);
    header(S("go  1.26   trace\0\0\0"), NULL);
    header(S("go\t1.\v\f\r26\xc2\xa0\xe3\x80\x80 trace\0\0\0"), NULL);
    header(S("go 1. 026 trace\0\0\0"), NULL);
    header(S("go 1.0000000000000000000000022 trace\0\0\0"), "no frequency");
    header(S("go 1.25\xe2\x80\xa8trace\0\0\0"), "no frequency");
    static const char none[] = "not a Go execution trace";
    header(S("go1.26 trace\0\0\0"), none);
    header(S(" go 1.26 trace\0\0\0"), none);
    header(S("go 1 .26 trace\0\0\0"), none);
    header(S("go 1.26trace\0\0\0"), none);
    header(S("go\n1.26 trace\0\0\0"), none);
    header(S("go 1.\n26 trace\0\0\0"), none);
    header(S("go 1.26\r\ntrace\0\0\0"), none);
    header(S("go 1.+26 trace\0\0\0"), none);
    header(S("go 1. trace\0\0\0"), none);
    header(S("go 1.26\xc2"), none);
    header(S("go 1.26\x85trace\0\0\0"), none);
    header(S("go 1.26 trace \0\0\0"), none);
    header(S("go 1.26 trace\0\0"), none);
    header(S("go 1.4294967322 trace\0\0\0"), none); /* 26, but for the bits above the 32nd */
    header(S("go 1.18446744073709551642 trace\0\0\0"), none);
    header(S("go 1.24 trace\0\0\0"), "unknown trace version go 1.24");
    header(S("go 1.4294967295 trace\0\0\0"), "unknown trace version go 1.4294967295");
}

/* What a header asks to be read is bounded. */
static void a_header_of_blanks_ends(void **state)
{
    enum { SIZE = 1 << 20 };
    char *blanks = malloc(SIZE);
    memcpy(blanks, "go", 2);
    memset(blanks + 2, ' ', SIZE - 2);
    header(blanks, SIZE, "not a Go execution trace");
    memset(blanks, '0', SIZE);
    memcpy(blanks, "go 1.", 5);
    header(blanks, SIZE, "not a Go execution trace");
    free(blanks);
}

struct piece {
    const char *at, *end;
};

/* A pipe that has the header and nothing else yet. */
static ssize_t byte_of(void *arg, void *buf, size_t size)
{
    struct piece *p = arg;
    if (p->at == p->end)
        fail_msg("opening asks for what is behind the header");
    *(char *)buf = *p->at++;
    return 1;
}

static void opening_reads_a_header_and_no_more(void **state)
{
    static const char bytes[] = "go  1.026\xc2\xa0trace\0\0";
    struct piece p = {bytes, bytes + sizeof bytes};
    struct gotrace_reader *r = gotrace_reader_open_callback(byte_of, &p);
    assert_int_equal(gotrace_reader_version(r), 26);
    assert_ptr_equal(p.at, p.end);
    gotrace_reader_free(r);
}

/* ---- the end of a generation ------------------------------------------------------------------------------------- */

/* A batch that begins with the event is one, whatever comes after. */
static void a_batch_may_end_a_generation(void **state)
{
    static const struct {
        int version;
        unsigned events;
        const char *error;
    } cases[] = {
        {26, 4, NULL},
        {25, 1, "an end of a generation in a trace of go 1.25"},
        {22, 1, "an end of a generation in a trace of go 1.22"},
    };
    static const uint8_t end[] = {EV_EventBatch, 1, 5, 9, 3, EV_EndOfGeneration, 77, 88};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct gotrace_builder *b = begin(cases[i].version);
        uint64_t now = 1;
        size_t size;
        ADD(ProcStatus, 0, PROC_RUNNING);
        ADD(GoStatus, 1, 5, GO_RUNNING);
        const uint8_t *bytes = finish(b, &size);
        uint8_t changed[1000];
        size -= cases[i].version >= 26; /* the one that the builder wrote */
        memcpy(changed, bytes, size);
        memcpy(changed + size, end, sizeof end);
        reads(changed, size + sizeof end, cases[i].events, cases[i].error);
        gotrace_builder_free(b);
    }
}

/* ---- statuses ---------------------------------------------------------------------------------------------------- */

static void statuses_have_eight_bits(void **state)
{
    uint64_t now = 1;
    struct gotrace_builder *b = begin(22);
    ADD(GoStatus, 1, 5, 256 + GO_RUNNABLE);
    ADD(GoStatus, 2, 5, (UINT64_C(1) << 40) + GO_WAITING);
    ADD(ProcStatus, 0, PROC_RUNNING);
    ADD(GoStart, 1, 1);
    built(b, 6, NULL);
    b = begin(22);
    ADD(GoStatus, 1, 5, 256 + 5);
    built(b, 1, "invalid status for goroutine 1: 5");
    b = begin(22);
    ADD(ProcStatus, 0, 256 + PROC_RUNNING);
    built(b, 1, "invalid status for proc 0: 257");
    /* What Go replaces it does not choke on. */
    b = begin(22);
    ADD(ProcStatus, 0, PROC_SYSCALL_ABANDONED);
    ADD(ProcStatus, 0, 256 + PROC_SYSCALL_ABANDONED);
    built(b, 4, NULL);
}

/* ---- decoding ---------------------------------------------------------------------------------------------------- */

/* All events before the one that cannot be decoded: Go has them, too, but hands them out after the error. */
static void events_before_an_error_come_first(void **state)
{
    uint64_t now = 1;
    struct gotrace_builder *b = begin(23);
    ADD(ProcStatus, 0, PROC_RUNNING);
    ADD(GoStatus, 1, 5, GO_RUNNING);
    ADD(GoCreateBlocked, 2, 0, 0);
    ADD(GoSwitch, 2, 1);
    ADD(ProcsChange, 1, 0);
    size_t size;
    const uint8_t *bytes = finish(b, &size);
    uint8_t changed[1000];
    memcpy(changed, bytes, size);
    static const uint8_t last[] = {EV_ProcsChange, 1, 1, 0};
    uint8_t *at = memmem(changed, size, last, sizeof last);
    assert_non_null(at);
    *at = EV_Stacks;
    reads(changed, size, 7, "found Stacks, an event without a timestamp");
    gotrace_builder_free(b);
}

/* A table that ends where an integer should begin: Go takes that for the end of the trace, and says nothing. */
static void a_table_that_is_cut_off_is_an_error(void **state)
{
    static const uint8_t tables[][3] = {{EV_Strings, EV_String}, {EV_Strings, EV_String, 7}, {EV_Stacks, EV_Stack},
                                        {EV_Stacks, EV_Stack, 7}, {EV_CPUSamples, EV_CPUSample, 7}, {EV_Frequency}};
    for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
        uint8_t bytes[100] = "go 1.22 trace\0\0", *p = bytes + TRACE_HEADER_SIZE;
        static const uint64_t fields[] = {1, 5, 1};
        *p++ = EV_EventBatch;
        for (size_t k = 0; k < ARRAY_SIZE(fields); k++)
            p = varint_put(p, fields[k]);
        size_t size = tables[i][0] == EV_Frequency ? 1 : tables[i][2] ? 3 : 2;
        p = varint_put(p, size);
        memcpy(p, tables[i], size);
        reads(bytes, (size_t)(p + size - bytes), 1, "is cut off or does not fit 64 bits");
    }
}

/* It is of the generation, though it has a time. */
static void a_clock_snapshot_happens_in_no_thread(void **state)
{
    struct gotrace_builder *b = gotrace_builder_new_memory(25);
    uint8_t bytes[BATCH_HEADER_MAX + EVENT_SIZE_MAX], event[EVENT_SIZE_MAX];
    size_t size = (size_t)(event_put(event, EV_ClockSnapshot, 1, (const uint64_t[]){1, 1, 1}, 3) - event);
    uint8_t *p = batch_header_put(bytes, &(struct batch_header){EV_EventBatch, 0, 1, 5, 10, size});
    memcpy(p, event, size);
    gotrace_builder_generation(b, 1);
    gotrace_builder_sync(b, 1000000000, 1, 1, 1, 1);
    assert_int_equal(gotrace_builder_copy(b, bytes, (size_t)(p - bytes) + size, 10), 0);
    built(b, 1, "bad event type found while ordering");
}

/* ---- time zones -------------------------------------------------------------------------------------------------- */

static void zones_are_files(void **state)
{
    static const struct {
        const char *zone, *wall;
    } cases[] = {
        {"UTC", "2023-11-14T22:13:20Z"},
        {"", "2023-11-14T22:13:20Z"},
        {":", "2023-11-14T22:13:20Z"},
        {"CET-1CEST", "2023-11-14T22:13:20Z"},
        {":CET-1CEST", "2023-11-14T22:13:20Z"},
        {"<+03>-3", "2023-11-14T22:13:20Z"},
        {"/nonexistent/zone", "2023-11-14T22:13:20Z"},
        {"Asia/Kolkata", "2023-11-15T03:43:20+05:30"},
        {":Asia/Kolkata", "2023-11-15T03:43:20+05:30"},
        {"/usr/share/zoneinfo/Asia/Kolkata", "2023-11-15T03:43:20+05:30"},
    };
    FILE *zone = fopen("/usr/share/zoneinfo/Asia/Kolkata", "r");
    if (!zone)
        SKIP("optional: this system has no time zones");
    fclose(zone);
    struct gotrace_builder *b = gotrace_builder_new_memory(26);
    gotrace_builder_generation(b, 1);
    gotrace_builder_sync(b, 1000000000, 1, 1, 1700000000, 0);
    size_t size;
    const void *bytes = finish(b, &size);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        assert_int_equal(setenv("TZ", cases[i].zone, 1), 0);
        tzset();
        struct gotrace_reader *r = gotrace_reader_open_memory(bytes, size);
        char *text;
        FILE *out = open_memstream(&text, &(size_t){0});
        assert_int_equal(gotrace_event_print(gotrace_reader_next(r), out), 0);
        fclose(out);
        char *wall = strstr(text, "Wall=");
        assert_non_null(wall);
        *strchrnul(wall, '\n') = '\0';
        assert_string_equal(wall + strlen("Wall="), cases[i].wall);
        free(text);
        gotrace_reader_free(r);
    }
    gotrace_builder_free(b);
    unsetenv("TZ");
    tzset();
}

/* ---- the validator ----------------------------------------------------------------------------------------------- */

static void told(void *arg, const struct gotrace_error *e)
{
    if (!strstr(e->message, arg))
        fail_msg("%s", e->message);
}

static void validates(const void *data, size_t size, unsigned violations, const char *message)
{
    struct gotrace_reader *r = gotrace_reader_open_memory(data, size);
    struct gotrace_summary sum;
    assert_true(gotrace_reader_validate(r, told, (void *)(uintptr_t)message, &sum));
    assert_int_equal(sum.violations, violations);
    gotrace_reader_free(r);
}

static void a_trace_of_nothing_has_no_clock(void **state)
{
    validates(S("go 1.26 trace\0\0\0"), 1, "sync 1 has no clock snapshot");
}

/* Zero is the first second of the first year, as time.Time has it, not 1970. */
static void wall_clocks_begin_in_the_first_year(void **state)
{
    static const struct {
        uint64_t sec, nsec;
        unsigned violations;
    } cases[] = {
        {0, 0, 0},
        {(uint64_t)-INT64_C(62135596800), 0, 1},
        {(uint64_t)-INT64_C(62135596800), 1, 0},
        {(uint64_t)-INT64_C(62135596801), 1000000000, 1},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct gotrace_builder *b = gotrace_builder_new_memory(26);
        gotrace_builder_generation(b, 1);
        gotrace_builder_sync(b, 1000000000, 1, 1, cases[i].sec, cases[i].nsec);
        size_t size;
        const void *bytes = finish(b, &size);
        validates(bytes, size, cases[i].violations, "zero wall time");
        gotrace_builder_free(b);
    }
}

/* It comes into being by its creation; that its state was not known until now cannot be. */
static void the_dead_have_no_undetermined_state(void **state)
{
    static const char back[] = "bad old state for goroutine 2: got Undetermined, want NotExist";
    for (int again = 0; again <= 1; again++) {
        struct gotrace_builder *b = begin(22);
        uint64_t now = 1;
        ADD(ProcStatus, 0, PROC_RUNNING);
        ADD(GoStatus, 2, 5, GO_RUNNING);
        gotrace_builder_event(b, ++now, EV_GoDestroy, NULL, 0);
        if (again)
            ADD(GoStatus, 2, 5, GO_RUNNABLE);
        else
            ADD(GoCreate, 2, 0, 0);
        ADD(GoStart, 2, 1);
        size_t size;
        const void *bytes = finish(b, &size);
        reads(bytes, size, 7, NULL);
        validates(bytes, size, again, back);
        gotrace_builder_free(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_may_have_blanks),
        cmocka_unit_test(a_header_of_blanks_ends),
        cmocka_unit_test(opening_reads_a_header_and_no_more),
        cmocka_unit_test(a_batch_may_end_a_generation),
        cmocka_unit_test(statuses_have_eight_bits),
        cmocka_unit_test(events_before_an_error_come_first),
        cmocka_unit_test(a_table_that_is_cut_off_is_an_error),
        cmocka_unit_test(a_clock_snapshot_happens_in_no_thread),
        cmocka_unit_test(zones_are_files),
        cmocka_unit_test(a_trace_of_nothing_has_no_clock),
        cmocka_unit_test(wall_clocks_begin_in_the_first_year),
        cmocka_unit_test(the_dead_have_no_undetermined_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
