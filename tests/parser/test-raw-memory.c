/* Memory runs out, at each allocation in turn: an error says so, and nothing leaks. */
#include <limits.h>
#include <stdbool.h>

/* Before cmocka, which has a macro of the name of a function there. */
#include "parser/v1/raw.h"

#include "tests/parser/raw-events.h"

#include "gotrace/builder.h"
#include "lib/wire/events.h"
#include "cmd/golden/golden.h"
#include "tests/parser/allowance.h"

/* Runs `what` until it succeeds, with one allocation more each time. It returns success, and checks its result. */
static void with_ever_more_memory(bool (*what)(void))
{
    unsigned long n = 0;
    for (;; n++) {
        allowance = n;
        allowance_refuses_once = true;
        what();
        allowance = n;
        allowance_refuses_once = false;
        bool ok = what();
        allowance = ULONG_MAX;
        if (ok)
            break;
        assert_true(n < 1000);
    }
    assert_true(n > 0);
}

static const char text[] = "Trace Go1.23\nStack id=1 nframes=2\n"
                           "\tpc=1 func=2 file=3 line=4\n\tpc=1 func=2 file=3 line=4\n"
                           "String id=1\n\tdata=\"some text of which there is a little more\\n\"\n";

struct delivery {
    const char *p;
    size_t left;
};

static ssize_t deliver(void *arg, void *buf, size_t size)
{
    struct delivery *d = arg;
    size_t n = d->left < size ? d->left : size;
    memcpy(buf, d->p, n);
    d->p += n;
    d->left -= n;
    return (ssize_t)n;
}

/* What a copy made, and what it makes when memory does not run out; 0: not known yet. */
static size_t swallowed, whole;

static int swallow(void *arg, const void *buf, size_t size)
{
    swallowed += size;
    return 0;
}

/* Copies a trace to the other format. */
static bool copy(enum gotrace_raw_format from, const void *data, size_t size)
{
    struct delivery d = {data, size};
    swallowed = 0;
    struct gotrace_raw_reader *r = gotrace_raw_reader_open_callback(from, deliver, &d);
    if (!r)
        return false;
    struct gotrace_raw_event ev;
    struct gotrace_raw_writer *w = NULL;
    int rc = gotrace_raw_reader_version(r);
    if (rc > 0) {
        w = gotrace_raw_writer_new_callback(from == GOTRACE_RAW_BYTES ? GOTRACE_RAW_TEXT : GOTRACE_RAW_BYTES, rc,
                                            swallow, NULL);
        while (w && (rc = gotrace_raw_reader_next(r, &ev)) > 0)
            if (gotrace_raw_writer_event(w, &ev)) {
                assert_int_equal(gotrace_raw_writer_error(w)->status, GOTRACE_ENOMEM);
                break;
            }
    }
    if (rc < 0) {
        assert_int_equal(gotrace_raw_reader_error(r)->status, GOTRACE_ENOMEM);
        assert_int_equal(gotrace_raw_reader_error(r)->sys_errno, ENOMEM);
        assert_non_null(strstr(gotrace_raw_reader_error(r)->message, "Cannot allocate memory"));
    }
    bool ok = w && rc == 0;
    if (w && gotrace_raw_writer_finish(w)) {
        assert_int_equal(gotrace_raw_writer_error(w)->status, GOTRACE_ENOMEM);
        assert_int_equal(gotrace_raw_writer_error(w)->sys_errno, ENOMEM);
        ok = false;
    }
    gotrace_raw_writer_free(w);
    if (ok && whole)
        assert_int_equal(swallowed, whole);
    gotrace_raw_reader_free(r);
    return ok;
}

static bool copy_text(void) { return copy(GOTRACE_RAW_TEXT, text, sizeof text - 1); }

static bool copy_bytes(void)
{
    static const char bytes[] = "go 1.23 trace\0\0\0\x03\x01\x02\x01\x02\x03\x04\x01\x02\x03\x04\x05\x01\x03" "abc";
    return copy(GOTRACE_RAW_BYTES, bytes, sizeof bytes - 1);
}

/* Likewise of v1. */
static bool copy_v1(enum gotrace_raw_format from, const void *data, size_t size)
{
    struct delivery d = {data, size};
    struct raw_buffer out = {0};
    struct gotrace_raw_reader *r = gotrace_raw_reader_open_callback(from, deliver, &d);
    if (!r)
        return false;
    r->takes_v1 = true;
    int rc = gotrace_raw_reader_version(r);
    if (rc > 0) {
        struct v1_raw raw = v1_raw_of(r);
        while ((rc = v1_raw_next(&raw, from == GOTRACE_RAW_BYTES ? GOTRACE_RAW_TEXT : GOTRACE_RAW_BYTES, &out)) > 0)
            continue;
    }
    if (rc < 0) {
        assert_int_equal(gotrace_raw_reader_error(r)->status, GOTRACE_ENOMEM);
        assert_int_equal(gotrace_raw_reader_error(r)->sys_errno, ENOMEM);
    }
    bool ok = rc == 0 && !out.failed;
    swallowed = out.size;
    if (ok && whole)
        assert_int_equal(swallowed, whole);
    raw_buffer_free(&out);
    gotrace_raw_reader_free(r);
    return ok;
}

