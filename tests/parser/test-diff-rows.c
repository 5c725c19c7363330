/* Names of two traces are one row when only numbers of that run tell them apart. */
#include "tests/unit/unit.h"

#include <stdio.h>

#include "parser/analyze/diff_rows.h"

static void folds_to(enum diff_metric metric, const char *name, const char *wanted)
{
    char got[256];
    diff_fold(metric, name, got, sizeof got);
    assert_string_equal(got, wanted);
}

static void numbers_of_a_run_are_folded(void **state)
{
    (void)state;
    folds_to(DIFF_THREAD, "worker-12", "worker-#");
    folds_to(DIFF_THREAD, "worker2", "worker#");
    folds_to(DIFF_THREAD, "main.main.func2", "main.main.func2");
    folds_to(DIFF_THREAD, "sysbench+0xf00d", "sysbench+0x#");
    folds_to(DIFF_LOCK, "mutex shard[3].lock", "mutex shard[#].lock");
    folds_to(DIFF_LOCK, "mutex sha256_lock", "mutex sha256_lock");
    folds_to(DIFF_LOCK, "mutex 0x7f00aa12", "mutex 0x#");
    folds_to(DIFF_LOCK, "socket 127.0.0.1:43210", "socket #.#.#.#:#");
    folds_to(DIFF_CPU, "sha256 (x264.c)", "sha256 (x264.c)");
    folds_to(DIFF_CPU, "0x401000 (a.out)", "0x# (a.out)");
    folds_to(DIFF_SYSCALL, "dup2", "dup2");
    folds_to(DIFF_CPU, "a0x12", "a0x12");
    folds_to(DIFF_CPU, "", "");
    char small[4];
    diff_fold(DIFF_CPU, "abcdefgh", small, sizeof small);
    assert_string_equal(small, "abc");
}

static void equal_names_are_one_row(void **state)
{
    struct diff_rows rows;
    (void)state;
    assert_true(diff_rows_init(&rows));
    uint32_t one = diff_rows_find(&rows, DIFF_THREAD, "worker-1");
    assert_true(one >= DIFF_METRICS);
    assert_int_equal(diff_rows_find(&rows, DIFF_THREAD, "worker-2"), one);
    assert_int_not_equal(diff_rows_find(&rows, DIFF_LOCK, "worker-1"), one);
    assert_int_equal(rows.list.v[one].metric, DIFF_THREAD);
    diff_rows_free(&rows);
}

/* What comes late shares the metric's row. */
static void rows_are_bounded(void **state)
{
    struct diff_rows rows;
    char name[32];
    uint32_t row = 0;
    (void)state;
    assert_true(diff_rows_init(&rows));
    for (int i = 0; i < DIFF_ROWS; i++) {
        snprintf(name, sizeof name, "f%d", i);
        row = diff_rows_find(&rows, DIFF_SYSCALL, name);
    }
    assert_int_equal(rows.list.n, DIFF_ROWS);
    assert_int_equal(row, DIFF_SYSCALL);
    assert_string_equal(rows.list.v[row].name, "others");
    row = diff_rows_find(&rows, DIFF_SYSCALL, "f0");
    assert_int_equal(rows.list.v[row].metric, DIFF_SYSCALL);
    assert_string_equal(rows.list.v[row].name, "f0");
    diff_rows_free(&rows);
}

static uint32_t watched(struct diff_rows *rows, enum diff_metric metric, const char *name)
{
    uint32_t row = diff_rows_find(rows, metric, name);
    return rows->list.v[row].watched;
}

static void watches_know_their_rows(void **state)
{
    struct diff_rows rows;
    regex_t name;
    (void)state;
    assert_int_equal(regcomp(&name, "^jour", REG_EXTENDED | REG_NOSUB), 0);
    assert_true(diff_rows_init(&rows));
    assert_int_equal(diff_rows_watch(&rows, DIFF_LOCK, &name), 0);
    assert_int_equal(diff_rows_watch(&rows, DIFF_LOCK, NULL), 1);
    assert_int_equal(watched(&rows, DIFF_LOCK, "journal"), 3);
    assert_int_equal(watched(&rows, DIFF_LOCK, "other"), 2);
    assert_int_equal(watched(&rows, DIFF_WAIT, "journal"), 0);
    for (unsigned w = 2; w < DIFF_WATCHES; w++)
        assert_int_equal(diff_rows_watch(&rows, DIFF_CPU, NULL), w);
    assert_int_equal(diff_rows_watch(&rows, DIFF_CPU, NULL), DIFF_WATCHES);
    diff_rows_free(&rows);
    regfree(&name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_a_run_are_folded),
        cmocka_unit_test(equal_names_are_one_row),
        cmocka_unit_test(rows_are_bounded),
        cmocka_unit_test(watches_know_their_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
