/* The raw level over the wire format: what is read is written back, and what is broken is said to be. */
#include "tests/parser/raw-events.h"

#include "lib/wire/events.h"
#include "lib/wire/varint.h"

#define HEADER(nn) "go 1." nn " trace\0\0\0"

static struct converted copy(const void *data, size_t size)
{
    return convert(GOTRACE_RAW_BYTES, data, size, GOTRACE_RAW_BYTES);
}

static void expect_error(const void *data, size_t size, const char *error)
{
    struct converted c = copy(data, size);
    assert_string_equal(c.error, error);
    free(c.at);
}

#define EXPECT_ERROR(literal, error) expect_error(literal, sizeof literal - 1, error)

/* A trace with every event the version has, each argument with another number of bytes. */
static size_t every_event(uint8_t *buf, int version)
{
    uint8_t *p = buf + sprintf((char *)buf, "go 1.%d trace", version);
    memset(p, 0, 3);
    p += 3;
    for (unsigned id = 1; id < 256; id++) {
        const struct event_info *info = &event_table[id];
        if (!info->name || info->since > version)
            continue;
        *p++ = (uint8_t)id;
        for (unsigned i = 0; i < info->nargs; i++) {
            uint64_t v = id == EV_Stack && i == 1 ? 2 : UINT64_MAX >> (id + 7 * i) % 64;
            p = id == EV_EventBatch && i == 3 ? varint_put_padded(p, 77, 10) : varint_put(p, v);
        }
        if (id == EV_Stack)
            for (unsigned i = 0; i < 8; i++)
                p = varint_put(p, UINT64_MAX >> 8 * i);
        if (id == EV_String || id == EV_ExperimentalBatch) {
            p = varint_put_padded(p, 4, id == EV_String ? 1 : 5);
            p = (uint8_t *)memcpy(p, "\0\xff\"\n", 4) + 4;
        }
    }
    return (size_t)(p - buf);
}

enum { VERSIONS_END = 100 };

/* The first version from that one on, or VERSIONS_END. */
static int version_from(int version)
{
    while (version < VERSIONS_END && !gotrace_version_known(version))
        version++;
    return version;
}

static int newest_version(void)
{
    int newest = 0;
    for (int version = version_from(0); version < VERSIONS_END; version = version_from(version + 1))
        newest = version;
    return newest;
}

static void every_event_is_copied_unchanged(void **state)
{
    for (int version = version_from(0); version < VERSIONS_END; version = version_from(version + 1)) {
        uint8_t trace[8192];
        size_t size = every_event(trace, version);
        struct converted c = copy(trace, size);
        assert_string_equal(c.error, "");
        assert_int_equal(c.size, size);
        assert_memory_equal(c.at, trace, size);
        free(c.at);
    }
}

static void every_event_survives_the_text_form(void **state)
{
    for (int version = version_from(0); version < VERSIONS_END; version = version_from(version + 1)) {
        uint8_t trace[8192];
        size_t size = every_event(trace, version);
        struct converted text = convert(GOTRACE_RAW_BYTES, trace, size, GOTRACE_RAW_TEXT);
        struct converted back = convert(GOTRACE_RAW_TEXT, text.at, text.size, GOTRACE_RAW_BYTES);
        struct converted again = convert(GOTRACE_RAW_BYTES, back.at, back.size, GOTRACE_RAW_TEXT);
        assert_string_equal(text.error, "");
        assert_string_equal(back.error, "");
        assert_int_equal(again.size, text.size);
        assert_memory_equal(again.at, text.at, text.size);
        /* Only the padding of two size fields is gone. */
        assert_int_equal(back.size, size - 9 - (version >= 23 ? 4 : 0));
        free(text.at);
        free(back.at);
        free(again.at);
    }
}

