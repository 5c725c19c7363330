/* A file, whose events are read when it is their turn, gives the same as its bytes in memory; also if it is cut off. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "gotrace/gotrace.h"
#include "lib/wire/events.h"
#include "lib/wire/varint.h"
#include "tests/parser/batches.h"
#include "tests/unit/unit.h"

static char path[] = "/tmp/test-reader-file.XXXXXX";

/* Whether reads by offset are interrupted, every other one, and bring half; the linker sends the library's here. */
static bool in_pieces;

ssize_t __real_pread(int fd, void *buf, size_t size, off_t offset);
ssize_t __wrap_pread(int fd, void *buf, size_t size, off_t offset);

ssize_t __wrap_pread(int fd, void *buf, size_t size, off_t offset)
{
    static unsigned calls;
    if (in_pieces && ++calls % 2) {
        errno = EINTR;
        return -1;
    }
    return __real_pread(fd, buf, in_pieces ? (size + 1) / 2 : size, offset);
}

static void add(struct gotrace_builder *b, uint64_t time, unsigned id, uint64_t a0, uint64_t a1, uint64_t a2,
                size_t nargs)
{
    assert_int_equal(gotrace_builder_event(b, time, id, (const uint64_t[]){a0, a1, a2}, nargs), 0);
}

/*
 * Generations of two threads with batches that are longer than what is read at once, with those that are longer than
 * what is read together, and with short ones.
 */
static struct gotrace_builder *make_trace(int version)
{
    enum { GENERATIONS = 3, LONG = 3000, MIDDLE = 500, SHORT = 3 };
    struct gotrace_builder *b = gotrace_builder_new_memory(version);
    uint64_t now = 1;
    for (uint64_t gen = 1; gen <= GENERATIONS; gen++) {
        gotrace_builder_generation(b, gen);
        for (uint64_t m = 1; m <= 2; m++) {
            gotrace_builder_batch(b, m, ++now);
            add(b, ++now, EV_ProcStatus, m, PROC_RUNNING, 0, 2);
            add(b, ++now, EV_GoStatus, m, m, GO_RUNNING, 3);
            uint64_t s = gotrace_builder_string(b, "label", 5);
            for (int i = 0; i < (m == 1 + gen % 2 ? LONG : SHORT); i++)
                add(b, ++now, i % 2 ? EV_HeapAlloc : EV_GoLabel, i % 2 ? 1000 : s, 0, 0, 1);
            gotrace_builder_batch(b, m, ++now);
            for (int i = 0; i < (m == 1 ? MIDDLE : 1); i++)
                add(b, ++now, EV_HeapAlloc, gen, 0, 0, 1);
        }
    }
    assert_int_equal(gotrace_builder_finish(b), 0);
    return b;
}

static void put_file(const void *data, size_t size)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

struct seen {
    uint64_t events, sum;
    enum gotrace_status status;
    char message[300];
};

static struct seen read_all(struct gotrace_reader *r)
{
    struct seen seen = {0};
    struct gotrace_label label;
    const struct gotrace_event *ev;
    for (; (ev = gotrace_reader_next(r)); seen.events++) {
        uint64_t said = gotrace_event_label(ev, &label) ? label.label.len : (uint64_t)gotrace_event_kind(ev);
        seen.sum = 31 * seen.sum + (gotrace_event_offset(ev) ^ (uint64_t)gotrace_event_time(ev) << 20 ^ said << 50);
    }
    const struct gotrace_error *e = gotrace_reader_error(r);
    if (e) {
        seen.status = e->status;
        snprintf(seen.message, sizeof seen.message, "%llu: %s", (unsigned long long)e->offset, e->message);
    }
    gotrace_reader_free(r);
    return seen;
}

static void same_wherever_it_ends(int version)
{
    struct gotrace_builder *b = make_trace(version);
    size_t size;
    const uint8_t *trace = gotrace_builder_bytes(b, &size);
    put_file(trace, size);
    struct seen whole = read_all(gotrace_reader_open_path(path));
    assert_int_equal(whole.status, GOTRACE_OK);
    assert_in_range(whole.events, 10000, 12000);
    const size_t step = getenv("THRACE_QUICK") ? 61 : 13;
    for (size_t n = size;; n = n > step ? n - step : 0) {
        assert_int_equal(truncate(path, (off_t)n), 0);
        struct seen file = read_all(gotrace_reader_open_path(path)),
                    memory = read_all(gotrace_reader_open_memory(trace, n));
        assert_int_equal(file.events, memory.events);
        assert_true(file.sum == memory.sum);
        assert_string_equal(file.message, memory.message);
        if (!n)
            break;
    }
    gotrace_builder_free(b);
}

static void a_file_without_ends_of_generations(void **state)
{
    same_wherever_it_ends(22);
}

static void a_file_with_ends_of_generations(void **state)
{
    same_wherever_it_ends(26);
}

