/* Raw records of v1: bytes and text, both ways, as Go writes them and otherwise, and what is none. */
/* Before cmocka, which has a macro of the name of a function there. */
#include "parser/v1/raw.h"

#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>

struct source {
    const char *p;
    size_t left, step;
};

static ssize_t deliver(void *arg, void *buf, size_t size)
{
    struct source *s = arg;
    size_t n = s->left < s->step ? s->left : s->step;
    n = n < size ? n : size;
    memcpy(buf, s->p, n);
    s->p += n;
    s->left -= n;
    return (ssize_t)n;
}

struct converted {
    struct raw_buffer out; /* with a NUL behind it that does not count */
    char error[256];
};

/* Reads `step` bytes at a time. */
static struct converted convert(enum gotrace_raw_format from, const char *data, size_t size, size_t step)
{
    enum gotrace_raw_format to = from == GOTRACE_RAW_TEXT ? GOTRACE_RAW_BYTES : GOTRACE_RAW_TEXT;
    struct source source = {data, size, step};
    struct gotrace_raw_reader *r = gotrace_raw_reader_open_callback(from, deliver, &source);
    struct converted c = {0};
    r->takes_v1 = true;
    if (gotrace_raw_reader_version(r) > 0) {
        struct v1_raw raw = v1_raw_of(r);
        v1_raw_header(&raw, to, &c.out);
        while (v1_raw_next(&raw, to, &c.out) > 0)
            continue;
    }
    const struct gotrace_error *e = gotrace_raw_reader_error(r);
    if (e)
        snprintf(c.error, sizeof c.error, "%s", e->message);
    raw_buffer_add(&c.out, "", 1);
    assert_false(c.out.failed);
    c.out.size--;
    gotrace_raw_reader_free(r);
    return c;
}

/* The text is what the bytes become, and the other way round, however little of them there is at a time. */
static void same(const char *bytes, size_t size, const char *text)
{
    for (size_t step = 1; step <= 4096; step *= 64) {
        struct converted c = convert(GOTRACE_RAW_BYTES, bytes, size, step);
        assert_string_equal(c.error, "");
        assert_string_equal((char *)c.out.at, text);
        raw_buffer_free(&c.out);
        c = convert(GOTRACE_RAW_TEXT, text, strlen(text), step);
        assert_string_equal(c.error, "");
        assert_int_equal(c.out.size, size);
        assert_memory_equal(c.out.at, bytes, size);
        raw_buffer_free(&c.out);
    }
}
#define SAME(bytes, text) same(bytes, sizeof(bytes) - 1, text)

#define H5 "go 1.5 trace\0\0\0\0"
#define H11 "go 1.11 trace\0\0\0"
#define H21 "go 1.21 trace\0\0\0"

static void records_are_lines(void **state)
{
    SAME(H5 "\x41\x00\x01\x64\x02\x07\x00\xcd\x05\x01\x02\x03\x04\x05\xc3\x04\x09\x02\x50\x60\x23\x08\x00",
         "Trace Go1.5\n"
         "Batch p=0 seq=1 ticks=100\n"
         "Frequency freq=7 unused=0\n"
         "GoCreate dseq=1 dt=2 g=3 stack=4 stk=5\n"
         "Stack id=9 nframes=2\n\tpc=80\n\tpc=96\n"
         "TimerGoroutine g=8 unused=0\n");
    SAME(H11 "\x41\x00\x64\x25\x01\x02" "ab" "\xf0\x04\x01\x02\x01\x03\x01" "\n" "\xc3\x06\x09\x01\x50\x01\x02\x03",
         "Trace Go1.11\n"
         "Batch p=0 ticks=100\n"
         "String id=1\n\tdata=\"ab\"\n"
         "UserLog dt=1 id=2 keyid=1 stk=3\n\tdata=\"\\n\"\n"
         "Stack id=9 nframes=1\n\tpc=80 func=1 file=2 line=3\n");
    SAME(H21 "\xf1\x05\x01\x02\x03\x04\x05\xc3\x82\x80\x80\x80\x80\x80\x80\x80\x80\x00\x09\x00\xdd\x04\x01\x02\x03\x04",
         "Trace Go1.21\n"
         "CPUSample dt=1 ts=2 p=3 g=4 stk=5\n"
         "Stack id=9 nframes=0\n"
         "GoSysExit dt=1 g=2 seq=3 ts=4\n");
}

