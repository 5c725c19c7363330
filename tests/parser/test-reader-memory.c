/*
 * When memory runs out, at whichever allocation, the reader, the validator and the converter say so and lose nothing.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "gotrace/gotrace.h"
#include "lib/wire/events.h"
#include "parser/batch.h"
#include "parser/convert.h"
#include "parser/event_print.h"
#include "tests/parser/allowance.h"
#include "tests/v1/made.h" /* after the parser: cmocka has a macro named fail */

static char path[] = "/tmp/test-reader-memory.XXXXXX";
static const uint8_t *trace;
static size_t trace_size;

#define ADD(id, ...)                                                                                                   \
    gotrace_builder_event(b, ++now, EV_##id, (const uint64_t[]){__VA_ARGS__},                                          \
                          sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

/* Something that each kind of table keeps, much of it from one generation to the next. */
static struct gotrace_builder *make_trace(void)
{
    struct gotrace_builder *b = gotrace_builder_new_memory(23);
    uint64_t now = 1;
    const struct gotrace_builder_frame frame = {16, "function", "file", 1};
    for (uint64_t gen = 1; gen <= 2; gen++) {
        gotrace_builder_generation(b, gen);
        gotrace_builder_experimental(b, 1, 5, now, "data", 4);
        gotrace_builder_cpu_sample(b, now, 5, 0, 1, gotrace_builder_stack(b, &frame, 1));
        gotrace_builder_batch(b, 5, now);
        ADD(ProcStatus, 0, PROC_RUNNING);
        ADD(GoStatus, 1, 5, GO_RUNNING);
        ADD(GoStatus, UINT64_C(1) << 60, UINT64_C(1) << 50, GO_SYSCALL);
        if (gen == 1) {
            ADD(UserTaskBegin, 3, 0, gotrace_builder_string(b, "task", 4), 0);
            ADD(UserTaskBegin, UINT64_C(1) << 59, 0, gotrace_builder_string(b, "task", 4), 0);
            ADD(UserRegionBegin, 3, gotrace_builder_string(b, "region", 6), 0);
            ADD(GCMarkAssistBegin, 0);
            ADD(GCSweepBegin, 0);
            ADD(GCBegin, 1, 0);
            ADD(GoCreate, 2, 0, 0);
            ADD(GoCreateBlocked, 7, 0, 0);
            ADD(GoCreateBlocked, 8, 0, 0);
        } else {
            ADD(GoStatus, 2, ID_NONE, GO_RUNNABLE);
            ADD(GoStatus, 7, ID_NONE, GO_WAITING);
            ADD(GoStatus, 8, ID_NONE, GO_WAITING);
            ADD(UserRegionEnd, 3, gotrace_builder_string(b, "region", 6), 0);
            ADD(UserTaskEnd, 3, 0);
            gotrace_builder_event(b, ++now, EV_GCMarkAssistEnd, NULL, 0);
            ADD(GoSwitch, 7, 1);
            gotrace_builder_event(b, ++now, EV_GoDestroy, NULL, 0);
        }
    }
    assert_int_equal(gotrace_builder_finish(b), 0);
    trace = gotrace_builder_bytes(b, &trace_size);
    return b;
}

static ssize_t read_trace(void *arg, void *buf, size_t size)
{
    size_t *at = arg, n = trace_size - *at < size ? trace_size - *at : size;
    memcpy(buf, trace + *at, n);
    *at += n;
    return (ssize_t)n;
}

static bool read_it(void)
{
    size_t at = 0;
    struct gotrace_reader *r = gotrace_reader_open_callback(read_trace, &at);
    struct raw_buffer out = {0};
    struct stack_texts stacks = {0};
    const struct gotrace_event *ev;
    if (!r)
        return false;
    while ((ev = gotrace_reader_next(r)))
        event_print(&out, ev, &stacks);
    const struct gotrace_error *e = gotrace_reader_error(r);
    bool ok = !e && !out.failed;
    if (e)
        assert_int_equal(e->status, GOTRACE_ENOMEM);
    raw_buffer_free(&out);
    stack_texts_free(&stacks);
    gotrace_reader_free(r);
    return ok;
}

static bool read_the_file(void)
{
    struct gotrace_reader *r = gotrace_reader_open_path(path);
    uint64_t events = 0;
    while (r && gotrace_reader_next(r))
        events++;
    const struct gotrace_error *e = r ? gotrace_reader_error(r) : NULL;
    bool ok = r && !e;
    assert_int_equal(e ? e->status : GOTRACE_ENOMEM, GOTRACE_ENOMEM);
    assert_true(!ok || events > 20);
    gotrace_reader_free(r);
    return ok;
}

static bool validate_it(void)
{
    struct gotrace_reader *r = gotrace_reader_open_memory(trace, trace_size);
    struct gotrace_summary sum;
    bool ok = r && gotrace_reader_validate(r, NULL, NULL, &sum);
    if (ok)
        assert_int_equal(sum.violations, 0);
    gotrace_reader_free(r);
    return ok;
}

static bool take(void *arg, const void *data, size_t size)
{
    return true;
}

static bool convert_it(void)
{
    size_t at = 0;
    struct source s = {.read = read_trace, .arg = &at};
    struct failure f = {0};
    struct converted done;
    bool ok = read_any_header(&s, &f) && convert_trace(&s, wire_version(23), wire_version(22), take, NULL, &done, &f);
    assert_int_equal(f.error.status, ok ? GOTRACE_OK : GOTRACE_ENOMEM);
    source_free(&s);
    return ok;
}

/* Runs `what` until it returns success, with one allocation more each time. */
static void until_it_succeeds(bool (*what)(void))
{
    unsigned long n = 0;
    for (bool ok = false; !ok; n++) {
        assert_true(n < 1000);
        allowance = n;
        ok = what();
        allowance = ULONG_MAX;
    }
    assert_true(n > 3);
}

static void with_ever_more_memory(bool (*what)(void))
{
    struct gotrace_builder *b = make_trace();
    until_it_succeeds(what);
    gotrace_builder_free(b);
}

static void reading(void **state)
{
    with_ever_more_memory(read_it);
}

static void reading_a_file(void **state)
{
    struct gotrace_builder *b = make_trace();
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, trace, trace_size), trace_size);
    close(fd);
    gotrace_builder_free(b);
    with_ever_more_memory(read_the_file);
    unlink(path);
}

