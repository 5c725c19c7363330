/* How long what the reader hands out lives, and that it holds no more than a generation and works no longer on it. */
#include <stdio.h>

#include "gotrace/gotrace.h"
#include "lib/wire/events.h"
#include "parser/reader.h"
#include "tests/unit/unit.h" /* after the parser: cmocka has a macro named fail */
#include "tests/parser/made.h"

static void assert_frame(struct gotrace_stack stack, const char *function)
{
    struct gotrace_frame f;
    assert_int_equal(gotrace_stack_len(stack), 1);
    assert_true(gotrace_stack_frame(stack, 0, &f));
    assert_int_equal(f.function.len, strlen(function));
    assert_memory_equal(f.function.data, function, f.function.len);
}

static void assert_stale(struct gotrace_stack stack)
{
    struct gotrace_frame f;
    assert_int_equal(gotrace_stack_len(stack), 0);
    assert_false(gotrace_stack_frame(stack, 0, &f));
    assert_int_equal(f.pc, 0);
    assert_null(f.function.data);
}

/* The same ID and the same place in each generation's table, but another stack each time. */
static struct gotrace_builder *a_stack_each_generation(int version, uint64_t generations)
{
    struct gotrace_builder *b = gotrace_builder_new_memory(version);
    uint64_t now = 1;
    for (uint64_t gen = 1; gen <= generations; gen++) {
        char name[] = {'f', (char)('0' + gen), '\0'};
        struct gotrace_builder_frame frame = {16, name, "file", 1};
        gotrace_builder_generation(b, gen);
        gotrace_builder_batch(b, 5, now);
        ADD(ProcStatus, 0, PROC_RUNNING);
        ADD(GoStatus, 1, 5, GO_RUNNING);
        ADD(ProcsChange, 1, gotrace_builder_stack(b, &frame, 1));
        ADD(ProcsChange, 2, gotrace_builder_stack(b, &frame, 1));
    }
    return b;
}

/* Until the call that returns a Sync, and from then on the handle has no frames rather than another stack's. */
static void handles_of_stacks_are_of_one_generation(int version)
{
    struct gotrace_builder *b = a_stack_each_generation(version, 3);
    struct gotrace_reader *r = finish_and_open(b);
    struct gotrace_stack first = gotrace_event_stack(next(r, "ProcsChange"));
    struct gotrace_stack again = gotrace_event_stack(next(r, "ProcsChange"));
    assert_true(gotrace_stack_equal(first, again));
    assert_frame(first, "f1");
    assert_non_null(next(r, "Sync"));
    assert_stale(first);
    struct gotrace_stack second = gotrace_event_stack(next(r, "ProcsChange"));
    assert_false(gotrace_stack_equal(first, second));
    assert_frame(second, "f2");
    assert_stale(first);
    next(r, "Sync");
    assert_stale(second);
    struct gotrace_stack third = gotrace_event_stack(next(r, "ProcsChange"));
    assert_false(gotrace_stack_equal(first, third) || gotrace_stack_equal(second, third));
    assert_frame(third, "f3");
    assert_non_null(next(r, "Sync")); /* the last */
    assert_stale(third);
    assert_null(gotrace_reader_next(r));
    assert_null(gotrace_reader_error(r));
    assert_stale(third);
    gotrace_reader_free(r);
    gotrace_builder_free(b);
}

static void handles_are_of_one_generation(void **state)
{
    handles_of_stacks_are_of_one_generation(22);
    handles_of_stacks_are_of_one_generation(26);
}

static void handles_end_with_an_error(void **state)
{
    struct gotrace_builder *b = a_stack_each_generation(22, 1);
    uint64_t now = 1000;
    ADD(ProcsChange, 2, 77); /* there is no such stack */
    struct gotrace_reader *r = finish_and_open(b);
    struct gotrace_stack stack = gotrace_event_stack(next(r, "ProcsChange"));
    assert_frame(stack, "f1");
    assert_null(next(r, "Sync"));
    assert_non_null(gotrace_reader_error(r));
    assert_stale(stack);
    gotrace_reader_free(r);
    gotrace_builder_free(b);
}