static void what_is_not_as_go_writes_it_is_said(void **state)
{
    SAME(H21 "\x0f\x81\x00\xcf\x01\x05\xcf\x81\x00\x05",
         "Trace Go1.21\n"
         "GoEnd dt=1:2\n"
         "GoEnd sized=1 dt=5\n"
         "GoEnd sized=2 dt=5\n");
    SAME(H21 "\x4f\x01\x02\xcf\x00\xcf\x04\x01\x02\x03\x04\x0e\x01",
         "Trace Go1.21\n"
         "GoEnd nargs=2 dt=1 arg=2\n"
         "GoEnd nargs=0\n"
         "GoEnd nargs=4 dt=1 arg=2 arg=3 arg=4\n"
         "GoStart nargs=1 dt=1\n");
    SAME(H21 "\x65\x81\x00\x82\x00" "ab" "\x30\x01\x80\x00",
         "Trace Go1.21\n"
         "String upper=1 id=1:2\n\tdata=\"ab\":2\n"
         "UserLog nargs=1 dt=1\n\tdata=\"\":2\n");
    SAME(H21 "\x03\x01\x43\x01\x02\x43\x01\x00\xc3\x02\x01\x00\xc3\x06\x01\x02\x03\x04\x05\x06",
         "Trace Go1.21\n"
         "Stack nargs=1 sized=0 id=1\n"
         "Stack nargs=2 sized=0 id=1 nframes=2\n"
         "Stack sized=0 id=1 nframes=0\n"
         "Stack sized=1 id=1 nframes=0\n"
         "Stack nargs=6 sized=1 id=1 nframes=2 arg=3 arg=4 arg=5 arg=6\n");
    SAME(H11 "\xb2\x01\x02\x03\xff\x00\x00\x05",
         "Trace Go1.11\n"
         "Unknown id=50 nargs=3 arg=1 arg=2 arg=3\n"
         "Unknown id=63 nargs=0\n"
         "Unknown id=0 nargs=1 arg=5\n");
    /* Before 1.7 no record is a String, and before 1.11 none a UserLog: nothing is behind them. */
    SAME(H5 "\x25\x01\x02\x30\x03\x04",
         "Trace Go1.5\n"
         "Unknown id=37 nargs=2 arg=1 arg=2\n"
         "Unknown id=48 nargs=2 arg=3 arg=4\n");
    SAME(H21 "\x61\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x61\x01\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00",
         "Trace Go1.21\n"
         "HeapAlloc dt=1 mem=18446744073709551615\n"
         "HeapAlloc dt=1 mem=0:10\n");
}

static void gives(const char *text, const char *bytes, size_t size)
{
    struct converted c = convert(GOTRACE_RAW_TEXT, text, strlen(text), 4096);
    assert_string_equal(c.error, "");
    assert_int_equal(c.out.size, size);
    assert_memory_equal(c.out.at, bytes, size);
    raw_buffer_free(&c.out);
}

/* It may be said what goes without saying. */
static void text_may_say_more_than_it_has_to(void **state)
{
    static const char end[] = H21 "\x0f\x05", stack[] = H21 "\xc3\x06\x01\x01\x02\x03\x04\x05";
    gives("# comment\n\nTrace Go1.21\n  GoEnd   nargs=1 sized=0 dt=5:1 # comment\n", end, sizeof end - 1);
    gives("Trace Go1.21\r\nStack nargs=6 sized=1 id=1 nframes=1 arg=2 arg=3 arg=4 arg=5\r\n", stack, sizeof stack - 1);
    gives("Trace Go1.21\nString upper=0 id=1\n data = `x`:1 # comment\n", H21 "\x25\x01\x01x", 20);
}

