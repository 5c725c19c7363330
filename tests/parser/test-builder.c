/* The builder: what it writes, read back raw, is what was asked for and within the format's limits. */
#include "tests/parser/raw-events.h"

#include "gotrace/builder.h"
#include "gotrace/reader.h"
#include "lib/wire/events.h"

#define NONE "18446744073709551615"

static char *finish_as_text(struct gotrace_builder *b)
{
    size_t size;
    assert_null(gotrace_builder_bytes(b, &size));
    assert_int_equal(gotrace_builder_finish(b), 0);
    assert_null(gotrace_builder_error(b));
    const void *bytes = gotrace_builder_bytes(b, &size);
    assert_non_null(bytes);
    struct converted c = convert(GOTRACE_RAW_BYTES, bytes, size, GOTRACE_RAW_TEXT);
    assert_string_equal(c.error, "");
    gotrace_builder_free(b);
    return (char *)c.at;
}

static void expect_trace(struct gotrace_builder *b, const char *want)
{
    char *text = finish_as_text(b);
    assert_string_equal(text, want);
    free(text);
}

#define EVENT(b, time, name, ...)                                                                                      \
    assert_int_equal(gotrace_builder_event(b, time, EV_##name, (uint64_t[]){0, ##__VA_ARGS__} + 1,                     \
                                           sizeof((uint64_t[]){0, ##__VA_ARGS__}) / sizeof(uint64_t) - 1),             \
                     0)

/* One generation with something of everything that 1.22 has. */
static void fill(struct gotrace_builder *b, uint64_t gen)
{
    assert_int_equal(gotrace_builder_generation(b, gen), 0);
    assert_int_equal(gotrace_builder_sync(b, 15625000, 10, 99, 1700000000, 5), 0);
    assert_int_equal(gotrace_builder_batch(b, 7, 20), 0);
    EVENT(b, 21, ProcStatus, 0, 1);
    EVENT(b, 21, GoStatus, 1, 7, 2);
    uint64_t reason = gotrace_builder_string(b, "sync", 4);
    const struct gotrace_builder_frame frames[] = {{1, "lock", "lock.c", 3}, {2, "main", NULL, 9}};
    uint64_t stack = gotrace_builder_stack(b, frames, 2);
    assert_int_equal(gotrace_builder_stack(b, frames, 2), stack);
    assert_int_equal(gotrace_builder_string(b, "sync", 4), reason);
    assert_int_equal(gotrace_builder_string(b, "", 0), 0);
    assert_int_equal(gotrace_builder_stack(b, frames, 0), 0);
    EVENT(b, 30, GoBlock, reason, stack);
    assert_int_equal(gotrace_builder_cpu_sample(b, 25, 7, GOTRACE_NONE, 0, stack), 0);
    assert_int_equal(gotrace_builder_batch(b, GOTRACE_NONE, 40), 0);
    EVENT(b, 45, GoStatus, 2, UINT64_MAX, 4);
}

#define BATCHES(gen)                                                                                                   \
    "EventBatch gen=" gen " m=7 time=20 size=13\n"                                                                     \
    "ProcStatus dt=1 p=0 pstatus=1\nGoStatus dt=0 g=1 m=7 gstatus=2\nGoBlock dt=9 reason_string=1 stack=1\n"           \
    "EventBatch gen=" gen " m=" NONE " time=40 size=14\nGoStatus dt=5 g=2 m=" NONE " gstatus=4\n"                      \
    "EventBatch gen=" gen " m=" NONE " time=45 size=16\nCPUSamples\nCPUSample time=25 m=7 p=" NONE " g=0 stack=1\n"
#define TABLES(gen)                                                                                                    \
    "EventBatch gen=" gen " m=" NONE " time=45 size=12\nStacks\nStack id=1 nframes=2\n"                                \
    "\tpc=1 func=2 file=3 line=3\n\tpc=2 func=4 file=0 line=9\n"                                                       \
    "EventBatch gen=" gen " m=" NONE " time=45 size=31\nStrings\nString id=1\n\tdata=\"sync\"\n"                       \
    "String id=2\n\tdata=\"lock\"\nString id=3\n\tdata=\"lock.c\"\nString id=4\n\tdata=\"main\"\n"

static void a_generation_is_complete(void **state)
{
    struct gotrace_builder *b = gotrace_builder_new_memory(22);
    fill(b, 3);
    expect_trace(b, "Trace Go1.22\n" BATCHES("3") "EventBatch gen=3 m=" NONE
                    " time=10 size=5\nFrequency freq=15625000\n" TABLES("3"));
}

static void tables_and_numbers_are_a_generations_own(void **state)
{
    struct gotrace_builder *b = gotrace_builder_new_memory(26);
    fill(b, 1);
    fill(b, 2);
#define SYNC(gen)                                                                                                      \
    "EventBatch gen=" gen " m=" NONE " time=10 size=15\nSync\nFrequency freq=15625000\n"                               \
    "ClockSnapshot dt=0 mono=99 sec=1700000000 nsec=5\n"
    expect_trace(b, "Trace Go1.26\n" BATCHES("1") SYNC("1") TABLES("1") "EndOfGeneration\n" BATCHES("2") SYNC("2")
                        TABLES("2") "EndOfGeneration\n");
}

static void an_empty_generation_is_complete_too(void **state)
{
    struct gotrace_builder *b = gotrace_builder_new_memory(25);
    assert_int_equal(gotrace_builder_generation(b, 9), 0);
    assert_int_equal(gotrace_builder_batch(b, 1, 77), 0);
    assert_int_equal(gotrace_builder_generation(b, 10), 0);
    expect_trace(b, "Trace Go1.25\n"
                    "EventBatch gen=9 m=" NONE " time=77 size=12\nSync\nFrequency freq=1000000000\n"
                    "ClockSnapshot dt=0 mono=0 sec=0 nsec=0\n"
                    "EventBatch gen=10 m=" NONE " time=0 size=12\nSync\nFrequency freq=1000000000\n"
                    "ClockSnapshot dt=0 mono=0 sec=0 nsec=0\n");
    expect_trace(gotrace_builder_new_memory(26), "Trace Go1.26\n");
}

static void ids_and_batches_may_be_the_callers(void **state)
{
    struct gotrace_builder *b = gotrace_builder_new_memory(22);
    const struct gotrace_raw_frame frame = {1, 5, 6, 7};
    static const char batch[] = "\x01\x04\x02\x03\x06\x09\x01\x00\x09\x0b\x00";
    gotrace_builder_generation(b, 4);
    assert_int_equal(gotrace_builder_string_as(b, 5, "five", 4), 0);
    assert_int_equal(gotrace_builder_stack_as(b, 8, &frame, 1), 0);
    assert_int_equal(gotrace_builder_string(b, "six", 3), 6);
    assert_int_equal(gotrace_builder_stack_of_ids(b, &frame, 1), 9);
    assert_int_equal(gotrace_builder_stack_of_ids(b, &frame, 0), 0);
    assert_int_equal(gotrace_builder_copy(b, batch, sizeof batch - 1, 50), 0);
    assert_int_equal(gotrace_builder_copy(b, "", 0, 0), 0);
    expect_trace(b, "Trace Go1.22\nEventBatch gen=4 m=2 time=3 size=6\nProcsChange dt=1 procs_value=0 stack=9\n"
                    "ProcStop dt=0\nEventBatch gen=4 m=" NONE " time=0 size=6\nFrequency freq=1000000000\n"
                    "EventBatch gen=4 m=" NONE " time=50 size=15\nStacks\n"
                    "Stack id=8 nframes=1\n\tpc=1 func=5 file=6 line=7\n"
                    "Stack id=9 nframes=1\n\tpc=1 func=5 file=6 line=7\n"
                    "EventBatch gen=4 m=" NONE " time=50 size=14\nStrings\n"
                    "String id=5\n\tdata=\"five\"\nString id=6\n\tdata=\"six\"\n");
}

static void experiments_are_raw_batches(void **state)
{
    struct gotrace_builder *b = gotrace_builder_new_memory(26);
    gotrace_builder_generation(b, 1);
    assert_int_equal(gotrace_builder_experimental(b, 1, 9, 5, "\0data", 5), 0);
    gotrace_builder_batch(b, 9, 6);
    EVENT(b, 6, HeapObjectFree, 4);
    expect_trace(b, "Trace Go1.26\nExperimentalBatch exp=1 gen=1 m=9 time=5\n\tdata=\"\\x00data\"\n"
                    "EventBatch gen=1 m=9 time=6 size=3\nHeapObjectFree dt=0 id=4\n"
                    "EventBatch gen=1 m=" NONE " time=5 size=12\nSync\nFrequency freq=1000000000\n"
                    "ClockSnapshot dt=0 mono=0 sec=0 nsec=0\nEndOfGeneration\n");
}

/* Up to the last one that Go's reader of traces and that of raw events take for the same. */
static void any_experiment_is_read_again(void **state)
{
    for (uint64_t experiment = 1; experiment <= 127; experiment += 63) {
        struct gotrace_builder *b = gotrace_builder_new_memory(23);
        struct gotrace_experimental_batch batch;
        size_t size;
        gotrace_builder_generation(b, 1);
        assert_int_equal(gotrace_builder_experimental(b, experiment, 9, 5, "data", 4), 0);
        assert_int_equal(gotrace_builder_finish(b), 0);
        const void *bytes = gotrace_builder_bytes(b, &size);
        struct gotrace_reader *r = gotrace_reader_open_memory(bytes, size);
        assert_true(gotrace_event_sync_batch(gotrace_reader_next(r), 0, &batch));
        assert_int_equal(batch.experiment_id, experiment);
        assert_int_equal(batch.thread, 9);
        assert_int_equal(batch.size, 4);
        gotrace_reader_free(r);
        gotrace_builder_free(b);
    }
}

/* Every way to use it wrongly, with what it says to that. */
static const uint64_t five[5];

static void misuse_is_refused_with_a_reason(void **state)
{
#define TRY(version, call, why)                                                                                        \
    do {                                                                                                               \
        struct gotrace_builder *b = gotrace_builder_new_memory(version);                                               \
        gotrace_builder_generation(b, 1);                                                                              \
        gotrace_builder_batch(b, 1, 10);                                                                               \
        assert_int_equal((int)(call), -1);                                                                             \
        assert_string_equal(gotrace_builder_error(b)->message, why);                                                   \
        assert_int_equal(gotrace_builder_error(b)->status, GOTRACE_EINVAL);                                            \
        assert_int_equal(gotrace_builder_batch(b, 1, 10), -1);                                                         \
        assert_int_equal(gotrace_builder_generation(b, 2), -1);                                                        \
        assert_int_equal(gotrace_builder_string(b, "x", 1), 0);                                                        \
        assert_int_equal(gotrace_builder_finish(b), -1);                                                               \
        assert_string_equal(gotrace_builder_error(b)->message, why);                                                   \
        gotrace_builder_free(b);                                                                                       \
    } while (0)
    TRY(22, gotrace_builder_generation(b, 1), "generation 1 cannot follow generation 1");
    TRY(22, gotrace_builder_generation(b, 3), "generation 3 cannot follow generation 1");
    TRY(22, gotrace_builder_sync(b, 0, 1, 0, 0, 0), "a frequency of 0");
    TRY(22, gotrace_builder_sync(b, 1, 1, 0, 0, 0) + gotrace_builder_sync(b, 1, 1, 0, 0, 0),
        "generation 1 is synced already");
    TRY(22, gotrace_builder_event(b, 9, EV_ProcStop, NULL, 0), "ProcStop at 9 comes after an event at 10");
    TRY(22, (gotrace_builder_event(b, 12, EV_ProcStop, NULL, 0), gotrace_builder_event(b, 11, EV_ProcStop, NULL, 0)),
        "ProcStop at 11 comes after an event at 12");
    TRY(22, gotrace_builder_event(b, 11, EV_ProcStop, five, 1), "ProcStop has 0 arguments besides dt, not 1");
    TRY(22, gotrace_builder_event(b, 11, EV_GoSwitch, five, 2), "45 is no timed event of a Go 1.22 trace");
    TRY(26, gotrace_builder_event(b, 11, EV_String, five, 1), "5 is no timed event of a Go 1.26 trace");
    TRY(26, gotrace_builder_event(b, 11, EV_ClockSnapshot, five, 3), "51 is no timed event of a Go 1.26 trace");
    TRY(26, gotrace_builder_event(b, 11, 256 + EV_ProcStop, five, 0), "267 is no timed event of a Go 1.26 trace");
    TRY(22, gotrace_builder_experimental(b, 1, 1, 1, "", 0), "a Go 1.22 trace has no experiments");
    TRY(23, gotrace_builder_experimental(b, 0, 1, 1, "", 0), "0 is no experiment");
    TRY(23, gotrace_builder_experimental(b, 128, 1, 1, "", 0), "128 is no experiment");
    TRY(23, gotrace_builder_experimental(b, 1, 1, 1, "", 65537), "65537 bytes do not fit a batch");
    TRY(22, gotrace_builder_string_as(b, 0, "x", 1), "id 0 is the empty string's");
    TRY(22, gotrace_builder_stack_as(b, 0, NULL, 0), "id 0 is the empty stack's");
    TRY(22, gotrace_builder_string_as(b, UINT64_MAX, "x", 1) + (int)gotrace_builder_string(b, "y", 1) - 1,
        "out of ids");
#undef TRY
}

static void nothing_goes_outside_a_generation_or_batch(void **state)
{
    struct gotrace_builder *b = gotrace_builder_new_memory(23);
    assert_int_equal(gotrace_builder_batch(b, 1, 1), -1);
    assert_string_equal(gotrace_builder_error(b)->message, "no generation has begun");
    assert_int_equal(gotrace_builder_event(b, 1, EV_ProcStop, NULL, 0), -1);
    assert_int_equal(gotrace_builder_sync(b, 1, 1, 1, 1, 1), -1);
    assert_int_equal(gotrace_builder_cpu_sample(b, 1, 1, 1, 1, 1), -1);
    assert_int_equal(gotrace_builder_experimental(b, 1, 1, 1, "", 0), -1);
    assert_int_equal(gotrace_builder_copy(b, "", 0, 1), -1);
    assert_int_equal(gotrace_builder_string_as(b, 1, "", 0), -1);
    assert_int_equal(gotrace_builder_stack_as(b, 1, NULL, 0), -1);
    assert_int_equal(gotrace_builder_stack(b, &(struct gotrace_builder_frame){0}, 1), 0);
    gotrace_builder_free(b);

    b = gotrace_builder_new_memory(22);
    assert_int_equal(gotrace_builder_generation(b, 0), -1);
    assert_string_equal(gotrace_builder_error(b)->message, "generation 0 cannot follow generation 0");
    gotrace_builder_free(b);

    b = gotrace_builder_new_memory(22);
    gotrace_builder_generation(b, 1);
    assert_int_equal(gotrace_builder_event(b, 1, EV_ProcStop, NULL, 0), -1);
    assert_string_equal(gotrace_builder_error(b)->message, "an event outside any batch");
    gotrace_builder_free(b);

    b = gotrace_builder_new_memory(22);
    assert_int_equal(gotrace_builder_finish(b), 0);
    assert_int_equal(gotrace_builder_generation(b, 1), -1);
    assert_string_equal(gotrace_builder_error(b)->message, "the trace is finished");
    gotrace_builder_free(b);
    gotrace_builder_free(NULL);

    assert_null(gotrace_builder_new_memory(24));
    assert_null(gotrace_builder_new_file(11, stdout));
}

static void a_file_gets_what_memory_gets(void **state)
{
    struct gotrace_builder *b = gotrace_builder_new_memory(26);
    fill(b, 1);
    assert_int_equal(gotrace_builder_finish(b), 0);
    size_t size, got;
    const void *bytes = gotrace_builder_bytes(b, &size);

    FILE *file = tmpfile();
    struct gotrace_builder *f = gotrace_builder_new_file(26, file);
    fill(f, 1);
    assert_int_equal(gotrace_builder_finish(f), 0);
    assert_null(gotrace_builder_bytes(f, &got));
    gotrace_builder_free(f);
    uint8_t back[1024];
    rewind(file);
    assert_int_equal(fread(back, 1, sizeof back, file), size);
    assert_memory_equal(back, bytes, size);
    fclose(file);
    gotrace_builder_free(b);
}

static int refuse(void *arg, const void *buf, size_t size)
{
    errno = ENOSPC;
    return -1;
}

static void a_failed_write_is_an_error(void **state)
{
    struct gotrace_builder *b = gotrace_builder_new_callback(22, refuse, NULL);
    gotrace_builder_generation(b, 1);
    int rc = 0;
    for (uint64_t i = 1; !rc && i < 1000000; i++) {
        char name[1024];
        memset(name, 'x', sizeof name);
        snprintf(name, 24, "%023llu", (unsigned long long)i);
        rc = gotrace_builder_string(b, name, sizeof name) ? 0 : -1;
    }
    assert_int_equal(rc, -1);
    assert_string_equal(gotrace_builder_error(b)->message, "cannot write: No space left on device");
    assert_int_equal(gotrace_builder_error(b)->status, GOTRACE_EWRITE);
    assert_int_equal(gotrace_builder_error(b)->sys_errno, ENOSPC);
    gotrace_builder_free(b);

    FILE *full = fopen("/dev/full", "w");
    b = gotrace_builder_new_file(22, full);
    assert_int_equal(gotrace_builder_finish(b), -1);
    assert_string_equal(gotrace_builder_error(b)->message, "cannot write: No space left on device");
    assert_int_equal(gotrace_builder_error(b)->status, GOTRACE_EWRITE);
    assert_int_equal(gotrace_builder_error(b)->sys_errno, ENOSPC);
    gotrace_builder_free(b);
    fclose(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_generation_is_complete),
        cmocka_unit_test(tables_and_numbers_are_a_generations_own),
        cmocka_unit_test(an_empty_generation_is_complete_too),
        cmocka_unit_test(ids_and_batches_may_be_the_callers),
        cmocka_unit_test(experiments_are_raw_batches),
        cmocka_unit_test(any_experiment_is_read_again),
        cmocka_unit_test(misuse_is_refused_with_a_reason),
        cmocka_unit_test(nothing_goes_outside_a_generation_or_batch),
        cmocka_unit_test(a_file_gets_what_memory_gets),
        cmocka_unit_test(a_failed_write_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