/* A trace of v1 that fills all that there is to fill. */
static struct made make_v1_trace(unsigned nn)
{
    struct made m = made(nn);
    if (nn < 7) { /* goroutines that start at PCs */
        RECORD(&m, Batch, 0, 1, 100);
        for (uint64_t g = 1; g < 4; g++)
            RECORD(&m, GoCreate, 1, 0, g, 0x40 + g, 0);
        RECORD(&m, Gomaxprocs, 1, 0, 2, 0);
        RECORD(&m, GoStart, 1, 1, 1);
        return m;
    }
    PROC(&m, 0, 100);
    made_string(&m, 1, "name");
    RECORD(&m, Stack, 1, 1, 0x50, 1, 1, 2);
    for (uint64_t g = 1; g < 60; g++)
        RECORD(&m, GoCreate, 0, g * g, 1, 0);
    RECORD(&m, ProcStart, 0, 7);
    RECORD(&m, GoStart, 0, 1, 1);
    RECORD(&m, Gomaxprocs, 10, 2, 0);
    for (uint64_t task = 1; task < 20; task++)
        RECORD(&m, UserTaskCreate, 1, task * task, 0, 1, 1);
    made_log(&m, 1, 1, 1, 1, "message");
    RECORD(&m, GoSysCall, 1, 1);
    RECORD(&m, CPUSample, 0, 105, 0, 1, 1);
    return m;
}

static void reading_v1(void **state)
{
    static const unsigned versions[] = {5, 19};
    for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
        struct made m = make_v1_trace(versions[i]);
        trace = m.b.at;
        trace_size = m.b.size;
        until_it_succeeds(read_it);
        raw_buffer_free(&m.b);
    }
}

static void validating(void **state)
{
    with_ever_more_memory(validate_it);
}

static void converting(void **state)
{
    with_ever_more_memory(convert_it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading),
        cmocka_unit_test(reading_a_file),
        cmocka_unit_test(reading_v1),
        cmocka_unit_test(validating),
        cmocka_unit_test(converting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
