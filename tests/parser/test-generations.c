/* Going over generations, reading from one of them on, and keeping events. */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <unistd.h>

#include "gotrace/gotrace.h"
#include "tests/unit/unit.h"

#define EVENT(b, time, id, ...)                                                                                        \
    assert_int_equal(gotrace_builder_event(b, time, GOTRACE_EV_##id, (const uint64_t[]){__VA_ARGS__},                  \
                                           sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)),                \
                     0)

enum { HEADER = 16, GENERATIONS = 4, COPIED = 100000 };

struct bytes {
    uint8_t *at;
    size_t size;
};

/* Events, one a line, up to the end of the trace; *copies, unless NULL, gets the same of copies, once it is over. */
static char *events(struct gotrace_reader *r, char **copies)
{
    char *text;
    size_t size, n = 0;
    FILE *out = open_memstream(&text, &size);
    struct gotrace_event **kept = NULL;
    for (const struct gotrace_event *ev; (ev = gotrace_reader_next(r));) {
        assert_int_equal(gotrace_event_print(ev, out), 0);
        if (!copies)
            continue;
        kept = realloc(kept, (n + 1) * sizeof *kept);
        kept[n] = gotrace_event_copy(ev);
        assert_non_null(kept[n]);
        assert_int_equal(gotrace_event_offset(kept[n]), gotrace_event_offset(ev));
        assert_int_equal(gotrace_event_generation(kept[n]), gotrace_event_generation(ev));
        n++;
    }
    fclose(out);
    if (!copies)
        return text;
    out = open_memstream(copies, &size);
    for (size_t i = 0; i < n; i++) {
        gotrace_event_print(kept[i], out);
        gotrace_event_free(kept[i]);
    }
    free(kept);
    fclose(out);
    return text;
}

/* Each generation of r: the same as a trace that begins with it, forth and back. Returns how many there are. */
static size_t each_as_a_trace_of_its_own(struct gotrace_reader *r, const uint8_t *trace, size_t size)
{
    struct gotrace_generation gens[64] = {{0}}, gen = {0};
    size_t n = 0;
    for (; gotrace_reader_next_generation(r, &gen) == 1; n++) {
        assert_true(n < ARRAY_SIZE(gens));
        assert_int_equal(gen.offset, n ? gens[n - 1].offset + gens[n - 1].size : HEADER);
        gens[n] = gen;
    }
    assert_int_equal(gens[n - 1].offset + gens[n - 1].size, size);
    for (size_t i = n; i-- > 0;) {
        uint8_t *part = malloc(size);
        memcpy(part, trace, HEADER);
        memcpy(part + HEADER, trace + gens[i].offset, size - gens[i].offset);
        struct gotrace_reader *alone = gotrace_reader_open_memory(part, size - gens[i].offset + HEADER);
        char *wanted = events(alone, NULL);
        assert_int_equal(gotrace_reader_seek(r, &gens[i]), 0);
        const struct gotrace_event *ev = gotrace_reader_next(r);
        assert_int_equal(gotrace_event_kind(ev), GOTRACE_KIND_SYNC);
        assert_int_equal(gotrace_event_generation(ev), gens[i].number);
        assert_int_equal(gotrace_event_time(ev), gens[i].time);
        assert_int_equal(gotrace_reader_seek(r, &gens[i]), 0);
        /* Not of each event of the largest: that takes its time. */
        char *copies = NULL, *got = events(r, size < COPIED ? &copies : NULL);
        assert_string_equal(got, wanted);
        if (copies)
            assert_string_equal(copies, wanted);
        assert_int_equal(!gotrace_reader_error(r), !gotrace_reader_error(alone));
        gotrace_reader_free(alone);
        free(part);
        free(wanted);
        free(got);
        free(copies);
    }
    return n;
}

static struct bytes made(int version)
{
    struct gotrace_builder *b = gotrace_builder_new_memory(version);
    uint64_t now = 1;
    for (uint64_t gen = 1; gen <= GENERATIONS; gen++) {
        char name[] = {'f', (char)('0' + gen), '\0'};
        struct gotrace_builder_frame frames[] = {{16, name, "file", 1}, {32, "root", "file", 2}};
        gotrace_builder_generation(b, gen);
        gotrace_builder_sync(b, 1000000000, now, 10 + gen, 20, 30);
        if (version > 22)
            gotrace_builder_experimental(b, 1, 5, now, name, 2);
        gotrace_builder_batch(b, 5, now);
        EVENT(b, ++now, ProcStatus, 0, GOTRACE_PROC_RUNNING);
        EVENT(b, ++now, GoStatus, 1, 5, GOTRACE_GO_RUNNING);
        EVENT(b, ++now, STWBegin, gotrace_builder_string(b, name, 2), 0);
        assert_int_equal(gotrace_builder_event(b, ++now, GOTRACE_EV_STWEnd, NULL, 0), 0);
        EVENT(b, ++now, UserTaskBegin, gen, 0, gotrace_builder_string(b, name, 2), 0);
        if (gen > 1)
            EVENT(b, ++now, UserTaskEnd, gen - 1, gotrace_builder_stack(b, frames, 2));
        EVENT(b, ++now, ProcsChange, gen, gotrace_builder_stack(b, frames, 2));
        gotrace_builder_cpu_sample(b, now, 5, 0, 1, gotrace_builder_stack(b, frames, 1));
    }
    assert_int_equal(gotrace_builder_finish(b), 0);
    struct bytes trace;
    const void *bytes = gotrace_builder_bytes(b, &trace.size);
    trace.at = malloc(trace.size);
    memcpy(trace.at, bytes, trace.size);
    gotrace_builder_free(b);
    return trace;
}