static bool copy_v1_text(void)
{
    static const char lines[] = "Trace Go1.21\nStack id=1 nframes=1\n\tpc=1 func=2 file=3 line=4\n"
                                "String id=1\n\tdata=\"some text of which there is a little more\"\n";
    return copy_v1(GOTRACE_RAW_TEXT, lines, sizeof lines - 1);
}

static bool copy_v1_bytes(void)
{
    static const char bytes[] = "go 1.21 trace\0\0\0\xc3\x06\x01\x01\x02\x03\x04\x05\x0f\x01\x25\x01\x03" "abc";
    return copy_v1(GOTRACE_RAW_BYTES, bytes, sizeof bytes - 1);
}

static bool show(void)
{
    const struct gotrace_raw_event ev = {.id = EV_Frequency};
    char *shown = gotrace_raw_event_text(22, &ev, NULL);
    if (!shown)
        assert_int_equal(errno, ENOMEM);
    free(shown);
    return shown != NULL;
}

static bool build(void)
{
    struct gotrace_builder *b = gotrace_builder_new_memory(26);
    if (!b)
        return false;
    gotrace_builder_generation(b, 1);
    for (unsigned i = 0; i < 200; i++) {
        char name[16];
        snprintf(name, sizeof name, "string %u", i);
        gotrace_builder_string(b, name, strlen(name));
        gotrace_builder_stack(b, &(struct gotrace_builder_frame){i, name, "file.c", 1}, 1);
    }
    gotrace_builder_experimental(b, 1, 1, 1, text, sizeof text);
    bool ok = !gotrace_builder_finish(b);
    const struct gotrace_error *e = gotrace_builder_error(b);
    assert_int_equal(e ? e->status : GOTRACE_OK, ok ? GOTRACE_OK : GOTRACE_ENOMEM);
    assert_string_equal(e ? e->message : "", ok ? "" : "Cannot allocate memory");
    gotrace_builder_free(b);
    return ok;
}

static bool take_golden(void)
{
    static const char test[] = "-- expect --\nFAILURE \"a.c\"\n-- trace --\nTrace Go1.22\nStacks\n";
    struct golden g;
    bool ok = golden_parse(&g, test, sizeof test - 1);
    if (!ok)
        assert_string_not_equal(g.error, "");
    else
        assert_int_equal(g.bytes.size, 17);
    golden_free(&g);
    return ok;
}

static bool take_golden_of_v1(void)
{
    static const char test[] = "-- expect --\nSUCCESS\n-- trace --\nTrace Go1.21\nGoEnd dt=1\n"
                               "-- v1 --\nFAILURE \"a.c\"\n";
    struct golden g;
    bool ok = golden_parse(&g, test, sizeof test - 1);
    if (!ok)
        assert_string_not_equal(g.error, "");
    else
        assert_int_equal(g.bytes.size, 18);
    golden_free(&g);
    return ok;
}

static void with_ever_more_memory_all_is_copied(bool (*what)(void))
{
    whole = 0;
    assert_true(what());
    whole = swallowed;
    with_ever_more_memory(what);
}

static void reading_text(void **state) { with_ever_more_memory_all_is_copied(copy_text); }
static void reading_bytes(void **state) { with_ever_more_memory_all_is_copied(copy_bytes); }
static void reading_text_of_v1(void **state) { with_ever_more_memory_all_is_copied(copy_v1_text); }
static void reading_bytes_of_v1(void **state) { with_ever_more_memory_all_is_copied(copy_v1_bytes); }
static void showing_an_event(void **state) { with_ever_more_memory(show); }
static void building(void **state) { with_ever_more_memory(build); }
static void taking_a_golden_test(void **state) { with_ever_more_memory(take_golden); }
static void taking_one_of_v1(void **state) { with_ever_more_memory(take_golden_of_v1); }

int main(void)
{
    allowance = ULONG_MAX;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading_text),     cmocka_unit_test(reading_bytes),        cmocka_unit_test(showing_an_event),
        cmocka_unit_test(building),         cmocka_unit_test(taking_a_golden_test), cmocka_unit_test(taking_one_of_v1),
        cmocka_unit_test(reading_text_of_v1), cmocka_unit_test(reading_bytes_of_v1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
