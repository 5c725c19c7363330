/* Memory that reading a v1 trace takes: what bounds it, and what happens when there is none. */
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "parser/batch.h"
#include "parser/from_v1/from_v1.h"
#include "parser/v1/load.h"
#include "tests/v1/made.h"

/* Allocations that still succeed, and bytes that are in use; the linker sends the library's here. */
static unsigned long allowance = ULONG_MAX;
static size_t used, most;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_reallocarray(void *p, size_t n, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_reallocarray(void *p, size_t n, size_t size);
void __wrap_free(void *p);

static bool refused(void)
{
    if (allowance) {
        allowance--;
        return false;
    }
    errno = ENOMEM;
    return true;
}

static void *count(void *p)
{
    used += malloc_usable_size(p);
    if (used > most)
        most = used;
    return p;
}

void *__wrap_malloc(size_t size) { return refused() ? NULL : count(__real_malloc(size)); }
void *__wrap_calloc(size_t n, size_t size) { return refused() ? NULL : count(__real_calloc(n, size)); }

void *__wrap_realloc(void *p, size_t size)
{
    if (refused())
        return NULL;
    used -= malloc_usable_size(p);
    return count(__real_realloc(p, size));
}

void *__wrap_reallocarray(void *p, size_t n, size_t size)
{
    if (refused())
        return NULL;
    used -= malloc_usable_size(p);
    return count(__real_reallocarray(p, n, size));
}

void __wrap_free(void *p)
{
    used -= malloc_usable_size(p);
    __real_free(p);
}

/* Of everything that takes memory some, with ids that no array holds. */
static struct made varied(unsigned nn)
{
    const uint64_t far = UINT64_C(1) << 40;
    struct made m = made(nn);
    bool late = nn >= 19;
    if (nn < 7) {
        RECORD(&m, Batch, 0, 1, 100);
        RECORD(&m, GoCreate, 1, 0, far, 1, 0);
        RECORD(&m, GoStart, 1, 0, far);
        RECORD(&m, Stack, far, 1, 5);
        RECORD(&m, TimerGoroutine, far, 0);
        return m;
    }
    for (unsigned i = 1; i < 20; i++) {
        made_string(&m, far + i, "string");
        RECORD(&m, Stack, far + i, 1, 1, 2, 3, 4);
        PROC(&m, i, 100 + i);
        RECORD(&m, GoCreate, 0, far + i, 0, 0);
        RECORD(&m, GoStart, 0, far + i, 1);
        RECORD(&m, UserTaskCreate, 0, far + i, 0, 0, 0);
        RECORD(&m, UserRegion, 0, far + i, 0, 0, 0);
        RECORD(&m, FutileWakeup, 0);
        RECORD(&m, GoSysCall, 0, 0);
        RECORD(&m, GoSysBlock, 0);
        RECORD(&m, GoSysExit, 0, far + i, 2, 100 + i);
        if (late)
            RECORD(&m, CPUSample, 0, 100, 0, far, 0);
        RECORD(&m, ProcStart, 0, far + i);
        RECORD(&m, Gomaxprocs, 0, i, 0);
    }
    RECORD(&m, TimerGoroutine, far);
    return m;
}

static void memory_that_runs_out_is_said(void **state)
{
    static const unsigned versions[] = {5, 11, 21};
    for (size_t v = 0; v < ARRAY_SIZE(versions); v++) {
        for (enum v1_view view = V1_AS_GO_1_21; view <= V1_AS_GO_1_22; view++) {
            struct made m = varied(versions[v]);
            struct v1_trace t;
            struct v1_error e;
            unsigned long n = 0;
            size_t before = used;
            for (;; n++) {
                allowance = n;
                bool ok = v1_parse(&t, m.b.at, m.b.size, view, &e);
                allowance = ULONG_MAX;
                if (ok)
                    break;
                assert_int_equal(e.status, V1_NO_MEMORY);
                assert_string_equal(e.message, "out of memory");
                assert_int_equal(used, before);
                assert_true(n < 1000);
            }
            assert_true(n > 3);
            v1_free(&t);
            assert_int_equal(used, before);
            raw_buffer_free(&m.b);
        }
    }
}

static bool take(void *arg, const void *data, size_t size) { return true; }

static bool converts(const struct made *m, struct failure *f)
{
    struct source s = {.p = m->b.at, .end = m->b.at + m->b.size, .offset = m->b.size};
    struct converted done;
    bool ok = read_any_header(&s, f) && convert_v1(&s, wire_version(26), take, NULL, &done, f);
    source_free(&s);
    return ok;
}

static void memory_that_runs_out_while_it_is_written_as_v2_is_said(void **state)
{
    static const unsigned versions[] = {5, 21};
    for (size_t v = 0; v < ARRAY_SIZE(versions); v++) {
        struct made m = varied(versions[v]);
        size_t before = used;
        for (unsigned long n = 0;; n++) {
            struct failure f = {0};
            allowance = n;
            bool ok = converts(&m, &f);
            allowance = ULONG_MAX;
            assert_int_equal(f.error.status, ok ? GOTRACE_OK : GOTRACE_ENOMEM);
            assert_int_equal(used, before);
            assert_true(n < 1000);
            if (ok)
                break;
        }
        raw_buffer_free(&m.b);
    }
}

static void file_that_does_not_fit_is_said(void **state)
{
    struct raw_buffer b = {0};
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(fputs("text", file), 1);
    rewind(file);
    allowance = 0;
    assert_int_equal(v1_load(fileno(file), &b), ENOMEM);
    allowance = ULONG_MAX;
    b.failed = false;
    assert_int_equal(v1_load(fileno(file), &b), 0);
    assert_int_equal(b.size, 4);
    raw_buffer_free(&b);
    fclose(file);
    assert_int_equal(v1_load(-1, &b), EBADF);
    raw_buffer_free(&b);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "text", 4), 4);
    close(ends[1]);
    allowance = 0;
    assert_int_equal(v1_load(ends[0], &b), ENOMEM);
    allowance = ULONG_MAX;
    b.failed = false;
    assert_int_equal(v1_load(ends[0], &b), 0);
    assert_int_equal(b.size, 4);
    raw_buffer_free(&b);
    close(ends[0]);
}