static void handles_of_two_readers_differ(void **state)
{
    struct gotrace_builder *b = a_stack_each_generation(22, 1);
    size_t size;
    const void *bytes = finish(b, &size);
    struct gotrace_reader *one = gotrace_reader_open_memory(bytes, size);
    struct gotrace_reader *two = gotrace_reader_open_memory(bytes, size);
    struct gotrace_stack a = gotrace_event_stack(next(one, "ProcsChange"));
    assert_false(gotrace_stack_equal(a, gotrace_event_stack(next(two, "ProcsChange"))));
    gotrace_reader_free(one);
    gotrace_reader_free(two);
    gotrace_builder_free(b);
}

enum { TASKS = 20 };

/* Names of tasks that began in a generation that is gone live as long as the events at their ends do. */
static void names_of_tasks_live_as_other_strings(void **state)
{
    struct gotrace_builder *b = gotrace_builder_new_memory(22);
    uint64_t now = 1;
    for (uint64_t gen = 1; gen <= 3; gen++) {
        gotrace_builder_generation(b, gen);
        gotrace_builder_batch(b, 5, now);
        ADD(ProcStatus, 0, PROC_RUNNING);
        ADD(GoStatus, 1, 5, GO_RUNNING);
        for (uint64_t i = 1; i <= TASKS; i++) {
            char name[32];
            int n = snprintf(name, sizeof name, "the name of task %d", (int)i);
            if (gen == 1)
                ADD(UserTaskBegin, i, 0, gotrace_builder_string(b, name, (size_t)n), 0);
            else if (gen == 2)
                ADD(UserTaskEnd, i, 0);
        }
    }
    struct gotrace_reader *r = finish_and_open(b);
    struct gotrace_str names[TASKS];
    struct gotrace_task task;
    for (int i = 0; i < TASKS; i++) {
        assert_true(gotrace_event_task(next(r, "UserTaskEnd"), &task));
        names[i] = task.type;
    }
    for (int i = 0; i < TASKS; i++) {
        char name[32];
        assert_int_equal(names[i].len, snprintf(name, sizeof name, "the name of task %d", i + 1));
        assert_memory_equal(names[i].data, name, names[i].len);
    }
    assert_int_equal(r->order.ended_tasks.n, TASKS);
    assert_non_null(next(r, "Sync"));
    assert_int_equal(r->order.ended_tasks.n, 0);
    gotrace_reader_free(r);
    gotrace_builder_free(b);
}

/*
 * Between two generations the reader goes through what began in the first of them, and through no more, however many
 * goroutines and tasks there were. What it goes through is in these lists.
 */
