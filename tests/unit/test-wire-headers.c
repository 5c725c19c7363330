/* The headers of a trace and of its batches: what is written is read again, and anything else is refused. */
#include "tests/unit/unit.h"

#include "lib/wire/batch_header.h"
#include "lib/wire/file_header.h"
#include "lib/wire/version.h"

/* ---- of a batch -------------------------------------------------------------------------------------------------- */

static const struct batch_header batches[] = {
    {EV_EventBatch, 0, 1, 2, 3, 4},
    {EV_EventBatch, 0, 300, UINT64_MAX, UINT64_C(1) << 40, BATCH_MAX_SIZE},
    {EV_ExperimentalBatch, 1, 1, 2, 3, 4},
    {EV_ExperimentalBatch, 255, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX},
    {0xf0, 0, 7, 8, 9, 10},
};

static void a_batch_header_comes_back(void **state)
{
    for (size_t i = 0; i < ARRAY_SIZE(batches); i++) {
        const struct batch_header *want = &batches[i];
        struct batch_header got;
        struct batch_header_fault fault;
        uint8_t buf[BATCH_HEADER_MAX + 1];
        uint8_t *end = batch_header_put(buf, want);
        assert_in_range(end - buf, 5, BATCH_HEADER_MAX);
        *end = 0x7f;
        assert_ptr_equal(batch_header_get(buf, end + 1, &got, &fault), end);
        assert_int_equal(got.id, want->id);
        assert_int_equal(got.experiment, want->experiment);
        assert_int_equal(got.generation, want->generation);
        assert_int_equal(got.thread, want->thread);
        assert_int_equal(got.time, want->time);
        assert_int_equal(got.size, want->size);
        for (const uint8_t *cut = buf; cut < end; cut++) {
            assert_null(batch_header_get(buf, cut, &got, &fault));
            assert_false(fault.too_large);
        }
    }
    uint8_t longest[BATCH_HEADER_MAX];
    assert_ptr_equal(batch_header_put(longest, &batches[3]), longest + BATCH_HEADER_MAX);
}

static void the_field_that_is_wrong_has_a_name(void **state)
{
    static const char *const fields[] = {"id", "generation", "thread", "timestamp", "size"};
    struct batch_header got;
    struct batch_header_fault fault;
    for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
        const uint8_t cut[5] = {EV_EventBatch, 1, 1, 1, 1};
        assert_null(batch_header_get(cut, cut + i, &got, &fault));
        assert_string_equal(fault.field, fields[i]);
        if (!i)
            continue;
        uint8_t large[5 + VARINT_MAX] = {EV_EventBatch, 1, 1, 1, 1};
        memset(large + i, 0xff, VARINT_MAX);
        assert_null(batch_header_get(large, large + sizeof large, &got, &fault));
        assert_string_equal(fault.field, fields[i]);
        assert_true(fault.too_large);
    }
    const uint8_t experiment[] = {EV_ExperimentalBatch};
    assert_null(batch_header_get(experiment, experiment + 1, &got, &fault));
    assert_string_equal(fault.field, "experiment");
}

/* ---- of the file ------------------------------------------------------------------------------------------------- */

/* The version, when the last of size bytes completes a header and none before it did more than belong to one; or -1. */
static int64_t taken(const char *bytes, size_t size)
{
    struct file_header h = {0};
    for (size_t i = 0; i < size; i++) {
        enum file_header_step step = file_header_take(&h, (uint8_t)bytes[i]);
        if (step != (i + 1 < size ? FILE_HEADER_MORE : FILE_HEADER_DONE))
            return -1;
    }
    return h.version;
}

#define TAKEN(text) taken(text "\0\0", sizeof(text "\0\0"))

static void the_usual_form_comes_back(void **state)
{
    for (unsigned version = 10; version < 100; version++) {
        uint8_t p[TRACE_HEADER_SIZE];
        file_header_put(p, version);
        assert_int_equal(file_header_get(p), version);
        assert_int_equal(taken((const char *)p, sizeof p), version);
        for (size_t i = 0; i < sizeof p; i++) {
            uint8_t changed[TRACE_HEADER_SIZE];
            memcpy(changed, p, sizeof p);
            changed[i] ^= 0x40;
            assert_int_equal(file_header_get(changed), -1);
            assert_int_equal(taken((const char *)changed, sizeof p), -1);
        }
    }
    uint8_t p[TRACE_HEADER_SIZE];
    file_header_put(p, 22);
    assert_memory_equal(p, "go 1.22 trace\0\0", sizeof p);
}

