/* Writing v1: the limits of its records, and what happens when there is no memory, or no room for the output. */
#include <errno.h>
#include <stdlib.h>

#include "parser/as_v1/steps.h"
#include "parser/v1/wire.h"
#include "tests/parser/allowance.h"
#include "tests/v1/made.h"

/* Where traces go: to m, as long as there is room. */
struct sink {
    struct made m;
    size_t room, writes;
};

static bool take(void *arg, const void *data, size_t size)
{
    struct sink *s = arg;
    unsigned long before = allowance;
    s->writes++;
    if (size > s->room)
        return false;
    s->room -= size;
    allowance = ULONG_MAX;
    made_bytes(&s->m, data, size);
    allowance = before;
    return true;
}

/* Of everything that takes memory some, with ids that no array holds. */
static struct made varied(void)
{
    const uint64_t far = UINT64_C(1) << 40;
    struct made m = made(21);
    for (unsigned i = 1; i < 20; i++) {
        made_string(&m, far + i, "string");
        made_string(&m, far + 100 + i, i % 2 ? "odd" : "even");
        RECORD(&m, Stack, far + i, 1, i, far + i, far + 100 + i, 4);
        PROC(&m, i, 100 + i);
        RECORD(&m, GoCreate, 0, far + i, 0, 0);
        if (i > 15) {
            RECORD(&m, GoWaiting, 0, far + i);
            continue;
        }
        RECORD(&m, ProcStart, 0, i);
        RECORD(&m, GoStart, 0, far + i, 1);
        RECORD(&m, Gomaxprocs, 0, 20, 0);
        RECORD(&m, UserTaskCreate, 0, far + i, 0, 0, far + i);
        RECORD(&m, UserRegion, 0, far + i, 0, 0, far + i);
        made_log(&m, 0, far + i, 0, far + i, "message");
        RECORD(&m, GoSysCall, 0, far + i);
        RECORD(&m, GoSysBlock, 0);
        RECORD(&m, GoSysExit, 0, far + i, 2, 100 + i);
        RECORD(&m, CPUSample, 0, 100, 0, far, far + i);
    }
    return m;
}

static bool convert(const struct made *m, unsigned nn, struct sink *s, struct failure *f)
{
    struct as_v1_losses losses;
    unsigned long before = allowance;
    allowance = ULONG_MAX;
    struct gotrace_reader *r = gotrace_reader_open_memory(m->b.at, m->b.size);
    allowance = before;
    *f = (struct failure){0};
    bool done = as_v1_convert(r, nn, take, s, &losses, f);
    allowance = ULONG_MAX;
    gotrace_reader_free(r);
    return done;
}

static void memory_that_runs_out_is_said(void **state)
{
    static const unsigned versions[] = {5, 21};
    for (size_t v = 0; v < ARRAY_SIZE(versions); v++) {
        struct made m = varied();
        struct failure f;
        unsigned long n = 0;
        for (;; n++) {
            struct sink s = {.room = SIZE_MAX};
            allowance = n;
            bool done = convert(&m, versions[v], &s, &f);
            raw_buffer_free(&s.m.b);
            if (done)
                break;
            assert_int_equal(f.error.status, GOTRACE_ENOMEM);
        }
        assert_true(n > 50);
        raw_buffer_free(&m.b);
    }
}

static void a_write_that_fails_ends_it(void **state)
{
    struct made m = varied();
    struct failure f;
    struct sink all = {.room = SIZE_MAX};
    assert_true(convert(&m, 21, &all, &f));
    for (size_t room = 0; room < all.m.b.size; room++) {
        struct sink s = {.room = room};
        assert_false(convert(&m, 21, &s, &f));
        assert_int_equal(f.error.status, GOTRACE_OK);
        assert_true(s.writes <= all.writes);
        raw_buffer_free(&s.m.b);
    }
    raw_buffer_free(&all.m.b);
    raw_buffer_free(&m.b);
}

static struct v1_builder builder;
static struct sink sink;

static void begin(unsigned nn)
{
    sink = (struct sink){.room = SIZE_MAX};
    assert_true(v1_builder_begin(&builder, nn, take, &sink));
}

static void event(unsigned id, int32_t p, uint64_t ticks, uint64_t first)
{
    const struct v1_made ev = {.id = (uint8_t)id, .p = p, .ticks = ticks, .seq = ticks, .args = {first}};
    assert_true(v1_builder_event(&builder, &ev));
}

/* Ends the trace, and wants this to be read of it. */
static void written(const char *wanted)
{
    assert_true(v1_builder_end(&builder, 1000000000));
    v1_builder_free(&builder);
    gives(&sink.m, wanted);
}

static void batches_of_procs_interleave(void **state)
{
    for (unsigned nn = 5; nn <= 21; nn += 16) {
        begin(nn);
        event(V1_HeapAlloc, 0, 100, 1);
        event(V1_HeapAlloc, -1, 101, 2);
        event(V1_HeapAlloc, 0, 102, 300);
        event(V1_HeapAlloc, INT32_MAX - 1, 103, UINT64_MAX);
        written("0 HeapAlloc p0 g0 1\n1 HeapAlloc p-1 g0 2\n2 HeapAlloc p0 g0 300\n"
                "3 HeapAlloc p2147483646 g0 18446744073709551615\n");
    }
}