static void what_is_over_costs_no_generation_anything(void **state)
{
    enum { ONCE = 5000, GENERATIONS = 5 };
    struct gotrace_builder *b = gotrace_builder_new_memory(22);
    uint64_t now = 1;
    for (uint64_t gen = 1; gen <= GENERATIONS; gen++) {
        gotrace_builder_generation(b, gen);
        gotrace_builder_batch(b, 5, now);
        ADD(ProcStatus, 0, PROC_RUNNING);
        ADD(GoStatus, 1, 5, GO_RUNNING);
        if (gen == 1) {
            ADD(UserRegionBegin, 0, gotrace_builder_string(b, "a", 1), 0);
            ADD(GoBlock, 0, 0);
        }
        /* Each runs inside of two regions, and begins two tasks, of which one never ends. */
        for (uint64_t i = 2; gen == 1 && i < ONCE; i++) {
            ADD(GoCreate, i, 0, 0);
            ADD(GoStart, i, 1);
            ADD(UserRegionBegin, 0, gotrace_builder_string(b, "a", 1), 0);
            ADD(UserRegionBegin, 0, gotrace_builder_string(b, "b", 1), 0);
            ADD(UserTaskBegin, i, 0, gotrace_builder_string(b, "b", 1), 0);
            ADD(UserTaskEnd, i, 0);
            ADD(UserTaskBegin, i, 0, gotrace_builder_string(b, "c", 1), 0);
            ADD(GoBlock, 0, 0);
        }
        for (uint64_t i = 2; gen == 1 && i < ONCE; i++) {
            ADD(GoUnblock, i, 2, 0);
            ADD(GoStart, i, 3);
            ADD_BARE(GoDestroy);
        }
        if (gen == 1) {
            ADD(GoUnblock, 1, 1, 0);
            ADD(GoStart, 1, 2);
        }
        if (gen == 3)
            ADD(UserRegionBegin, 0, gotrace_builder_string(b, "c", 1), 0);
        if (gen >= 4)
            ADD(UserRegionEnd, 0, gotrace_builder_string(b, gen == 4 ? "c" : "a", 1), 0);
    }
    struct gotrace_reader *r = finish_and_open(b);
    size_t visited[GENERATIONS] = {0};
    const struct gotrace_event *ev;
    while ((ev = gotrace_reader_next(r)))
        if (gotrace_event_generation(ev))
            visited[gotrace_event_generation(ev) - 1] = r->order.fresh_regions.n + r->order.fresh_tasks.n;
    assert_null(gotrace_reader_error(r));
    assert_int_equal(visited[0], 2 * ONCE - 3);
    assert_int_equal(visited[1], 0);
    assert_int_equal(visited[2], 1);
    assert_int_equal(visited[3], 0);
    assert_int_equal(visited[4], 0);
    gotrace_reader_free(r);
    gotrace_builder_free(b);
}

/* What has to be emptied before the next generation. */
static size_t to_empty(const struct idmap *map)
{
    return map->count ? map->ndense + map->nslots : 0;
}

/* Nor does one large generation make all the small ones after it slow: the tables are as large as they have to be. */
static void tables_shrink_again(void **state)
{
    struct gotrace_builder *b = gotrace_builder_new_memory(22);
    uint64_t now = 1;
    for (uint64_t gen = 1; gen <= 4; gen++) {
        gotrace_builder_generation(b, gen);
        gotrace_builder_batch(b, 5, now);
        ADD(ProcStatus, 0, PROC_RUNNING);
        ADD(GoStatus, 1, 5, GO_RUNNING);
        for (uint64_t i = 1; gen == 1 && i < 20000; i++) {
            const struct gotrace_raw_frame frame = {i << 40, i, i, i};
            gotrace_builder_string_as(b, i, "s", 1);
            gotrace_builder_stack_as(b, i, &frame, 1);
        }
        ADD(GoLabel, gotrace_builder_string(b, "label", 5));
    }
    struct gotrace_reader *r = finish_and_open(b);
    size_t entries[4] = {0};
    const struct gotrace_event *ev;
    while ((ev = gotrace_reader_next(r))) {
        const struct generation *g = &r->generation;
        if (gotrace_event_generation(ev))
            entries[gotrace_event_generation(ev) - 1] =
                to_empty(&g->string_of) + to_empty(&g->stack_of) + to_empty(&g->frame_of);
    }
    assert_null(gotrace_reader_error(r));
    assert_true(entries[0] > 60000);
    assert_true(entries[2] < 6000); /* the second still had to empty what the first left */
    assert_true(entries[3] < 6000);
    gotrace_reader_free(r);
    gotrace_builder_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handles_are_of_one_generation),
        cmocka_unit_test(handles_end_with_an_error),
        cmocka_unit_test(handles_of_two_readers_differ),
        cmocka_unit_test(names_of_tasks_live_as_other_strings),
        cmocka_unit_test(what_is_over_costs_no_generation_anything),
        cmocka_unit_test(tables_shrink_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
