/* The lock of the slow paths: one holder at a time, and no thread sleeps that could have it. */
#include "tests/unit/unit.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/lock.h"

static void who_has_it_has_it_alone(void **state)
{
    struct lock l = {0};
    assert_true(lock_try(&l));
    assert_false(lock_try(&l));
    lock_drop(&l);
    assert_int_equal(l.word, 0);
    lock_take(&l);
    assert_false(lock_try(&l));
    lock_drop(&l);
    assert_true(lock_try(&l));
}

/* A trial that fails does not lose the mark that somebody may sleep. */
static void a_failed_trial_leaves_it_as_it_was(void **state)
{
    struct lock l = {2};
    assert_false(lock_try(&l));
    assert_int_equal(l.word, 2);
}

enum { THREADS = 4, ROUNDS = 3000 };

static struct {
    struct lock lock;
    uint64_t plain; /* the lock alone keeps it whole */
    uint32_t trials;
} shared;

static void *take_often(void *p)
{
    for (int i = 0; i < ROUNDS; i++) {
        if (i % 4 == 0 && lock_try(&shared.lock))
            __atomic_fetch_add(&shared.trials, 1, __ATOMIC_RELAXED);
        else
            lock_take(&shared.lock);
        uint64_t seen = shared.plain;
        if (i % 8 == 0)
            sched_yield(); /* so that others come to sleep on it */
        shared.plain = seen + 1;
        lock_drop(&shared.lock);
    }
    return NULL;
}

static void many_threads_count_with_it(void **state)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_often, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(shared.plain, THREADS * ROUNDS);
    assert_int_equal(shared.lock.word, 0);
    assert_true(shared.trials > 0);
}

struct sleeper {
    struct lock *lock;
    pthread_t thread;
    int tid; /* 0: not there yet */
};

static void *take_once(void *p)
{
    struct sleeper *me = p;
    __atomic_store_n(&me->tid, (int)syscall(SYS_gettid), __ATOMIC_RELAXED);
    lock_take(me->lock);
    lock_drop(me->lock);
    return NULL;
}

static bool sleeps(const struct sleeper *s)
{
    char path[64], line[256];
    int tid = __atomic_load_n(&s->tid, __ATOMIC_RELAXED);
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
    FILE *f = tid ? fopen(path, "r") : NULL;
    const char *name_end = f && fgets(line, sizeof line, f) ? strrchr(line, ')') : NULL;
    if (f)
        fclose(f);
    return name_end && name_end[2] == 'S';
}

/* All of them sleep before the first one is woken. */
static void every_sleeper_gets_it(void **state)
{
    struct lock l = {0};
    struct sleeper sleepers[THREADS] = {{0}};
    lock_take(&l);
    for (int i = 0; i < THREADS; i++) {
        sleepers[i].lock = &l;
        assert_int_equal(pthread_create(&sleepers[i].thread, NULL, take_once, &sleepers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        while (__atomic_load_n(&l.word, __ATOMIC_RELAXED) != 2 || !sleeps(&sleepers[i]))
            sched_yield();
    lock_drop(&l);
    for (int i = 0; i < THREADS; i++)
        pthread_join(sleepers[i].thread, NULL);
    assert_true(lock_try(&l));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_has_it_has_it_alone),
        cmocka_unit_test(a_failed_trial_leaves_it_as_it_was),
        cmocka_unit_test(many_threads_count_with_it),
        cmocka_unit_test(every_sleeper_gets_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