static void a_batch_is_as_long_as_go_has_it(void **state)
{
    enum { EVENTS = 100000 };
    begin(21);
    for (unsigned i = 0; i < EVENTS; i++)
        event(V1_HeapAlloc, 0, 1000 + i, UINT64_MAX);
    assert_true(sink.writes > 2); /* not all is kept to the end */
    assert_true(v1_builder_end(&builder, 1));
    v1_builder_free(&builder);
    struct v1_trace t;
    struct v1_error e;
    assert_true(v1_parse(&t, sink.m.b.at, sink.m.b.size, V1_AS_GO_1_21, &e));
    assert_int_equal(t.nevents, EVENTS);
    v1_free(&t);
    raw_buffer_free(&sink.m.b);
}

static void tables_are_behind_a_batch(void **state)
{
    char text[1000];
    memset(text, 'x', sizeof text);
    begin(21);
    for (unsigned i = 0; i < 200; i++) {
        memcpy(text, &i, sizeof i);
        assert_int_equal(v1_builder_string(&builder, text, sizeof text), i + 1);
    }
    assert_true(sink.writes > 1);
    assert_int_equal(sink.m.b.at[V1_HEADER_SIZE] & 63, V1_Batch);
    event(V1_GoCreate, 0, 5, 1);
    written("0 GoCreate p0 g0 1 0\n");
}

static void what_is_too_long_is_cut(void **state)
{
    static char text[V1_MAX_STRING + 1];
    static struct v1_frame frames[V1_MAX_FRAMES + 1];
    memset(text, 'x', sizeof text);
    for (size_t i = 0; i <= V1_MAX_FRAMES; i++)
        frames[i] = (struct v1_frame){.pc = UINT64_MAX, .line = i};
    begin(21);
    uint64_t id = v1_builder_string(&builder, text, sizeof text);
    assert_int_equal(v1_builder_string(&builder, text, V1_MAX_STRING), id);
    assert_int_equal(v1_builder_string(&builder, text, 0), 0);
    uint64_t stack = v1_builder_stack(&builder, frames, V1_MAX_FRAMES + 1);
    assert_int_equal(v1_builder_stack(&builder, frames, V1_MAX_FRAMES), stack);
    assert_int_equal(v1_builder_stack(&builder, frames, 0), 0);
    const struct v1_made ev = {.id = V1_UserLog, .p = 0, .ticks = 1, .message = {text, sizeof text}};
    assert_true(v1_builder_event(&builder, &ev));
    assert_true(v1_builder_end(&builder, 1000000000));
    v1_builder_free(&builder);
    struct v1_trace t;
    struct v1_error e;
    assert_true(v1_parse(&t, sink.m.b.at, sink.m.b.size, V1_AS_GO_1_21, &e));
    assert_int_equal(v1_message(&t, v1_next(&t)).size, V1_MAX_STRING);
    assert_int_equal(t.stacks[1].nframes, V1_MAX_FRAMES);
    v1_free(&t);
    raw_buffer_free(&sink.m.b);
}

/* What a timer or the network did by way of a goroutine is told from that goroutine, and how the other one waited. */
static void procs_that_are_none_stay(void **state)
{
    struct made m = made(21);
    struct failure f;
    PROC(&m, 0, 100);
    RECORD(&m, GoCreate, 0, 1, 0, 0);
    RECORD(&m, GoCreate, 1, 2, 0, 0);
    RECORD(&m, GoCreate, 1, 3, 0, 0);
    RECORD(&m, Gomaxprocs, 1, 1, 0);
    RECORD(&m, ProcStart, 1, 7);
    RECORD(&m, GoStart, 1, 2, 1);
    RECORD(&m, GoBlockNet, 1, 0);
    RECORD(&m, GoStart, 1, 3, 1);
    RECORD(&m, GoSleep, 1, 0);
    RECORD(&m, GoStart, 1, 1, 1);
    RECORD(&m, GoUnblock, 1, 2, 2, 0);
    RECORD(&m, GoUnblock, 1, 3, 2, 0);
    RECORD(&m, GoSysCall, 1, 0);
    RECORD(&m, GoSched, 1, 0);
    RECORD(&m, TimerGoroutine, 1);
    struct sink s = {.room = SIZE_MAX};
    assert_true(convert(&m, 21, &s, &f));
    raw_buffer_free(&m.b);
    gives_in(&s.m, V1_AS_GO_1_22,
             "0 GoCreate p1 g0 1 1\n2 GoCreate p1 g0 2 1\n4 GoCreate p1 g0 3 1\n6 ProcStart p0 g0 7\n"
             "32774 Gomaxprocs p1 g0 1\n32782 GoStart p0 g2 2 1 @1  :0\n32783 GoBlockNet p0 g2\n"
             "32784 GoStart p0 g3 3 1 @1  :0\n32785 GoSleep p0 g3\n32786 GoStart p0 g1 1 1 @1  :0\n"
             "32787 GoUnblock p1000002 g1 2 2\n32788 GoUnblock p1000001 g1 3 2\n32789 GoSysCall p0 g1\n"
             "32791 GoSched p0 g1\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_that_runs_out_is_said),     cmocka_unit_test(a_write_that_fails_ends_it),
        cmocka_unit_test(batches_of_procs_interleave),      cmocka_unit_test(a_batch_is_as_long_as_go_has_it),
        cmocka_unit_test(tables_are_behind_a_batch),        cmocka_unit_test(what_is_too_long_is_cut),
        cmocka_unit_test(procs_that_are_none_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
