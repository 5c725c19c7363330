/* A trace does not get memory without bounds, and is read up to where it is cut off. */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <sys/resource.h>

#include "gotrace/gotrace.h"
#include "lib/wire/events.h"
#include "lib/wire/varint.h"
#include "tests/parser/batches.h"

/* Bytes made as they are read: a header, a part that repeats with a counting number, and an end. */
struct stream {
    uint8_t buf[256];
    size_t at, n;
    uint64_t i, count;
    int stage;
    int version;
    size_t (*part)(uint8_t *p, uint64_t i);
    size_t (*end)(uint8_t *p);
};

static size_t frequency(uint8_t *p)
{
    static const uint8_t data[] = {EV_Frequency, 100};
    return (size_t)(put_batch(p, 1, ID_NONE, data, sizeof data) - p);
}

static ssize_t read_stream(void *arg, void *buf, size_t size)
{
    struct stream *s = arg;
    if (s->at == s->n) {
        s->at = s->n = 0;
        if (s->stage == 0) {
            memcpy(s->buf, "go 1.22 trace\0\0", s->n = TRACE_HEADER_SIZE);
            s->stage++;
        } else if (s->stage == 1 && s->i < s->count) {
            s->n = s->part(s->buf, s->i++);
        } else if (s->stage < 3) {
            s->n = s->end ? s->end(s->buf) : 0;
            s->stage = 3;
        }
    }
    size_t n = s->n - s->at < size ? s->n - s->at : size;
    memcpy(buf, s->buf + s->at, n);
    s->at += n;
    return (ssize_t)n;
}

static long peak_kib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* Reads it all; returns how many events there were. */
static uint64_t read_all(struct stream *s, const char *error, long *kib)
{
    long before = peak_kib();
    uint64_t n = 0;
    struct gotrace_reader *r = gotrace_reader_open_callback(read_stream, s);
    while (gotrace_reader_next(r))
        n++;
    const struct gotrace_error *e = gotrace_reader_error(r);
    if (error) {
        assert_non_null(e);
        assert_non_null(strstr(e->message, error));
        assert_int_equal(e->offset, TRACE_HEADER_SIZE);
    } else {
        assert_null(e);
    }
    gotrace_reader_free(r);
    *kib = peak_kib() - before;
    return n;
}

static size_t string_batch(uint8_t *p, uint64_t i)
{
    uint8_t data[32], *d = data;
    *d++ = EV_Strings;
    *d++ = EV_String;
    d = varint_put(d, i + 1);
    *d++ = 1;
    *d++ = 'x';
    return (size_t)(put_batch(p, 1, ID_NONE, data, (size_t)(d - data)) - p);
}

static size_t sparse_string_batch(uint8_t *p, uint64_t i)
{
    uint8_t data[32], *d = data;
    *d++ = EV_Strings;
    *d++ = EV_String;
    d = varint_put(d, UINT64_MAX - (i << 30));
    *d++ = 0;
    return (size_t)(put_batch(p, 1, ID_NONE, data, (size_t)(d - data)) - p);
}

static size_t thread_batch(uint8_t *p, uint64_t i)
{
    uint8_t data[32], *d = data;
    *d++ = EV_ProcStatus;
    *d++ = 1;
    d = varint_put(d, i);
    *d++ = PROC_IDLE;
    return (size_t)(put_batch(p, 1, i << 20, data, (size_t)(d - data)) - p);
}

static size_t goroutine_batch(uint8_t *p, uint64_t i)
{
    uint8_t data[64], *d = data;
    *d++ = EV_GoStatus;
    *d++ = 1;
    d = varint_put(d, i * UINT64_C(0x9e3779b97f4a7c15));
    d = varint_put(d, ID_NONE);
    *d++ = GO_WAITING;
    return (size_t)(put_batch(p, 1, 7, data, (size_t)(d - data)) - p);
}

static size_t empty_batch(uint8_t *p, uint64_t i)
{
    return (size_t)(put_batch(p, 1, i, (const uint8_t *)"", 0) - p);
}

static size_t garbage(uint8_t *p, uint64_t i)
{
    memset(p, 'A' + (int)(i % 7), 200);
    return 200;
}

static void a_million_strings(void **state)
{
    long kib;
    struct stream s = {.count = 1000000, .part = string_batch, .end = frequency};
    assert_int_equal(read_all(&s, NULL, &kib), 2);
    assert_in_range(kib, 0, 300 << 10);
    s = (struct stream){.count = 1000000, .part = sparse_string_batch, .end = frequency};
    assert_int_equal(read_all(&s, NULL, &kib), 2);
    assert_in_range(kib, 0, 300 << 10);
}

