/* The records of a path_log are there again, in memory and in the file. */
#include "tests/unit/unit.h"

#include <errno.h>

#include "parser/analyze/path_log.h"
#include "tests/unit/random.h"

enum { MEMORY = 1024, RECORDS = 100000 };

static struct path_record record(uint64_t n)
{
    return (struct path_record){.before = n - 1, .kind = n % 4, .end = (int64_t)n * 3, .thread = (uint32_t)n};
}

static void assert_is(struct path_log *log, uint64_t n)
{
    struct path_record r = path_log_get(log, n);
    assert_int_equal(r.before, n - 1);
    assert_int_equal(r.kind, n % 4);
    assert_int_equal(r.end, n * 3);
    assert_int_equal(r.thread, n);
}

static void all_are_there(void **state)
{
    struct path_log log;
    struct random r = random_seed(1);
    path_log_init(&log, MEMORY);
    for (uint64_t n = 1; n <= RECORDS; n++) {
        struct path_record add = record(n);
        assert_int_equal(path_log_add(&log, &add), n);
        if (random_one_in(&r, 1000))
            assert_is(&log, 1 + random_below(&r, (uint32_t)n));
    }
    assert_int_equal(path_log_count(&log), RECORDS);
    assert_true(log.n <= MEMORY && log.fd >= 0);
    for (uint64_t n = 1; n <= RECORDS; n++)
        assert_is(&log, n);
    for (uint64_t n = RECORDS; n; n--)
        assert_is(&log, n);
    for (int i = 0; i < 1000; i++)
        assert_is(&log, 1 + random_below(&r, RECORDS));
    assert_int_equal(log.error, 0);
    path_log_free(&log);
    path_log_free(&log);
}

static void few_need_no_file(void **state)
{
    struct path_log log;
    path_log_init(&log, MEMORY);
    for (uint64_t n = 1; n <= MEMORY; n++) {
        struct path_record add = record(n);
        assert_int_equal(path_log_add(&log, &add), n);
    }
    assert_int_equal(log.fd, -1);
    assert_is(&log, 1);
    path_log_free(&log);
}

static void says_why_there_is_no_file(void **state)
{
    struct path_log log;
    path_log_init(&log, 2);
    struct path_record add = record(1);
    setenv("TMPDIR", "/nowhere", 1);
    assert_int_equal(path_log_add(&log, &add), 1);
    assert_int_equal(path_log_add(&log, &add), 2);
    assert_int_equal(path_log_add(&log, &add), 0);
    assert_int_equal(log.error, ENOENT);
    unsetenv("TMPDIR");
    assert_int_equal(path_log_add(&log, &add), 0);
    assert_int_equal(path_log_get(&log, 1).end, 0);
    path_log_free(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_there),
        cmocka_unit_test(few_need_no_file),
        cmocka_unit_test(says_why_there_is_no_file),
    };
    return cmocka_run_group_tests_name("path-log", tests, NULL, NULL);
}
