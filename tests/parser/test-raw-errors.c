/* The errors of the raw level: of what kind they are, and that those of a writer stay. */
#include "tests/parser/raw-events.h"

#include "lib/wire/events.h"

static void an_error_says_of_what_kind_it_is(void **state)
{
    static const struct {
        enum gotrace_raw_format format;
        const char *trace;
        enum gotrace_status status;
        uint64_t offset;
    } cases[] = {
        {GOTRACE_RAW_BYTES, "go 1.22", GOTRACE_EFORMAT, 0},
        {GOTRACE_RAW_BYTES, "no trace that I know", GOTRACE_EFORMAT, 0},
        {GOTRACE_RAW_TEXT, "", GOTRACE_EFORMAT, 1},
        {GOTRACE_RAW_TEXT, "# none\nTrack Go1.22\n", GOTRACE_EFORMAT, 2},
        {GOTRACE_RAW_TEXT, "Trace Rust1.22\n", GOTRACE_EFORMAT, 1},
        {GOTRACE_RAW_TEXT, "Trace Go1.22 again\n", GOTRACE_EFORMAT, 1},
        {GOTRACE_RAW_TEXT, "Trace Go1.24\n", GOTRACE_EVERSION, 1},
        {GOTRACE_RAW_TEXT, "Trace Go1.22\nGoFly\n", GOTRACE_EBROKEN, 2},
        {GOTRACE_RAW_TEXT, "Trace Go1.22\nStack id=1 nframes=1\n", GOTRACE_EBROKEN, 2},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct gotrace_raw_reader *r =
            gotrace_raw_reader_open_memory(cases[i].format, cases[i].trace, strlen(cases[i].trace));
        struct gotrace_raw_event ev;
        assert_int_equal(gotrace_raw_reader_next(r, &ev), -1);
        const struct gotrace_error *e = gotrace_raw_reader_error(r);
        assert_int_equal(e->status, cases[i].status);
        assert_int_equal(e->offset, cases[i].offset);
        assert_int_equal(e->offset, gotrace_raw_reader_position(r));
        assert_int_equal(e->sys_errno, 0);
        gotrace_raw_reader_free(r);
    }
    static const char unknown[] = "go 1.24 trace\0\0\0";
    struct gotrace_raw_reader *r = gotrace_raw_reader_open_memory(GOTRACE_RAW_BYTES, unknown, sizeof unknown - 1);
    assert_int_equal(gotrace_raw_reader_version(r), -1);
    assert_int_equal(gotrace_raw_reader_error(r)->status, GOTRACE_EVERSION);
    gotrace_raw_reader_free(r);
}

static void the_writer_refuses_what_it_could_not_read(void **state)
{
    FILE *file = tmpfile();
    struct gotrace_raw_writer *w = gotrace_raw_writer_new_file(GOTRACE_RAW_BYTES, 22, file);
    const struct {
        struct gotrace_raw_event ev;
        const char *why;
    } bad[] = {
        {{.id = 0}, "0 is no event of a Go 1.22 trace"},
        {{.id = EV_Sync}, "50 is no event of a Go 1.22 trace"},
        {{.id = EV_EventBatch, .size_width = 11}, "EventBatch is incomplete or beyond any limit"},
        {{.id = EV_String, .size = 1}, "String is incomplete or beyond any limit"},
        {{.id = EV_String, .data = (const uint8_t *)"", .size = GOTRACE_RAW_MAX_DATA + 1},
         "String is incomplete or beyond any limit"},
        {{.id = EV_Stack, .args = {1, 1}}, "Stack is incomplete or beyond any limit"},
        {{.id = EV_Stack, .args = {1, GOTRACE_RAW_MAX_FRAMES + 1}, .frames = (void *)""},
         "Stack is incomplete or beyond any limit"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        assert_int_equal(gotrace_raw_writer_event(w, &bad[i].ev), -1);
        assert_int_equal(gotrace_raw_writer_error(w)->status, GOTRACE_EINVAL);
        assert_int_equal(gotrace_raw_writer_error(w)->sys_errno, 0);
        assert_string_equal(gotrace_raw_writer_error(w)->message, bad[i].why);
    }
    assert_int_equal(gotrace_raw_writer_event(w, &(struct gotrace_raw_event){.id = EV_Stacks}), 0);
    assert_null(gotrace_raw_writer_error(w));
    assert_int_equal(gotrace_raw_writer_finish(w), 0);
    assert_int_equal(ftell(file), 17);
    assert_int_equal(gotrace_raw_writer_event(w, &(struct gotrace_raw_event){.id = EV_Stacks}), -1);
    assert_string_equal(gotrace_raw_writer_error(w)->message, "the trace is finished");
    gotrace_raw_writer_free(w);
    fclose(file);
    errno = 0;
    assert_null(gotrace_raw_writer_new_file(GOTRACE_RAW_BYTES, 24, stdout));
    assert_int_equal(errno, EINVAL);
}

/* Fails the first time only: what it was given then is lost. */
static int refuse_once(void *arg, const void *buf, size_t size)
{
    errno = ENOSPC;
    return ++*(int *)arg == 1 ? -1 : 0;
}

static int refuse(void *arg, const void *buf, size_t size)
{
    errno = arg ? 0 : ENOSPC;
    return -1;
}

static void a_failed_write_stays_an_error(void **state)
{
    static uint8_t data[1 << 16];
    const struct gotrace_raw_event ev = {.id = EV_String, .data = data, .size = sizeof data};
    struct gotrace_raw_writer *w = gotrace_raw_writer_new_callback(GOTRACE_RAW_BYTES, 22, refuse, NULL);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(i < 2 ? gotrace_raw_writer_event(w, &ev) : gotrace_raw_writer_finish(w), -1);
        assert_int_equal(gotrace_raw_writer_error(w)->status, GOTRACE_EWRITE);
        assert_int_equal(gotrace_raw_writer_error(w)->sys_errno, ENOSPC);
        assert_string_equal(gotrace_raw_writer_error(w)->message, "cannot write: No space left on device");
    }
    gotrace_raw_writer_free(w);
    int calls = 0;
    w = gotrace_raw_writer_new_callback(GOTRACE_RAW_BYTES, 22, refuse_once, &calls);
    assert_int_equal(gotrace_raw_writer_event(w, &ev), -1);
    assert_int_equal(gotrace_raw_writer_event(w, &ev), -1);
    assert_int_equal(gotrace_raw_writer_finish(w), -1);
    assert_int_equal(calls, 1);
    gotrace_raw_writer_free(w);
    w = gotrace_raw_writer_new_callback(GOTRACE_RAW_TEXT, 22, refuse, "without errno");
    assert_int_equal(gotrace_raw_writer_finish(w), -1);
    assert_int_equal(gotrace_raw_writer_error(w)->sys_errno, EIO);
    gotrace_raw_writer_free(w);
    gotrace_raw_writer_free(NULL);
}

static void a_file_is_flushed_at_the_end(void **state)
{
    FILE *full = fopen("/dev/full", "w");
    struct gotrace_raw_writer *w = gotrace_raw_writer_new_file(GOTRACE_RAW_BYTES, 22, full);
    assert_int_equal(gotrace_raw_writer_finish(w), -1);
    assert_int_equal(gotrace_raw_writer_error(w)->sys_errno, ENOSPC);
    gotrace_raw_writer_free(w);
    fclose(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_says_of_what_kind_it_is),
        cmocka_unit_test(the_writer_refuses_what_it_could_not_read),
        cmocka_unit_test(a_failed_write_stays_an_error),
        cmocka_unit_test(a_file_is_flushed_at_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
