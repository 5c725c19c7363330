/* Tasks that the program knows by names of its own: which is open, how often, and what becomes of too many. */
#include "tests/unit/unit.h"

#include <pthread.h>

#include "preload/annotate/open_tasks.h"

static struct task_key key(uint64_t n) { return (struct task_key){{1, n, 0, 7}}; }

static bool put(uint64_t n, uint64_t task)
{
    const struct task_key k = key(n);
    return open_task_put(&k, task);
}

static bool again(uint64_t n)
{
    const struct task_key k = key(n);
    return open_task_again(&k);
}

static uint64_t find(uint64_t n)
{
    const struct task_key k = key(n);
    return open_task_find(&k);
}

static uint64_t end(uint64_t n)
{
    const struct task_key k = key(n);
    return open_task_end(&k);
}

static void a_task_is_open_until_it_ends(void **state)
{
    assert_int_equal(find(1), 0);
    assert_int_equal(end(1), 0);
    assert_true(put(1, 11));
    assert_true(put(2, 22));
    assert_int_equal(find(1), 11);
    assert_int_equal(find(2), 22);
    assert_int_equal(end(1), 11);
    assert_int_equal(find(1), 0);
    assert_int_equal(end(1), 0);
    assert_true(put(1, 12));
    assert_int_equal(end(1), 12);
    assert_int_equal(end(2), 22);
}

static void every_word_of_a_key_counts(void **state)
{
    struct task_key k = {{1, 2, 3, 4}};
    assert_true(open_task_put(&k, 5));
    for (int i = 0; i < 4; i++) {
        struct task_key other = k;
        other.word[i]++;
        assert_int_equal(open_task_find(&other), 0);
    }
    assert_int_equal(open_task_end(&k), 5);
}

static void it_ends_as_often_as_it_began(void **state)
{
    assert_false(again(1));
    assert_true(put(1, 11));
    for (int i = 0; i < 1000; i++)
        assert_true(again(1));
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(end(1), 0);
        assert_int_equal(find(1), 11);
    }
    assert_int_equal(end(1), 11);
    assert_false(again(1));
}

enum { THREADS = 4, ROUNDS = 20000 };
static uint64_t opened[THREADS], ended[THREADS];

/* Each thread has its own tasks, and all of them one together. */
static void *open_and_end(void *arg)
{
    uint64_t me = (uint64_t)(uintptr_t)arg;
    for (uint64_t i = 0; i < ROUNDS; i++) {
        uint64_t mine = 100 + me * 8 + i % 8, task = (me + 1) << 32 | i;
        assert_true(put(mine, task));
        if (!again(7))
            opened[me] += put(7, 77);
        assert_int_equal(find(mine), task);
        assert_int_equal(end(mine), task);
        ended[me] += end(7) == 77;
    }
    return NULL;
}

static void threads_do_not_disturb_each_other(void **state)
{
    pthread_t t[THREADS];
    uint64_t begins = 0, ends = 0;
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&t[i], NULL, open_and_end, (void *)i), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(t[i], NULL);
        begins += opened[i];
        ends += ended[i];
    }
    while (find(7)) /* who looks while others make and end them may miss one */
        ends += end(7) == 77;
    assert_int_not_equal(begins, 0);
    assert_int_equal(begins, ends);
}

/* The last test. */
static void there_is_a_bound(void **state)
{
    uint64_t n = 0;
    while (n < 2 * OPEN_TASKS_MAX && put(1000 + n, n + 1))
        n++;
    assert_in_range(n, OPEN_TASKS_MAX / 4, OPEN_TASKS_MAX);
    for (uint64_t i = 0; i < n; i++)
        assert_int_equal(end(1000 + i), i + 1);
    assert_true(put(1000 + n, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_task_is_open_until_it_ends),      cmocka_unit_test(every_word_of_a_key_counts),
        cmocka_unit_test(it_ends_as_often_as_it_began),      cmocka_unit_test(threads_do_not_disturb_each_other),
        cmocka_unit_test(there_is_a_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