/* A socket gives a message at a time. */
static void file_that_comes_in_pieces_is_read_whole(void **state)
{
    struct raw_buffer b = {0};
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
    assert_int_equal(write(ends[1], "te", 2), 2);
    assert_int_equal(write(ends[1], "xt", 2), 2);
    close(ends[1]);
    assert_int_equal(v1_load(ends[0], &b), 0);
    assert_int_equal(b.size, 4);
    assert_memory_equal(b.at, "text", 4);
    raw_buffer_free(&b);
    close(ends[0]);
}

enum { MANY = 30000 };

static void many_runs(struct made *m)
{
    for (unsigned i = 0; i < MANY; i++) {
        PROC(m, i % 1000, i);
        RECORD(m, ProcStart, 0, 1);
    }
}

static void many_goroutines(struct made *m)
{
    PROC(m, 0, 1);
    for (uint64_t i = 1; i < MANY; i++)
        RECORD(m, GoCreate, 0, i * 0x10001, 0, 0);
}

static void many_strings(struct made *m)
{
    for (uint64_t i = 1; i < MANY; i++)
        made_string(m, i * 7, "x");
}

static void many_stacks(struct made *m)
{
    for (uint64_t i = 1; i < MANY; i++)
        RECORD(m, Stack, i << 20, 1, 0, 0, 0, 0);
}

static void many_samples(struct made *m)
{
    for (uint64_t i = 1; i < MANY; i++)
        RECORD(m, CPUSample, 0, 0, 0, 0, 0);
}

static void many_regions(struct made *m)
{
    PROC(m, 0, 1);
    for (uint64_t i = 1; i < MANY; i++)
        RECORD(m, UserRegion, 0, 0, 0, 0, 0);
}

static void many_exits(struct made *m)
{
    PROC(m, 0, 1);
    RECORD(m, GoCreate, 0, 1, 0, 0);
    RECORD(m, GoInSyscall, 0, 1);
    for (uint64_t i = 0; i < MANY; i++) {
        RECORD(m, GoSysExit, 0, 1, i * 2 + 2, 1);
        RECORD(m, GoStart, 0, 1, i * 2 + 3);
        RECORD(m, GoSysBlock, 0);
    }
}

/* Whatever the trace consists of. A trace that is broken in the end takes no more than one that is not. */
static void memory_is_in_proportion(void **state)
{
    static void (*const fill[])(struct made *) = {many_runs,    many_goroutines, many_strings, many_stacks,
                                                  many_samples, many_regions,    many_exits};
    for (size_t i = 0; i < ARRAY_SIZE(fill); i++) {
        struct made m = made(21);
        struct v1_trace t;
        struct v1_error e;
        PROC(&m, 0, 1);
        RECORD(&m, HeapAlloc, 0, 1);
        fill[i](&m);
        size_t before = used;
        most = used;
        if (v1_parse(&t, m.b.at, m.b.size, V1_AS_GO_1_21, &e))
            v1_free(&t);
        assert_in_range(most - before, 1, 50 * m.b.size + (1 << 16));
        raw_buffer_free(&m.b);
    }
}

/* Of events that their records say all of; made anew each time, they take next to nothing. */
static void events_take_little(void **state)
{
    enum { EVENTS = 200000 };
    struct made m = made(21);
    struct v1_trace t;
    struct v1_error e;
    PROC(&m, 0, 1);
    for (unsigned i = 0; i < EVENTS; i++)
        RECORD(&m, HeapAlloc, 1, i);
    size_t before = used;
    most = used;
    assert_true(v1_parse(&t, m.b.at, m.b.size, V1_AS_GO_1_22, &e));
    for (unsigned i = 0; i < EVENTS; i++)
        assert_int_equal(v1_next(&t)->args[0], i);
    assert_null(v1_next(&t));
    assert_in_range(most - before, 2 * EVENTS, 3 * EVENTS);
    v1_free(&t);
    raw_buffer_free(&m.b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_that_runs_out_is_said),
        cmocka_unit_test(memory_that_runs_out_while_it_is_written_as_v2_is_said),
        cmocka_unit_test(file_that_does_not_fit_is_said),
        cmocka_unit_test(file_that_comes_in_pieces_is_read_whole),
        cmocka_unit_test(memory_is_in_proportion),
        cmocka_unit_test(events_take_little),
    };
    return cmocka_run_group_tests_name("v1 memory", tests, NULL, NULL);
}