static void a_million_threads_and_procs(void **state)
{
    long kib;
    struct stream s = {.count = 1000000, .part = thread_batch, .end = frequency};
    assert_int_equal(read_all(&s, NULL, &kib), 1000002);
    assert_in_range(kib, 0, 900 << 10);
    s = (struct stream){.count = 1000000, .part = empty_batch, .end = frequency};
    assert_int_equal(read_all(&s, NULL, &kib), 2);
}

static void a_million_goroutines_with_any_ids(void **state)
{
    long kib;
    struct stream s = {.count = 1000000, .part = goroutine_batch, .end = frequency};
    assert_int_equal(read_all(&s, NULL, &kib), 1000002);
    assert_in_range(kib, 0, 600 << 10);
}

/* A gigabyte of it is not even read. */
static void garbage_ends_at_once(void **state)
{
    long kib;
    struct stream s = {.count = UINT64_MAX, .part = garbage};
    assert_int_equal(read_all(&s, "expected a batch", &kib), 1);
    assert_in_range(kib, 0, 16 << 10);
    assert_in_range(s.i, 1, 10000);
}

/* Generations that all have the same go through the same memory. */
static size_t generation_part(uint8_t *p, uint64_t i)
{
    static const uint8_t status[] = {EV_ProcStatus, 1, 0, PROC_IDLE};
    static const uint8_t freq[] = {EV_Frequency, 100};
    uint8_t *end = put_batch(p, i + 1, 3, status, sizeof status);
    return (size_t)(put_batch(end, i + 1, ID_NONE, freq, sizeof freq) - p);
}

static void memory_does_not_grow_with_the_trace(void **state)
{
    long kib;
    struct stream s = {.count = 1000, .part = generation_part};
    assert_int_equal(read_all(&s, NULL, &kib), 2001);
    s = (struct stream){.count = 200000, .part = generation_part};
    assert_int_equal(read_all(&s, NULL, &kib), 400001);
    assert_in_range(kib, 0, 16 << 10);
}

/* Of a trace that is cut off anywhere in generation n, the events of all generations before it are read. */
static void what_was_whole_is_read_before_the_cut(void **state)
{
    uint8_t trace[1024] = "go 1.22 trace";
    size_t ends[6] = {TRACE_HEADER_SIZE};
    for (uint64_t i = 0; i < 5; i++)
        ends[i + 1] = ends[i] + generation_part(trace + ends[i], i);
    for (size_t size = TRACE_HEADER_SIZE; size <= ends[5]; size++) {
        unsigned whole = 0, events = 0;
        while (whole < 5 && ends[whole + 1] <= size)
            whole++;
        struct gotrace_reader *r = gotrace_reader_open_memory(trace, size);
        const struct gotrace_event *ev;
        while ((ev = gotrace_reader_next(r)))
            events += gotrace_event_kind(ev) == GOTRACE_KIND_TRANSITION;
        assert_int_equal(events, whole);
        bool clean = size == ends[whole] && whole;
        assert_int_equal(gotrace_reader_error(r) == NULL, clean);
        gotrace_reader_free(r);
    }
}

static void what_is_at_the_limits_is_read(void **state)
{
    static char text[STRING_MAX_SIZE];
    static struct gotrace_raw_frame frames[STACK_MAX_FRAMES];
    size_t size;
    struct gotrace_builder *b = gotrace_builder_new_memory(22);
    gotrace_builder_generation(b, 1);
    assert_int_equal(gotrace_builder_string(b, text, sizeof text), 1);
    assert_int_equal(gotrace_builder_stack_of_ids(b, frames, STACK_MAX_FRAMES), 1);
    assert_int_equal(gotrace_builder_finish(b), 0);
    const void *bytes = gotrace_builder_bytes(b, &size);
    struct gotrace_reader *r = gotrace_reader_open_memory(bytes, size);
    while (gotrace_reader_next(r))
        continue;
    assert_null(gotrace_reader_error(r));
    gotrace_reader_free(r);
    gotrace_builder_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_does_not_grow_with_the_trace),
        cmocka_unit_test(garbage_ends_at_once),
        cmocka_unit_test(a_million_strings),
        cmocka_unit_test(a_million_threads_and_procs),
        cmocka_unit_test(a_million_goroutines_with_any_ids),
        cmocka_unit_test(what_is_at_the_limits_is_read),
        cmocka_unit_test(what_was_whole_is_read_before_the_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
