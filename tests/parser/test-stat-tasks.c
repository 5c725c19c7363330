/* What thrace stat --tasks collects is bounded, whatever the trace, and what it keeps adds up. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/stat_tasks.h"
#include "gotrace/builder.h"
#include "lib/wire/events.h"
#include "parser/analyze/tasks.h"

enum { ROWS = 7 };

static void event(struct gotrace_builder *b, uint64_t time, unsigned id, const uint64_t *args, size_t nargs)
{
    assert_int_equal(gotrace_builder_event(b, time, id, args, nargs), 0);
}
#define EVENT(b, time, name, ...)                                                                                      \
    event(b, time, EV_##name, (uint64_t[]){0, ##__VA_ARGS__} + 1,                                                      \
          sizeof((uint64_t[]){0, ##__VA_ARGS__}) / sizeof(uint64_t) - 1)

static uint64_t name(struct gotrace_builder *b, const char *what, uint64_t i)
{
    char text[32];
    int len = snprintf(text, sizeof text, "%s %u", what, (unsigned)i);
    return gotrace_builder_string(b, text, (size_t)len);
}

/* Goroutine 1 runs, alone. */
static struct gotrace_builder *one_thread(uint64_t at)
{
    struct gotrace_builder *b = gotrace_builder_new_memory(22);
    assert_int_equal(gotrace_builder_generation(b, 1), 0);
    assert_int_equal(gotrace_builder_sync(b, 1000000000, 1, 0, 0, 0), 0);
    assert_int_equal(gotrace_builder_batch(b, 1, at), 0);
    EVENT(b, at, ProcStatus, 0, 1);
    EVENT(b, at, GoStatus, 1, 1, 2);
    return b;
}

static void read_all(struct tasks *t, struct gotrace_builder *b)
{
    size_t size;
    assert_int_equal(gotrace_builder_finish(b), 0);
    const void *bytes = gotrace_builder_bytes(b, &size);
    struct gotrace_reader *r = gotrace_reader_open_memory(bytes, size);
    tasks_init(t, ROWS);
    assert_true(consume_events(r, &tasks_consumer, t));
    assert_null(gotrace_reader_error(r));
    gotrace_reader_free(r);
}

static uint64_t length_of(const struct task_slow *slow) { return (uint64_t)(slow->end - slow->begin); }

/* Steps and what is left out add up to the task, and do not overlap. */
static void assert_adds_up(const struct task_slow *slow)
{
    uint64_t sum = slow->path.unknown + slow->path.others;
    int64_t end = slow->begin + (int64_t)slow->path.unknown;
    for (uint32_t i = 0; i < slow->path.nsteps; i++) {
        const struct critical_step *s = &slow->path.steps[i];
        assert_true(s->begin >= end && s->end > s->begin && s->end <= slow->end);
        end = s->end;
        sum += (uint64_t)(s->end - s->begin);
    }
    assert_int_equal(sum, length_of(slow));
}

/* The report has the text, once. */
static bool says(const struct tasks *t, const char *text)
{
    static const struct stat_input in = {"x.trace", true, NULL};
    struct report report;
    char *lines = NULL;
    size_t size;
    FILE *out = open_memstream(&lines, &size);
    report_init(&report, REPORT_TEXT, out, t->rows);
    assert_true(stat_tasks(t, &in, &report));
    assert_int_equal(fclose(out), 0);
    const char *at = strstr(lines, text);
    bool once = at && !strstr(at + 1, text);
    free(lines);
    return once;
}

