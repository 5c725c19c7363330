/* Times of the trace are those of the recording, for every reader, however many events there are. */
#include "tests/unit/unit.h"

#include <stdlib.h>

#include <gotrace/builder.h>
#include <gotrace/reader.h>

#include "cmd/finish/trace_time.h"
#include "lib/wire/cursor.h"
#include "tests/unit/random.h"

static const uint64_t recording_hz[] = {15625000, 31250000, 40564596, 46875000, 62500001, 390625, 24000000, 1000000000};
enum { FREQUENCIES = sizeof recording_hz / sizeof recording_hz[0], NS = 1000000000 };

static void a_second_is_a_whole_number_of_whole_ticks(void **state)
{
    (void)state;
    for (size_t i = 0; i < FREQUENCIES; i++) {
        struct trace_time t;
        trace_time_init(&t, recording_hz[i]);
        uint64_t ns = NS / t.hz;
        assert_int_equal(ns * t.hz, NS);
        assert_true(t.hz >= recording_hz[i]);
        assert_true(t.hz <= 2 * recording_hz[i]);
    }
}

static void what_was_at_two_times_still_is(void **state)
{
    struct random random = random_seed(1);
    (void)state;
    for (size_t i = 0; i < FREQUENCIES; i++) {
        struct trace_time t;
        trace_time_init(&t, recording_hz[i]);
        for (int k = 0; k < 100000; k++) {
            uint64_t ticks = (uint64_t)random_below(&random, INT32_MAX) << random_below(&random, 20);
            assert_true(trace_time_of(&t, ticks + 1) > trace_time_of(&t, ticks));
        }
    }
}

static void a_week_is_told_to_the_microsecond(void **state)
{
    (void)state;
    for (size_t i = 0; i < FREQUENCIES; i++) {
        struct trace_time t;
        trace_time_init(&t, recording_hz[i]);
        uint64_t week = 7 * 86400, told = trace_time_of(&t, week * recording_hz[i]);
        assert_true(told <= week * t.hz && week * t.hz - told < t.hz / 1000000 + 2);
    }
}

static void without_a_counter_nothing_changes(void **state)
{
    struct trace_time t;
    (void)state;
    trace_time_init(&t, NS);
    assert_int_equal(t.hz, NS);
    assert_int_equal(trace_time_of(&t, UINT64_MAX), UINT64_MAX);
}

/* --- as a reader sees it ------------------------------------------------------------------------------------------ */

enum { EVENTS = 2000, BASE = 12345 };

struct batch {
    uint8_t data[SPOOL_CHUNK_SIZE];
    uint64_t time[EVENTS + 2];
    struct spool_batch b;
};

static void put(struct batch *batch, enum event_id id, uint64_t dt, int n, const uint64_t *args)
{
    uint8_t *p = batch->data + batch->b.size;
    batch->b.size += (size_t)(event_put(p, (uint8_t)id, dt, args, (unsigned)n) - p);
}

static struct batch *system_calls(void)
{
    struct batch *batch = calloc(1, sizeof *batch);
    struct random random = random_seed(2);
    uint64_t time = BASE;
    batch->b = (struct spool_batch){.generation = 1, .m = 7, .time = BASE, .data = batch->data};
    put(batch, EV_ProcStatus, 0, 2, (const uint64_t[]){0, PROC_RUNNING});
    put(batch, EV_GoStatus, 0, 3, (const uint64_t[]){1, 7, GO_RUNNING});
    for (uint64_t i = 0; i < EVENTS; i++) {
        uint64_t dt = random_below(&random, 200);
        batch->time[i] = time += dt;
        if (i % 2)
            put(batch, EV_GoSyscallEnd, dt, 0, NULL);
        else
            put(batch, EV_GoSyscallBegin, dt, 2, (const uint64_t[]){i / 2 + 1, 0});
    }
    return batch;
}

static struct gotrace_builder *build(const struct batch *batch, const struct trace_time *t)
{
    uint8_t buf[BATCH_HEADER_MAX + TRACE_TIME_BATCH_MAX], events[TRACE_TIME_BATCH_MAX];
    uint8_t *end = trace_time_copy(t, events, &batch->b);
    assert_non_null(end);
    size_t size = (size_t)(end - events);
    uint8_t *p = batch_header_put(buf, &(struct batch_header){EV_EventBatch, 0, 1, 7, trace_time_of(t, BASE), size});
    memcpy(p, events, size);
    struct gotrace_builder *b = gotrace_builder_new_memory(22);
    assert_int_equal(gotrace_builder_generation(b, 1), 0);
    assert_int_equal(gotrace_builder_sync(b, t->hz, 0, 0, 0, 0), 0);
    assert_int_equal(gotrace_builder_copy(b, buf, (size_t)(p - buf) + size, INT32_MAX), 0);
    assert_int_equal(gotrace_builder_finish(b), 0);
    return b;
}