static void a_file_in_pieces(void **state)
{
    struct gotrace_builder *b = make_trace(26);
    size_t size;
    const uint8_t *trace = gotrace_builder_bytes(b, &size);
    put_file(trace, size);
    in_pieces = true;
    struct seen file = read_all(gotrace_reader_open_path(path)),
                memory = read_all(gotrace_reader_open_memory(trace, size));
    in_pieces = false;
    assert_int_equal(file.status, GOTRACE_OK);
    assert_int_equal(file.events, memory.events);
    assert_true(file.sum == memory.sum);
    gotrace_builder_free(b);
}

static void a_file_that_shrinks(void **state)
{
    struct gotrace_builder *b = make_trace(26);
    size_t size;
    const uint8_t *trace = gotrace_builder_bytes(b, &size);
    put_file(trace, size);
    struct gotrace_reader *r = gotrace_reader_open_path(path);
    assert_non_null(gotrace_reader_next(r));
    assert_int_equal(truncate(path, 100), 0);
    struct seen seen = read_all(r);
    assert_int_equal(seen.status, GOTRACE_EREAD);
    assert_non_null(strstr(seen.message, "cannot read"));
    gotrace_builder_free(b);
}

/* What has a path and no bytes to go back to, such as a pipe that a shell names. */
static void a_pipe_with_a_path(void **state)
{
    enum { PART = 1000 };
    struct gotrace_builder *b = make_trace(26);
    size_t size;
    const uint8_t *trace = gotrace_builder_bytes(b, &size);
    int ends[2];
    char name[64];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], trace, PART), PART);
    close(ends[1]);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
    struct seen piped = read_all(gotrace_reader_open_path(name));
    struct seen memory = read_all(gotrace_reader_open_memory(trace, PART));
    close(ends[0]);
    assert_int_equal(piped.events, memory.events);
    assert_string_equal(piped.message, memory.message);
    gotrace_builder_free(b);
}

/* The frequency stands at its end. */
static uint8_t *put_generation(uint8_t *p, uint64_t generation, size_t size)
{
    enum { EVENT = 3 };
    static const uint8_t frequency[] = {EV_Frequency, 100};
    static const uint8_t begin[] = {EV_ProcStatus, 1, 0, PROC_RUNNING, EV_HeapAlloc, 1, 0x81, 0x80, 0};
    static uint8_t data[BATCH_MAX_SIZE];
    for (size_t i = 0; i < sizeof data / EVENT; i++)
        memcpy(data + i * EVENT, (uint8_t[]){EV_HeapAlloc, 1, 1}, EVENT);
    memcpy(data, begin, sizeof begin);
    for (size_t n; size; size -= n) {
        n = (size < sizeof data ? size : sizeof data) / EVENT * EVENT;
        p = put_batch(p, generation, 1, data, n);
        memcpy(data, data + sizeof begin, sizeof begin);
    }
    return put_batch(p, generation, ID_NONE, frequency, sizeof frequency);
}

struct bytes {
    const uint8_t *p, *end;
};

static ssize_t read_bytes(void *arg, void *buf, size_t size)
{
    struct bytes *b = arg;
    size_t n = (size_t)(b->end - b->p) < size ? (size_t)(b->end - b->p) : size;
    memcpy(buf, b->p, n);
    b->p += n;
    return (ssize_t)n;
}

/* The batch with which a generation begins is given back once it is read: wherever the pieces of the stream end. */
static void a_stream_whose_generation_begins_anywhere(void **state)
{
    enum { STEP = 30 << 10, MOST = 2200 << 10 };
    uint8_t *trace = malloc(MOST + 3 * BATCH_MAX_SIZE);
    memcpy(trace, "go 1.22 trace\0\0", TRACE_HEADER_SIZE);
    for (size_t first = STEP; first <= MOST; first += STEP) {
        uint8_t *end = put_generation(put_generation(trace + TRACE_HEADER_SIZE, 1, first), 2, BATCH_MAX_SIZE / 3 * 3);
        struct bytes bytes = {trace, end};
        struct seen stream = read_all(gotrace_reader_open_callback(read_bytes, &bytes)),
                    memory = read_all(gotrace_reader_open_memory(trace, (size_t)(end - trace)));
        assert_string_equal(stream.message, "");
        assert_true(stream.events > (first + BATCH_MAX_SIZE) / 3 - 100);
        assert_int_equal(stream.events, memory.events);
        assert_true(stream.sum == memory.sum);
    }
    free(trace);
}

static int first_free_descriptor(void)
{
    int fd = dup(STDERR_FILENO);
    close(fd);
    return fd;
}

static void a_file_is_closed_again(void **state)
{
    int before = first_free_descriptor();
    read_all(gotrace_reader_open_path(path));
    assert_int_equal(first_free_descriptor(), before);
}

static int make_path(void **state)
{
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_path(void **state)
{
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_without_ends_of_generations),
        cmocka_unit_test(a_file_with_ends_of_generations),
        cmocka_unit_test(a_file_in_pieces),
        cmocka_unit_test(a_file_that_shrinks),
        cmocka_unit_test(a_pipe_with_a_path),
        cmocka_unit_test(a_stream_whose_generation_begins_anywhere),
        cmocka_unit_test(a_file_is_closed_again),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