/* Each has its own type, and takes longer than those before; half of them are open at the same time. */
static void tasks_and_types_without_number(void **state)
{
    enum { TASKS = 2000, OPEN = 50 };
    uint64_t at = 10;
    struct tasks t;
    struct gotrace_builder *b = one_thread(at);
    for (uint64_t i = 1; i <= TASKS; i++) {
        EVENT(b, at += 10, UserTaskBegin, i, 0, name(b, "type", i), 0);
        EVENT(b, at += i, UserRegionBegin, i, name(b, "region", i), 0);
        EVENT(b, at += i, UserRegionEnd, i, name(b, "region", i), 0);
        if (i > OPEN)
            EVENT(b, at += i, UserTaskEnd, i - OPEN, 0);
    }
    read_all(&t, b);
    assert_true(t.open.n <= OPEN + 1);
    assert_int_equal(t.nopen, OPEN);
    assert_int_equal(t.types.list.n, TASK_NTYPES + 1);
    assert_int_equal(t.regions.list.n, TASK_NTYPES + 1);
    uint64_t count = 0, unfinished = 0, regions = 0;
    for (size_t i = 0; i <= TASK_NTYPES; i++) {
        count += t.types.list.v[i].count;
        unfinished += t.types.list.v[i].unfinished;
        regions += t.regions.list.v[i].count;
    }
    assert_int_equal(count, TASKS - OPEN);
    assert_int_equal(unfinished, OPEN);
    assert_int_equal(regions, TASKS);
    assert_int_equal(t.types.list.v[0].count, 1);
    assert_int_equal(t.types.list.v[TASK_NTYPES].text, 0);
    assert_int_equal(t.types.list.v[TASK_NTYPES].count, TASKS - OPEN - TASK_NTYPES);
    assert_int_equal(t.slowest.n, ROWS);
    for (uint64_t i = 0; i < ROWS; i++) {
        assert_int_equal(t.slowest.v[i].id, TASKS - OPEN - i);
        assert_adds_up(&t.slowest.v[i]);
        assert_true(t.slowest.v[i].path.nothers > 0 && t.slowest.v[i].path.nsteps == CRITICAL_STEPS);
    }
    tasks_free(&t);
    gotrace_builder_free(b);
}

/* A task with more stretches than are remembered: of its beginning only the length is known. */
static void a_long_way_is_forgotten_at_its_beginning(void **state)
{
    enum { BEFORE = 5000, CALLS = CRITICAL_MAX / 2 + 1000 };
    uint64_t at = 10;
    struct tasks t;
    struct gotrace_builder *b = one_thread(at);
    EVENT(b, at += 10, UserTaskBegin, 5, 0, name(b, "long", 1), 0);
    for (uint64_t i = 0; i < CALLS; i++) {
        EVENT(b, at += i < BEFORE ? 3 : 2, GoSyscallBegin, i + 1, 0);
        EVENT(b, at += i == CALLS - 1 ? 900 : i == CALLS - 100 ? 1000 : 1, GoSyscallEnd);
    }
    EVENT(b, at += 2, UserTaskBegin, 6, 0, name(b, "short", 1), 0);
    EVENT(b, at += 500, UserTaskEnd, 6, 0);
    EVENT(b, at += 7, UserTaskEnd, 5, 0);
    read_all(&t, b);
    assert_int_equal(t.critical.cap, CRITICAL_MAX);
    assert_int_equal(t.slowest.n, 2);
    const struct task_slow *slow = &t.slowest.v[0];
    assert_adds_up(slow);
    assert_int_equal(slow->path.nothers, CRITICAL_MAX - CRITICAL_STEPS - 1);
    assert_true(slow->path.unknown >= 1000 && slow->path.unknown < BEFORE * 4);
    uint64_t longest = 0;
    for (uint32_t i = 0; i < slow->path.nsteps; i++)
        if (slow->path.steps[i].end - slow->path.steps[i].begin >= 900)
            longest += (uint64_t)(slow->path.steps[i].end - slow->path.steps[i].begin);
    assert_int_equal(longest, 900 + 1000);
    assert_true(says(&t, "  (not kept)  "));
    assert_int_equal(t.slowest.v[1].path.unknown, 0);
    assert_int_equal(t.slowest.v[1].path.nsteps, 1);
    assert_adds_up(&t.slowest.v[1]);
    tasks_free(&t);
    gotrace_builder_free(b);
}

static uint64_t start(struct gotrace_builder *b, const char *function)
{
    struct gotrace_builder_frame f = {(uintptr_t)function, function, "a.c", 1};
    return gotrace_builder_stack(b, &f, 1);
}

/*
 * Goroutine 1 works for a task, and so do those that it makes meanwhile, whatever the order in which they end; but for
 * the runtime's. One adopts another task in its region.
 */