static void check_times(const struct batch *batch, uint64_t hz)
{
    struct trace_time t;
    size_t size, n = 0;
    trace_time_init(&t, hz);
    struct gotrace_builder *b = build(batch, &t);
    const void *bytes = gotrace_builder_bytes(b, &size);
    struct gotrace_reader *r = gotrace_reader_open_memory(bytes, size);
    const struct gotrace_event *ev;
    int64_t last = 0;
    while ((ev = gotrace_reader_next(r))) {
        struct gotrace_transition tr;
        int64_t time = gotrace_event_time(ev);
        if (!gotrace_event_transition(ev, &tr) ||
            (tr.from == GOTRACE_STATE_SYSCALL) == (tr.to == GOTRACE_STATE_SYSCALL))
            continue;
        int64_t ns = (int64_t)((double)batch->time[n++] * 1e9 / (double)hz), tick = (int64_t)(NS / t.hz);
        if (time != last + 1) /* else two of one time, which readers set apart */
            assert_in_range(ns - time, 0, tick);
        last = time;
    }
    assert_null(gotrace_reader_error(r));
    assert_int_equal(n, EVENTS);
    gotrace_reader_free(r);
    gotrace_builder_free(b);
}

static void no_reader_loses_time_from_event_to_event(void **state)
{
    struct batch *batch = system_calls();
    (void)state;
    for (size_t i = 0; i < FREQUENCIES; i++)
        check_times(batch, recording_hz[i]);
    free(batch);
}

static void arguments_are_copied(void **state)
{
    const uint64_t args[] = {UINT64_MAX, 0, 300};
    uint8_t out[TRACE_TIME_BATCH_MAX];
    struct trace_time t;
    struct batch *batch = calloc(1, sizeof *batch), *wanted = calloc(1, sizeof *wanted);
    (void)state;
    trace_time_init(&t, NS / 2);
    batch->b = (struct spool_batch){.data = batch->data};
    put(batch, EV_GoUnblock, 100, 3, args);
    put(batch, EV_ProcStop, UINT32_MAX, 0, NULL);
    put(wanted, EV_GoUnblock, 100, 3, args);
    put(wanted, EV_ProcStop, UINT32_MAX, 0, NULL);
    uint8_t *end = trace_time_copy(&t, out, &batch->b);
    assert_int_equal(end - out, wanted->b.size);
    assert_memory_equal(out, wanted->data, wanted->b.size);
    free(batch);
    free(wanted);
}

static void damage_is_refused(void **state)
{
    uint8_t out[TRACE_TIME_BATCH_MAX];
    struct trace_time t;
    struct batch *batch = system_calls();
    size_t refused = 0;
    (void)state;
    trace_time_init(&t, recording_hz[2]);
    batch->b.size = 100;
    for (batch->b.size = 99; batch->b.size; batch->b.size--) /* cut off in the middle of an event, mostly */
        refused += !trace_time_copy(&t, out, &batch->b);
    assert_in_range(refused, 40, 90);
    batch->b.size = 100;
    batch->data[0] = EV_EventBatch;
    assert_null(trace_time_copy(&t, out, &batch->b));
    free(batch);
    static uint8_t large[SPOOL_CHUNK_SIZE + 2]; /* than any that a thread writes */
    for (size_t i = 0; i < sizeof large; i += 2) {
        large[i] = EV_ProcStop;
        large[i + 1] = 1;
    }
    struct spool_batch b = {.data = large, .size = sizeof large};
    assert_null(trace_time_copy(&t, out, &b));
    b.size -= 2;
    assert_non_null(trace_time_copy(&t, out, &b));
}

static void the_worst_batch_fits(void **state)
{
    uint8_t out[TRACE_TIME_BATCH_MAX];
    struct trace_time t;
    struct batch *batch = calloc(1, sizeof *batch);
    (void)state;
    trace_time_init(&t, NS - 1);
    batch->b = (struct spool_batch){.time = UINT64_MAX, .data = batch->data};
    while (batch->b.size < SPOOL_CHUNK_SIZE) /* each distance goes round once, as only damage makes it */
        put(batch, EV_ProcStop, 127, 0, NULL);
    uint8_t *end = trace_time_copy(&t, out, &batch->b);
    assert_true(end > out && end <= out + sizeof out);
    free(batch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_is_a_whole_number_of_whole_ticks),
        cmocka_unit_test(what_was_at_two_times_still_is),
        cmocka_unit_test(a_week_is_told_to_the_microsecond),
        cmocka_unit_test(without_a_counter_nothing_changes),
        cmocka_unit_test(no_reader_loses_time_from_event_to_event),
        cmocka_unit_test(arguments_are_copied),
        cmocka_unit_test(damage_is_refused),
        cmocka_unit_test(the_worst_batch_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