static void a_cut_at_every_length_is_an_error_or_an_event_less(void **state)
{
    uint8_t trace[8192];
    size_t size = every_event(trace, newest_version());
    unsigned clean = 0;
    for (size_t cut = 0; cut < size; cut++) {
        uint8_t *exact = malloc(cut + !cut);
        memcpy(exact, trace, cut);
        struct converted c = copy(exact, cut);
        assert_true(c.size <= cut || cut < 16);
        assert_memory_equal(c.at, trace, c.size <= cut ? c.size : 0);
        clean += !c.error[0];
        free(c.at);
        free(exact);
    }
    unsigned events = 0;
    for (unsigned id = 0; id < 256; id++)
        events += event_table[id].name != NULL;
    assert_int_equal(clean, events);
}

static void headers_are_checked(void **state)
{
    EXPECT_ERROR("", "byte 0: not a Go execution trace: too short for a header");
    EXPECT_ERROR("go 1.22 trace\0\0", "byte 0: not a Go execution trace: too short for a header");
    EXPECT_ERROR("gotrace\0........", "byte 0: not a Go execution trace: no header \"go 1.NN trace\"");
    EXPECT_ERROR("go 1.x2 trace\0\0\0", "byte 0: not a Go execution trace: no header \"go 1.NN trace\"");
    EXPECT_ERROR(HEADER("1<"), "byte 0: not a Go execution trace: no header \"go 1.NN trace\"");
    EXPECT_ERROR(HEADER("3,"), "byte 0: not a Go execution trace: no header \"go 1.NN trace\"");
    EXPECT_ERROR("go 1.22 trace\0\0.", "byte 0: not a Go execution trace: no header \"go 1.NN trace\"");
    EXPECT_ERROR(HEADER("21"), "byte 0: unsupported trace version 1.21");
    EXPECT_ERROR(HEADER("24"), "byte 0: unsupported trace version 1.24");
}

static void unknown_events_are_refused(void **state)
{
    EXPECT_ERROR(HEADER("22") "\x02\x00", "byte 17: 0 is no event of a Go 1.22 trace");
    EXPECT_ERROR(HEADER("22") "\x2d\x01", "byte 16: 45 is no event of a Go 1.22 trace");
    EXPECT_ERROR(HEADER("23") "\x32", "byte 16: 50 is no event of a Go 1.23 trace");
    EXPECT_ERROR(HEADER("25") "\x34", "byte 16: 52 is no event of a Go 1.25 trace");
    EXPECT_ERROR(HEADER("26") "\x34\xff", "byte 17: 255 is no event of a Go 1.26 trace");
}

static void claims_beyond_any_limit_are_refused(void **state)
{
    EXPECT_ERROR(HEADER("22") "\x05\x01\xff\xff\xff\xff\x0f",
                 "byte 16: 4294967295 bytes of data after String are beyond any limit");
    EXPECT_ERROR(HEADER("22") "\x05\x01\xff\xff\x3f", "byte 16: the trace ends inside String");
    EXPECT_ERROR(HEADER("22") "\x05\x01", "byte 16: the trace ends inside String");
    EXPECT_ERROR(HEADER("22") "\x03\x01\xff\xff\xff\x0f", "byte 16: a stack of 33554431 frames is beyond any limit");
    EXPECT_ERROR(HEADER("22") "\x03\x01\x02\x01\x01\x01", "byte 16: the trace ends inside Stack");
    EXPECT_ERROR(HEADER("22") "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02",
                 "byte 16: an integer of Frequency does not fit 64 bits");
}

static void expect_copy(const void *data, size_t size)
{
    struct converted c = copy(data, size);
    assert_string_equal(c.error, "");
    assert_int_equal(c.size, size);
    assert_memory_equal(c.at, data, size);
    free(c.at);
}