static void made_traces(void **state)
{
    const int versions[] = {22, 23, 25, 26};
    for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
        struct bytes trace = made(versions[i]);
        struct gotrace_reader *r = gotrace_reader_open_memory(trace.at, trace.size);
        assert_int_equal(each_as_a_trace_of_its_own(r, trace.at, trace.size), GENERATIONS);
        gotrace_reader_free(r);
        free(trace.at);
    }
}

static void real_traces(void **state)
{
    char pattern[4096];
    const char *shared = getenv("THRACE_SHARED"), *source = getenv("top_srcdir");
    snprintf(pattern, sizeof pattern, "%s%s/traces/go1.2[23]/*.trace", shared ? shared : source ? source : ".",
             shared ? "" : "/../shared");
    glob_t found;
    if (glob(pattern, 0, NULL, &found))
        SKIP("no shared traces");
    size_t n = 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        FILE *f = fopen(found.gl_pathv[i], "r");
        uint8_t *trace = malloc(2 << 20);
        size_t size = fread(trace, 1, 2 << 20, f);
        fclose(f);
        struct gotrace_reader *r = gotrace_reader_open_path(found.gl_pathv[i]);
        n += each_as_a_trace_of_its_own(r, trace, size);
        gotrace_reader_free(r);
        free(trace);
    }
    assert_true(n >= found.gl_pathc);
    globfree(&found);
}

static void going_over_them_leaves_the_reading_alone(void **state)
{
    struct bytes trace = made(26);
    struct gotrace_reader *r = gotrace_reader_open_memory(trace.at, trace.size);
    struct gotrace_reader *other = gotrace_reader_open_memory(trace.at, trace.size);
    struct gotrace_generation gen = {0};
    for (const struct gotrace_event *ev; (ev = gotrace_reader_next(r));) {
        if (gotrace_reader_next_generation(r, &gen) == 1) {
            assert_true(gen.has_clock);
            assert_int_equal(gen.clock.mono, 10 + gen.number);
        }
        assert_int_equal(gotrace_event_time(ev), gotrace_event_time(gotrace_reader_next(other)));
    }
    assert_int_equal(gen.number, GENERATIONS);
    assert_null(gotrace_reader_next(other));
    gotrace_reader_free(r);
    gotrace_reader_free(other);
    free(trace.at);
}

/* The last generation lacks its end: it is none, the others are, and after the error one may go back. */
static void a_trace_that_is_cut_off(void **state)
{
    const int versions[] = {22, 26};
    for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
        struct bytes trace = made(versions[i]);
        struct gotrace_reader *r = gotrace_reader_open_memory(trace.at, trace.size - 20);
        struct gotrace_generation gen = {0}, first;
        for (int n = 1; n < GENERATIONS; n++) {
            assert_int_equal(gotrace_reader_next_generation(r, &gen), 1);
            if (n == 1)
                first = gen;
        }
        struct gotrace_generation before = gen;
        assert_int_equal(gotrace_reader_next_generation(r, &gen), -1);
        assert_int_equal(errno, EBADMSG);
        assert_memory_equal(&gen, &before, sizeof gen);
        free(events(r, NULL));
        assert_non_null(gotrace_reader_error(r));
        assert_int_equal(gotrace_reader_seek(r, &first), 0);
        assert_null(gotrace_reader_error(r));
        assert_int_equal(gotrace_event_generation(gotrace_reader_next(r)), 1);
        gotrace_reader_free(r);
        free(trace.at);
    }
}