static void what_is_no_text_of_a_trace_is_said(void **state)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"Trace Go1.6", "line 1: unsupported trace version 1.6"},
        {"Trace Go1.21\nSync", "line 2: no record of a Go 1.21 trace: \"Sync\""},
        {"Trace Go1.8\nGCMarkAssistDone dt=1", "line 2: no record of a Go 1.8 trace: \"GCMarkAssistDone\""},
        {"Trace Go1.21\nUnknown nargs=0", "line 2: expected argument \"id\", but got: \"nargs\""},
        {"Trace Go1.21\nUnknown id=14 nargs=1 arg=1", "line 2: not the number of an unknown record: \"14\""},
        {"Trace Go1.21\nUnknown id=64 nargs=1 arg=1", "line 2: not the number of an unknown record: \"64\""},
        {"Trace Go1.21\nUnknown id=x nargs=1 arg=1", "line 2: not the number of an unknown record: \"x\""},
        {"Trace Go1.21\nGoEnd", "line 2: argument \"dt\" is missing"},
        {"Trace Go1.21\nGoEnd dt", "line 2: not an argument of the form name=value: \"dt\""},
        {"Trace Go1.21\nGoEnd nargs dt=1", "line 2: not an argument of the form name=value: \"nargs\""},
        {"Trace Go1.21\nGoEnd nargs=2 dt=1", "line 2: argument \"arg\" is missing"},
        {"Trace Go1.21\nGoEnd nargs=-1 dt=1", "line 2: nargs is at most 262144, but got: \"-1\""},
        {"Trace Go1.21\nGoEnd nargs=262145 dt=1", "line 2: nargs is at most 262144, but got: \"262145\""},
        {"Trace Go1.21\nGoEnd sized=11 dt=1", "line 2: sized is at most 10, but got: \"11\""},
        {"Trace Go1.21\nGoEnd upper=1 dt=1", "line 2: expected argument \"dt\", but got: \"upper\""},
        {"Trace Go1.21\nString upper=4 id=1\n\tdata=\"\"", "line 2: upper is at most 3, but got: \"4\""},
        {"Trace Go1.21\nString nargs=1 id=1\n\tdata=\"\"", "line 2: expected argument \"id\", but got: \"nargs\""},
        {"Trace Go1.21\nGoEnd dt=1 dt=1", "line 2: unexpected after the record: \"dt=1\""},
        {"Trace Go1.21\nGoEnd dt=-1", "line 2: not an unsigned 64-bit integer: \"-1\""},
        {"Trace Go1.21\nGoEnd dt=:1", "line 2: not an unsigned 64-bit integer: \":1\""},
        {"Trace Go1.21\nGoEnd dt=1:", "line 2: not an integer that takes so many bytes: \"1:\""},
        {"Trace Go1.21\nGoEnd dt=1:11", "line 2: not an integer that takes so many bytes: \"1:11\""},
        {"Trace Go1.21\nGoEnd dt=128:1", "line 2: not an integer that takes so many bytes: \"128:1\""},
        {"Trace Go1.21\nGoEnd nargs=4 sized=0 dt=1 arg=1 arg=1 arg=1",
         "line 2: the size of 4 integers takes other than 0 bytes"},
        {"Trace Go1.21\nGoEnd nargs=0 sized=0", "line 2: the size of 0 integers takes other than 0 bytes"},
        {"Trace Go1.5\nBatch nargs=1 sized=0 p=0", "line 2: the size of 1 integers takes other than 0 bytes"},
        {"Trace Go1.21\nStack id=1 nframes=1\n", "line 2: the trace ends inside a stack"},
        {"Trace Go1.21\nStack id=1 nframes=1\n\tpc=1 func=2 file=3", "line 3: argument \"line\" is missing"},
        {"Trace Go1.5\nStack id=1 nframes=1\n\tpc=1 func=2", "line 3: unexpected after the record: \"func=2\""},
        {"Trace Go1.21\nString id=1", "line 2: the trace ends inside String"},
        {"Trace Go1.21\nString id=1\n\tdata=\"x\" y", "line 3: unexpected after the record: \"y\""},
        {"Trace Go1.21\nString id=1\n\tdata=\"x\":", "line 3: not a size that takes so many bytes: \"\""},
        {"Trace Go1.21\nString id=1\n\tdata=\"x\":0", "line 3: not a size that takes so many bytes: \"0\""},
        {"Trace Go1.21\nUserLog dt=1 id=1 keyid=1 stk=1\nGoEnd dt=1",
         "line 3: expected data=\"…\", but got: \"GoEnd dt=1\""},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct converted c = convert(GOTRACE_RAW_TEXT, cases[i].text, strlen(cases[i].text), 4096);
        assert_string_equal(c.error, cases[i].error);
        raw_buffer_free(&c.out);
    }
}