static void what_is_at_the_limits_is_copied(void **state)
{
    static uint8_t trace[GOTRACE_RAW_MAX_DATA + 6 * GOTRACE_RAW_MAX_FRAMES] = HEADER("22");
    uint8_t *p = trace + 16;
    *p++ = EV_String;
    p = varint_put(p, 1);
    p = varint_put(p, GOTRACE_RAW_MAX_DATA) + GOTRACE_RAW_MAX_DATA;
    *p++ = EV_Stack;
    p = varint_put(p, 1);
    p = varint_put(p, GOTRACE_RAW_MAX_FRAMES) + 4 * GOTRACE_RAW_MAX_FRAMES;
    expect_copy(trace, (size_t)(p - trace));
}

static void every_stack_has_its_own_frames(void **state)
{
    static const char trace[] = HEADER("22") "\x03\x01\x02\x01\x02\x03\x04\x05\x06\x07\x08"
                                             "\x03\x02\x01\x09\x0a\x0b\x0c";
    expect_copy(trace, sizeof trace - 1);
}

static void an_error_stays(void **state)
{
    static const char trace[] = HEADER("22") "\x02\xff\x02";
    struct gotrace_raw_reader *r = gotrace_raw_reader_open_memory(GOTRACE_RAW_BYTES, trace, sizeof trace - 1);
    struct gotrace_raw_event ev;
    assert_null(gotrace_raw_reader_error(r));
    assert_int_equal(gotrace_raw_reader_next(r, &ev), 1);
    assert_int_equal(ev.id, EV_Stacks);
    assert_int_equal(gotrace_raw_reader_position(r), 16);
    assert_int_equal(gotrace_raw_reader_next(r, &ev), -1);
    assert_int_equal(gotrace_raw_reader_next(r, &ev), -1);
    assert_int_equal(gotrace_raw_reader_position(r), 17);
    assert_int_equal(gotrace_raw_reader_version(r), 22);
    const struct gotrace_error *e = gotrace_raw_reader_error(r);
    assert_int_equal(e->status, GOTRACE_EBROKEN);
    assert_int_equal(e->sys_errno, 0);
    assert_int_equal(e->offset, 17);
    assert_true(e->thread == GOTRACE_NONE);
    assert_null(e->event);
    gotrace_raw_reader_free(r);
    gotrace_raw_reader_free(NULL);
}

static void the_end_stays(void **state)
{
    struct gotrace_raw_reader *r = gotrace_raw_reader_open_memory(GOTRACE_RAW_BYTES, HEADER("26"), 16);
    struct gotrace_raw_event ev;
    assert_int_equal(gotrace_raw_reader_next(r, &ev), 0);
    assert_int_equal(gotrace_raw_reader_next(r, &ev), 0);
    gotrace_raw_reader_free(r);
}

/* Delivers a trace one byte a call, and fails where asked to. */
struct drip {
    const uint8_t *p;
    size_t left, fail_at;
};

static ssize_t drip(void *arg, void *buf, size_t size)
{
    struct drip *d = arg;
    assert_true(size > 0);
    if (d->left == d->fail_at) {
        errno = EIO;
        return -1;
    }
    if (!d->left)
        return 0;
    *(uint8_t *)buf = *d->p++;
    d->left--;
    return 1;
}

static void a_callback_may_deliver_little(void **state)
{
    uint8_t trace[8192];
    size_t size = every_event(trace, 26), n = 0;
    struct drip d = {trace, size, SIZE_MAX};
    struct gotrace_raw_reader *r = gotrace_raw_reader_open_callback(GOTRACE_RAW_BYTES, drip, &d);
    struct gotrace_raw_event ev;
    assert_int_equal(gotrace_raw_reader_version(r), 26);
    while (gotrace_raw_reader_next(r, &ev) > 0) {
        assert_int_equal(trace[gotrace_raw_reader_position(r)], ev.id);
        n++;
        if (ev.id == EV_String)
            assert_memory_equal(ev.data, "\0\xff\"\n", ev.size);
    }
    assert_null(gotrace_raw_reader_error(r));
    assert_true(n > 60);
    gotrace_raw_reader_free(r);
}