static void what_go_lets_pass_is_taken(void **state)
{
    assert_int_equal(TAKEN("go 1.5 trace"), 5);
    assert_int_equal(TAKEN("go  \t\r\v\f 1. \t022   trace"), 22);
    assert_int_equal(TAKEN("go\xc2\x85" "1.\u00a022\u1680trace"), 22);
    assert_int_equal(TAKEN("go\u20001.\u200a22\u2028trace"), 22);
    assert_int_equal(TAKEN("go\u2029\u202f1.\u205f22\u3000trace"), 22);
    assert_int_equal(TAKEN("go 1.4294967295 trace"), 4294967295);
}

static void what_go_does_not_is_none(void **state)
{
    assert_int_equal(TAKEN("go1.22 trace"), -1);
    assert_int_equal(TAKEN("go 1 .22 trace"), -1);
    assert_int_equal(TAKEN("go 1. trace"), -1);
    assert_int_equal(TAKEN("go 1.22trace"), -1);
    assert_int_equal(TAKEN("go 1.22\ntrace"), -1);
    assert_int_equal(TAKEN("go 1.22 trace "), -1);
    assert_int_equal(TAKEN("go 1.4294967296 trace"), -1);
    assert_int_equal(TAKEN("go\u200b1.22 trace"), -1); /* no blank */
    assert_int_equal(TAKEN("go\xe2\x80@" "1.22 trace"), -1); /* the last byte is of another character */
    assert_int_equal(TAKEN("go\x80" "1.22 trace"), -1);
    assert_int_equal(TAKEN("go\xc0\xa0" "1.22 trace"), -1); /* a blank in more bytes than it takes */
    assert_int_equal(TAKEN("go\xe0\x82\xa0" "1.22 trace"), -1);
    assert_int_equal(TAKEN("go\xf0\x90\x80\x80" "1.22 trace"), -1);
}

static void the_first_tracer_had_one_of_its_own(void **state)
{
    struct file_header h = {0};
    static const char header[] = "gotrace";
    for (size_t i = 0; i + 1 < sizeof header; i++)
        assert_int_equal(file_header_take(&h, (uint8_t)header[i]), FILE_HEADER_MORE);
    assert_int_equal(file_header_take(&h, 0), FILE_HEADER_DONE);
    assert_true(h.is_first);
    assert_int_equal(h.version, WIRE_FIRST_TRACER);
    assert_int_equal(taken("gotraces", 8), -1);
    assert_int_equal(taken("gotrac\0", 8), -1);
    assert_int_equal(taken("go trace", 9), -1);
    assert_int_equal(taken("go            trace", 20), -1); /* more blanks than a text has bytes */
    h = (struct file_header){0};
    for (const char *p = "go 1.4 trace\0\0"; p[0] || p[1]; p++)
        file_header_take(&h, (uint8_t)*p);
    assert_false(h.is_first);
}

/* More blanks than a counter holds are still blanks. */
static void blanks_do_not_run_out(void **state)
{
    struct file_header h = {0};
    static const char begin[] = "go", end[] = "1.26 trace\0\0";
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(file_header_take(&h, (uint8_t)begin[i]), FILE_HEADER_MORE);
    for (int i = 0; i < 256; i++)
        assert_int_equal(file_header_take(&h, ' '), FILE_HEADER_MORE);
    for (size_t i = 0; i + 1 < sizeof end; i++)
        assert_int_equal(file_header_take(&h, (uint8_t)end[i]), FILE_HEADER_MORE);
    assert_int_equal(file_header_take(&h, 0), FILE_HEADER_DONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_header_comes_back),
        cmocka_unit_test(the_field_that_is_wrong_has_a_name),
        cmocka_unit_test(the_usual_form_comes_back),
        cmocka_unit_test(what_go_lets_pass_is_taken),
        cmocka_unit_test(what_go_does_not_is_none),
        cmocka_unit_test(the_first_tracer_had_one_of_its_own),
        cmocka_unit_test(blanks_do_not_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