static void is_broken(const char *bytes, size_t size, const char *error)
{
    struct converted c = convert(GOTRACE_RAW_BYTES, bytes, size, 1);
    assert_string_equal(c.error, error);
    raw_buffer_free(&c.out);
}
#define BROKEN(bytes, error) is_broken(bytes, sizeof(bytes) - 1, error)

static void what_are_no_bytes_of_a_trace_is_said(void **state)
{
    BROKEN("go 1.21 trace\0\0", "byte 0: not a Go execution trace: too short for a header");
    BROKEN("go 1.6 trace\0\0\0\0", "byte 0: not a Go execution trace: no header \"go 1.NN trace\"");
    BROKEN("go 1.20 trace\0\0\0", "byte 0: unsupported trace version 1.20");
    BROKEN("go 1.05 trace\0\0\0", "byte 0: unsupported trace version 1.5");
    BROKEN(H21 "\x0f", "byte 16: the trace ends inside GoEnd");
    BROKEN(H21 "\x0f\x01\x0f\x80", "byte 18: the trace ends inside GoEnd");
    BROKEN(H21 "\x3f\x80", "byte 16: the trace ends inside a record");
    BROKEN(H21 "\x25\x80", "byte 16: the trace ends inside String");
    BROKEN(H21 "\x25\x01\x02x", "byte 16: the trace ends inside String");
    BROKEN(H21 "\xcf\x02\x01", "byte 16: the trace ends inside GoEnd");
    BROKEN(H21 "\xcf\x80", "byte 16: the trace ends inside GoEnd");
    BROKEN(H21 "\xcf\x02\x01\x80\x01", "byte 16: the size of GoEnd ends within an integer");
    BROKEN(H21 "\xcf\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", "byte 16: an integer of GoEnd does not fit 64 bits");
    BROKEN(H21 "\x0f\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", "byte 16: an integer of GoEnd does not fit 64 bits");
    BROKEN(H21 "\xcf\x81\x80\xa0\x01", "byte 16: 2621441 bytes of integers of GoEnd are beyond any limit");
    BROKEN(H21 "\x25\x01\x81\x80\x40", "byte 16: 1048577 bytes of data after String are beyond any limit");
}

/* As many integers as there may be, in a line that can be read again, and one more. */
static void integers_have_a_limit(void **state)
{
    for (size_t extra = 0; extra <= 1; extra++) {
        size_t n = V1_RAW_MAX_INTEGERS + extra;
        struct raw_buffer b = {0};
        raw_buffer_add(&b, H21 "\xcf", 17);
        uint8_t *p = raw_buffer_reserve(&b, 3 + n);
        *p++ = 0x80 | (n & 0x7f);
        *p++ = 0x80 | (n >> 7 & 0x7f);
        *p++ = (uint8_t)(n >> 14);
        memset(p, 1, n);
        b.size += 3 + n;
        struct converted c = convert(GOTRACE_RAW_BYTES, (const char *)b.at, b.size, 4096);
        if (extra) {
            assert_string_equal(c.error, "byte 16: more than 262144 integers in one record are beyond any limit");
        } else {
            assert_string_equal(c.error, "");
            struct converted back = convert(GOTRACE_RAW_TEXT, (const char *)c.out.at, c.out.size, 4096);
            assert_string_equal(back.error, "");
            assert_int_equal(back.out.size, b.size);
            assert_memory_equal(back.out.at, b.at, b.size);
            raw_buffer_free(&back.out);
        }
        raw_buffer_free(&c.out);
        raw_buffer_free(&b);
    }
}

