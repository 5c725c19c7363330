/* How locks were used, as strings of a trace say it. */
#include "tests/unit/unit.h"

#include <string.h>

#include "gotrace/builder.h"
#include "parser/analyze/lock_stats.h"

static struct lock_stats read_strings(const char *const *strings, size_t n)
{
    struct gotrace_builder *b = gotrace_builder_new_memory(22);
    size_t size;
    for (uint64_t gen = 1; gen <= 2; gen++) {
        assert_int_equal(gotrace_builder_generation(b, gen), 0);
        assert_int_equal(gotrace_builder_sync(b, 1000000000, gen, 0, 0, 0), 0);
        for (size_t i = 0; gen == 1 && i < n; i++)
            assert_int_not_equal(gotrace_builder_string(b, strings[i], strlen(strings[i])), 0);
    }
    assert_int_equal(gotrace_builder_finish(b), 0);
    const void *data = gotrace_builder_bytes(b, &size);
    struct gotrace_reader *r = gotrace_reader_open_memory(data, size);
    const struct gotrace_event *ev;
    struct lock_stats s = {.counted = false};
    while ((ev = gotrace_reader_next(r)))
        lock_stats_event(&s, ev);
    assert_null(gotrace_reader_error(r));
    lock_stats_sort(&s);
    gotrace_reader_free(r);
    gotrace_builder_free(b);
    return s;
}
#define READ(...) read_strings((const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))
#define COUNTS(n, held) "thrace lock " #n " taken 7 contended 2 held " #held " p50 10 p99 20 longest 30 by 4"

static void all_of_it_is_read(void **state)
{
    struct lock_stats s = READ("thrace locks others 5 missed 6", COUNTS(0, 99) "\tmutex m\twork\ta.c:7\tworker");
    assert_true(s.counted);
    assert_int_equal(s.others, 5);
    assert_int_equal(s.missed, 6);
    assert_int_equal(s.list.n, 1);
    const struct lock_stat *l = &s.list.v[0];
    assert_int_equal(l->taken, 7);
    assert_int_equal(l->contended, 2);
    assert_int_equal(l->held, 99);
    assert_int_equal(l->p50, 10);
    assert_int_equal(l->p99, 20);
    assert_int_equal(l->longest, 30);
    assert_int_equal(l->by, 4);
    assert_string_equal(l->object, "mutex m");
    assert_string_equal(l->function, "work");
    assert_string_equal(l->place, "a.c:7");
    assert_string_equal(l->thread, "worker");
    lock_stats_free(&s);
}

static void those_held_longest_come_first(void **state)
{
    struct lock_stats s = READ(COUNTS(0, 1) "\ta", COUNTS(1, 3) "\tb", COUNTS(2, 2) "\tc", COUNTS(3, 2) "\tbb");
    assert_int_equal(s.list.n, 4);
    assert_string_equal(s.list.v[0].object, "b");
    assert_string_equal(s.list.v[1].object, "bb");
    assert_string_equal(s.list.v[2].object, "c");
    assert_string_equal(s.list.v[3].object, "a");
    lock_stats_free(&s);
}

static void what_is_none_is_passed_over(void **state)
{
    struct lock_stats s =
        READ("thrace lock", "thrace locks", "thrace lock x taken 1", "a thrace lock 1", COUNTS(0, 1), COUNTS(0, 1) " \ta",
             "thrace lock 1 taken 1 contended 2 held 3 p50 4 p99 5 longest 6\ta", "thrace locks others 1");
    assert_int_equal(s.list.n, 0);
    assert_false(s.counted);
    lock_stats_free(&s);
}

static void what_is_not_known_is_empty(void **state)
{
    struct lock_stats s = READ(COUNTS(0, 1) "\t", COUNTS(1, 0) "\tm\tf");
    assert_int_equal(s.list.n, 2);
    assert_string_equal(s.list.v[0].object, "");
    assert_string_equal(s.list.v[0].thread, "");
    assert_string_equal(s.list.v[1].function, "f");
    assert_string_equal(s.list.v[1].place, "");
    lock_stats_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_it_is_read),
        cmocka_unit_test(those_held_longest_come_first),
        cmocka_unit_test(what_is_none_is_passed_over),
        cmocka_unit_test(what_is_not_known_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