static void many_work_for_a_task(void **state)
{
    uint64_t at = 1000;
    struct tasks t;
    struct gotrace_builder *b = one_thread(at);
    EVENT(b, at += 10, UserTaskBegin, 5, 0, name(b, "task", 5), 0);
    EVENT(b, at += 10, UserTaskBegin, 6, 0, name(b, "task", 6), 0);
    EVENT(b, at += 10, UserRegionBegin, 5, name(b, "region", 1), 0); /* 1030 */
    for (uint64_t g = 10; g < 13; g++)
        EVENT(b, at += 10, GoCreate, g, start(b, "worker"), 0); /* 1040, 1050, 1060 */
    EVENT(b, at += 10, GoCreate, 20, start(b, "runtime.worker"), 0);
    EVENT(b, at += 10, GoBlock, 0, 0);                              /* 1080 */
    EVENT(b, at += 10, GoStart, 11, 1);                             /* 1090 */
    EVENT(b, at += 10, GoCreate, 13, start(b, "worker"), 0);        /* 1100: 11 works for the task, too */
    EVENT(b, at += 10, GoDestroy);                                  /* 1110 */
    EVENT(b, at += 10, GoStart, 13, 1);                             /* 1120 */
    EVENT(b, at += 10, UserRegionBegin, 5, name(b, "region", 1), 0);
    EVENT(b, at += 10, UserLog, 6, gotrace_builder_string(b, "[thrace]", 8),
          gotrace_builder_string(b, "adopted", 7), 0);              /* 1140 */
    EVENT(b, at += 10, GoCreate, 14, start(b, "worker"), 0);        /* 1150: in the place of 11, for task 6 */
    EVENT(b, at += 10, GoBlock, 0, 0);                              /* 1160 */
    EVENT(b, at += 10, GoStart, 12, 1);                             /* 1170 */
    EVENT(b, at += 10, UserTaskEnd, 5, 0);                          /* 1180 */
    EVENT(b, at += 10, UserTaskEnd, 6, 0);                          /* 1190 */
    read_all(&t, b);
    assert_int_equal(t.slowest.n, 2);
    for (int i = 0; i < 2; i++) {
        const struct task_slow *slow = &t.slowest.v[i];
        const uint64_t *time = slow->time;
        assert_adds_up(slow);
        assert_int_equal(slow->path.unknown, 0);
        assert_int_equal(slow->path.steps[0].thread, 1);
        if (slow->id == 5) {
            assert_int_equal(time[GOTRACE_STATE_RUNNING], 50 + 20 + 20 + 10);         /* 1, 11, 13, 12 */
            assert_int_equal(time[GOTRACE_STATE_RUNNABLE], 140 + 40 + 110 + 20);      /* 10, 11, 12, 13 */
            assert_int_equal(time[GOTRACE_STATE_WAITING], 100);                       /* 1 */
        } else {
            assert_int_equal(time[GOTRACE_STATE_RUNNING], 20);                        /* 13 */
            assert_int_equal(time[GOTRACE_STATE_RUNNABLE], 40);                       /* 14 */
            assert_int_equal(time[GOTRACE_STATE_WAITING], 30);                        /* 13 */
        }
    }
    tasks_free(&t);
    gotrace_builder_free(b);
}

/* While no task is open nothing is remembered. */
static void without_tasks_there_is_no_way(void **state)
{
    uint64_t at = 10;
    struct tasks t;
    struct gotrace_builder *b = one_thread(at);
    for (uint64_t i = 0; i < 1000; i++) {
        EVENT(b, at += 10, GoSyscallBegin, i + 1, 0);
        EVENT(b, at += 10, GoSyscallEnd);
    }
    EVENT(b, at += 10, UserTaskBegin, 5, 0, name(b, "late", 1), 0);
    EVENT(b, at += 10, UserTaskEnd, 5, 0);
    read_all(&t, b);
    assert_int_equal(t.critical.n, 1);
    assert_int_equal(t.slowest.n, 1);
    assert_adds_up(&t.slowest.v[0]);
    assert_int_equal(t.slowest.v[0].path.nsteps, 1);
    tasks_free(&t);
    gotrace_builder_free(b);
}

/* Percentiles of tasks are finer than those of waits. */
static void a_percentile_is_a_512th_too_large_at_most(void **state)
{
    static const uint64_t values[] = {1, 511, 1023, 1024, 1025, 123456789, UINT64_C(1) << 40};
    for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
        struct task_types types = {0};
        uint32_t type = task_type_of(&types, 17);
        task_type_add(&types, type, values[i]);
        task_type_add(&types, type, UINT64_MAX);
        assert_int_equal(task_type_of(&types, 17), type);
        uint64_t half = task_type_percentile(&types.list.v[type], 50);
        assert_true(half >= values[i] && half - values[i] <= values[i] / 512);
        assert_true(task_type_percentile(&types.list.v[type], 90) == UINT64_MAX);
        task_types_free(&types);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_and_types_without_number),
        cmocka_unit_test(a_long_way_is_forgotten_at_its_beginning),
        cmocka_unit_test(many_work_for_a_task),
        cmocka_unit_test(without_tasks_there_is_no_way),
        cmocka_unit_test(a_percentile_is_a_512th_too_large_at_most),
    };
    return cmocka_run_group_tests_name("stat tasks", tests, NULL, NULL);
}