static void a_size_fits_its_bytes(void **state)
{
    char text[2048] = "Trace Go1.21\nGoEnd nargs=128 sized=1 dt=1";
    for (size_t i = 1; i < 128; i++)
        strcat(text, " arg=1");
    struct converted c = convert(GOTRACE_RAW_TEXT, text, strlen(text), 4096);
    assert_string_equal(c.error, "line 2: the size of 128 integers takes other than 1 bytes");
    raw_buffer_free(&c.out);
}

static void the_position_is_the_records_line(void **state)
{
    static const char text[] = "Trace Go1.21\n\nStack id=1 nframes=1\n\n\tpc=1 func=2 file=3 line=4\nGoEnd dt=1\n";
    struct raw_buffer out = {0};
    struct gotrace_raw_reader *r = gotrace_raw_reader_open_memory(GOTRACE_RAW_TEXT, text, sizeof text - 1);
    r->takes_v1 = true;
    assert_int_equal(gotrace_raw_reader_version(r), 21);
    struct v1_raw raw = v1_raw_of(r);
    assert_int_equal(v1_raw_next(&raw, GOTRACE_RAW_BYTES, &out), 1);
    assert_int_equal(gotrace_raw_reader_position(r), 3);
    assert_int_equal(v1_raw_next(&raw, GOTRACE_RAW_BYTES, &out), 1);
    assert_int_equal(gotrace_raw_reader_position(r), 6);
    assert_int_equal(v1_raw_next(&raw, GOTRACE_RAW_BYTES, &out), 0);
    gotrace_raw_reader_free(r);
    raw_buffer_free(&out);
}

/* Who has not asked for v1 does not get it. */
static void the_public_reader_takes_v2_alone(void **state)
{
    struct gotrace_raw_reader *r = gotrace_raw_reader_open_memory(GOTRACE_RAW_BYTES, H21, 16);
    assert_int_equal(gotrace_raw_reader_version(r), -1);
    assert_string_equal(gotrace_raw_reader_error(r)->message, "byte 0: unsupported trace version 1.21");
    gotrace_raw_reader_free(r);
}

static ssize_t breaks(void *arg, void *buf, size_t size)
{
    static const char start[] = H21 "\x25\x01";
    bool *started = arg;
    if (*started) {
        errno = EIO;
        return -1;
    }
    *started = true;
    memcpy(buf, start, sizeof start - 1);
    return sizeof start - 1;
}

static void input_that_cannot_be_read_is_an_error(void **state)
{
    bool started = false;
    struct raw_buffer out = {0};
    struct gotrace_raw_reader *r = gotrace_raw_reader_open_callback(GOTRACE_RAW_BYTES, breaks, &started);
    r->takes_v1 = true;
    assert_int_equal(gotrace_raw_reader_version(r), 21);
    struct v1_raw raw = v1_raw_of(r);
    assert_int_equal(v1_raw_next(&raw, GOTRACE_RAW_TEXT, &out), -1);
    assert_string_equal(gotrace_raw_reader_error(r)->message, "byte 16: cannot read String: Input/output error");
    assert_int_equal(gotrace_raw_reader_error(r)->sys_errno, EIO);
    gotrace_raw_reader_free(r);
    raw_buffer_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_lines),
        cmocka_unit_test(what_is_not_as_go_writes_it_is_said),
        cmocka_unit_test(text_may_say_more_than_it_has_to),
        cmocka_unit_test(what_is_no_text_of_a_trace_is_said),
        cmocka_unit_test(what_are_no_bytes_of_a_trace_is_said),
        cmocka_unit_test(integers_have_a_limit),
        cmocka_unit_test(a_size_fits_its_bytes),
        cmocka_unit_test(the_position_is_the_records_line),
        cmocka_unit_test(the_public_reader_takes_v2_alone),
        cmocka_unit_test(input_that_cannot_be_read_is_an_error),
    };
    return cmocka_run_group_tests_name("v1 raw", tests, NULL, NULL);
}