static void a_failed_read_is_told_from_bad_data(void **state)
{
    uint8_t trace[8192];
    size_t size = every_event(trace, newest_version());
    static const struct {
        size_t read;
        const char *error;
    } cases[] = {{5, "byte 0: cannot read the header: Input/output error"},
                 {16, "byte 16: cannot read an event: Input/output error"},
                 {17, "byte 16: cannot read EventBatch: Input/output error"}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct drip d = {trace, size, size - cases[i].read};
        struct gotrace_raw_reader *r = gotrace_raw_reader_open_callback(GOTRACE_RAW_BYTES, drip, &d);
        struct gotrace_raw_event ev;
        assert_int_equal(gotrace_raw_reader_next(r, &ev), -1);
        assert_string_equal(gotrace_raw_reader_error(r)->message, cases[i].error);
        assert_int_equal(gotrace_raw_reader_error(r)->status, GOTRACE_EREAD);
        assert_int_equal(gotrace_raw_reader_error(r)->sys_errno, EIO);
        gotrace_raw_reader_free(r);
    }
}

/* The whole text with the first call, its end with the second. */
static ssize_t at_once(void *arg, void *buf, size_t size)
{
    static const char text[] = "Trace Go1.22\nStacks";
    assert_in_range(++*(int *)arg, 1, 2);
    if (*(int *)arg == 2)
        return 0;
    memcpy(buf, text, sizeof text - 1);
    return sizeof text - 1;
}

static void nothing_is_read_behind_the_end(void **state)
{
    int calls = 0;
    struct gotrace_raw_reader *r = gotrace_raw_reader_open_callback(GOTRACE_RAW_TEXT, at_once, &calls);
    struct gotrace_raw_event ev;
    assert_int_equal(gotrace_raw_reader_next(r, &ev), 1);
    assert_int_equal(gotrace_raw_reader_next(r, &ev), 0);
    assert_int_equal(calls, 2);
    gotrace_raw_reader_free(r);
}

static void a_file_that_cannot_be_read_is_no_short_one(void **state)
{
    FILE *folder = fopen("/", "r");
    struct gotrace_raw_reader *r = gotrace_raw_reader_open_file(GOTRACE_RAW_BYTES, folder);
    assert_int_equal(gotrace_raw_reader_version(r), -1);
    assert_int_equal(gotrace_raw_reader_error(r)->sys_errno, EISDIR);
    gotrace_raw_reader_free(r);
    fclose(folder);
}

static ssize_t lie(void *arg, void *buf, size_t size) { return (ssize_t)size + 1; }

static void a_callback_that_claims_too_much_is_an_error(void **state)
{
    struct gotrace_raw_reader *r = gotrace_raw_reader_open_callback(GOTRACE_RAW_BYTES, lie, NULL);
    errno = ENOENT;
    assert_int_equal(gotrace_raw_reader_version(r), -1);
    assert_int_equal(gotrace_raw_reader_error(r)->sys_errno, EIO);
    gotrace_raw_reader_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_event_is_copied_unchanged),
        cmocka_unit_test(every_event_survives_the_text_form),
        cmocka_unit_test(a_cut_at_every_length_is_an_error_or_an_event_less),
        cmocka_unit_test(headers_are_checked),
        cmocka_unit_test(unknown_events_are_refused),
        cmocka_unit_test(claims_beyond_any_limit_are_refused),
        cmocka_unit_test(what_is_at_the_limits_is_copied),
        cmocka_unit_test(every_stack_has_its_own_frames),
        cmocka_unit_test(an_error_stays),
        cmocka_unit_test(the_end_stays),
        cmocka_unit_test(a_callback_may_deliver_little),
        cmocka_unit_test(a_failed_read_is_told_from_bad_data),
        cmocka_unit_test(nothing_is_read_behind_the_end),
        cmocka_unit_test(a_file_that_cannot_be_read_is_no_short_one),
        cmocka_unit_test(a_callback_that_claims_too_much_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