/* Before 1.26 no generation says that it is over: what breaks off or is broken behind it takes nothing from it. */
static void a_generation_before_what_is_broken(void **state)
{
    struct bytes trace = made(22);
    struct gotrace_reader *r = gotrace_reader_open_memory(trace.at, trace.size);
    struct gotrace_generation first = {0}, second;
    assert_int_equal(gotrace_reader_next_generation(r, &first), 1);
    second = first;
    assert_int_equal(gotrace_reader_next_generation(r, &second), 1);
    gotrace_reader_free(r);
    r = gotrace_reader_open_memory(trace.at, second.offset);
    char *wanted = events(r, NULL);
    assert_null(gotrace_reader_error(r));
    gotrace_reader_free(r);
    for (size_t n = 1; n <= 10; n++) {
        size_t size = second.offset + n;
        if (n == 10) {
            trace.at[second.offset] = GOTRACE_EV_Stacks;
            size = trace.size;
        }
        r = gotrace_reader_open_memory(trace.at, size);
        struct gotrace_generation gen = {0};
        assert_int_equal(gotrace_reader_next_generation(r, &gen), 1);
        assert_int_equal(gen.number, 1);
        assert_int_equal(gen.offset, first.offset);
        assert_int_equal(gen.size, first.size);
        assert_int_equal(gen.time, first.time);
        errno = 0;
        assert_int_equal(gotrace_reader_next_generation(r, &gen), -1);
        assert_int_equal(errno, EBADMSG);
        assert_int_equal(gen.number, 1);
        for (int again = 0; again < 2; again++) {
            char *got = events(r, NULL);
            assert_string_equal(got, wanted);
            assert_int_equal(gotrace_reader_error(r)->status, GOTRACE_EBROKEN);
            assert_int_equal(gotrace_reader_error(r)->offset, second.offset);
            assert_int_equal(gotrace_reader_seek(r, &gen), 0);
            free(got);
        }
        gotrace_reader_free(r);
    }
    free(wanted);
    free(trace.at);
}

static void what_cannot_be_read_again(void **state)
{
    struct bytes trace = made(22);
    FILE *f = tmpfile();
    fwrite(trace.at, 1, trace.size, f);
    rewind(f);
    struct gotrace_reader *r = gotrace_reader_open_fd(fileno(f));
    struct gotrace_generation gen = {0}, some = {.number = 1, .offset = HEADER, .size = 100};
    errno = 0;
    assert_int_equal(gotrace_reader_next_generation(r, &gen), -1);
    assert_int_equal(errno, ESPIPE);
    errno = 0;
    assert_int_equal(gotrace_reader_seek(r, &some), -1);
    assert_int_equal(errno, ESPIPE);
    assert_non_null(gotrace_reader_next(r));
    gotrace_reader_free(r);
    fclose(f);

    r = gotrace_reader_open_memory(trace.at, trace.size);
    some.offset = trace.size + 1;
    assert_int_equal(gotrace_reader_seek(r, &some), -1);
    assert_int_equal(errno, EINVAL);
    assert_int_equal(gotrace_reader_next_generation(r, &some), -1);
    assert_int_equal(errno, EINVAL);
    assert_int_equal(gotrace_reader_seek(r, &gen), -1);
    assert_int_equal(errno, EINVAL);
    some.offset = HEADER + 1; /* in the middle of something */
    assert_int_equal(gotrace_reader_seek(r, &some), 0);
    free(events(r, NULL));
    assert_int_equal(gotrace_reader_error(r)->status, GOTRACE_EBROKEN);
    gotrace_reader_free(r);

    r = gotrace_reader_open_memory("none", 4);
    assert_int_equal(gotrace_reader_next_generation(r, &gen), -1);
    assert_int_equal(errno, EINVAL);
    assert_int_equal(gotrace_reader_seek(r, &some), -1);
    assert_int_equal(errno, EINVAL);
    gotrace_reader_free(r);
    free(trace.at);
}

/* Handles of a copy are its own, and have their frames when the reader is gone. */
static void copies_outlive_the_reader(void **state)
{
    struct bytes trace = made(26);
    struct gotrace_reader *r = gotrace_reader_open_memory(trace.at, trace.size);
    const struct gotrace_event *ev;
    struct gotrace_event *sync = gotrace_event_copy(gotrace_reader_next(r));
    while (gotrace_event_kind(ev = gotrace_reader_next(r)) != GOTRACE_KIND_METRIC)
        ;
    struct gotrace_event *copy = gotrace_event_copy(ev), *again = gotrace_event_copy(copy);
    assert_false(gotrace_stack_equal(gotrace_event_stack(ev), gotrace_event_stack(copy)));
    assert_false(gotrace_stack_equal(gotrace_event_stack(again), gotrace_event_stack(copy)));
    gotrace_reader_free(r);
    memset(trace.at, 0, trace.size);
    free(trace.at);
    gotrace_event_free(copy);
    struct gotrace_frame frame;
    assert_int_equal(gotrace_stack_len(gotrace_event_stack(again)), 2);
    assert_true(gotrace_stack_frame(gotrace_event_stack(again), 1, &frame));
    assert_int_equal(frame.function.len, 4);
    assert_memory_equal(frame.function.data, "root", 4);
    gotrace_event_free(again);
    struct gotrace_experimental_batch batch;
    assert_true(gotrace_event_sync_batch(sync, 0, &batch));
    assert_int_equal(batch.size, 2);
    assert_memory_equal(batch.data, "f1", 2);
    gotrace_event_free(sync);
    gotrace_event_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_traces),
        cmocka_unit_test(real_traces),
        cmocka_unit_test(going_over_them_leaves_the_reading_alone),
        cmocka_unit_test(a_trace_that_is_cut_off),
        cmocka_unit_test(a_generation_before_what_is_broken),
        cmocka_unit_test(what_cannot_be_read_again),
        cmocka_unit_test(copies_outlive_the_reader),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
