/* For how long threads could run and did not: how that is counted, and what is found in it. */
#include "tests/parser/findings.h"

static void by_kernel(struct made *m)
{
    static const char note[] = "thrace switches lost 0";
    assert_true(gotrace_builder_string(m->b, note, sizeof note - 1));
}

static void preempt(struct made *m, uint64_t g, uint64_t from, uint64_t to)
{
    EVENT(m, g, from, GoStop, gotrace_builder_string(m->b, "preempted", 9), stack(m, NULL, NULL, "draw", 3, "worker"));
    if (to)
        start(m, g, to);
}

/* ---- sums ------------------------------------------------------------------------------------------------------- */

static void lengths_have_bounds(void **state)
{
    (void)state;
    assert_int_equal(run_queue_at_most(0), 1 * US);
    assert_int_equal(run_queue_at_most(1), 3 * US);
    assert_int_equal(run_queue_at_most(2), 10 * US);
    assert_int_equal(run_queue_at_most(RUN_QUEUE_LENGTHS - 2), UINT64_C(10000) * MS);
    assert_int_equal(run_queue_at_most(RUN_QUEUE_LENGTHS - 1), UINT64_MAX);
}

static void a_bound_is_of_the_length_below(void **state)
{
    (void)state;
    for (unsigned i = 0; i < RUN_QUEUE_LENGTHS - 1; i++)
        for (unsigned more = 0; more < 2; more++) {
            struct run_queue q;
            run_queue_init(&q);
            run_queue_add(&q, 1, 0, run_queue_at_most(i) + more);
            assert_int_equal(q.lengths[i + more].count, 1);
            run_queue_free(&q);
        }
}

static void each_length_has_its_place(void **state)
{
    struct run_queue q;
    (void)state;
    run_queue_init(&q);
    run_queue_add(&q, 1, 0, 1 * US);
    run_queue_add(&q, 1, 0, 1 * US + 1);
    run_queue_add(&q, 9, 8, 3 * US); /* in the place of 1 among the known */
    run_queue_add(&q, 9, 8, UINT64_MAX / 8);
    assert_int_equal(q.lengths[0].count, 1);
    assert_int_equal(q.lengths[1].count, 2);
    assert_int_equal(q.lengths[1].total, 4 * US + 1);
    assert_int_equal(q.lengths[RUN_QUEUE_LENGTHS - 1].count, 1);
    run_queue_end(&q);
    assert_int_equal(q.all.count, 4);
    assert_int_equal(q.all.max, UINT64_MAX / 8);
    assert_in_range(stat_group_percentile(&q.all, 50), 1 * US + 1, (1 * US + 1) * 17 / 16);
    assert_int_equal(q.reasons.list.n, 2);
    assert_int_equal(run_queue_of(&q, 7)->count, 2);
    assert_null(run_queue_of(&q, 8));
    assert_false(run_queue_failed(&q));
    run_queue_free(&q);
}

/*
 * 2 wakes 1, which runs 30 us later; before that 1 wakes itself, of which the kernel says that it runs then. Then it is
 * preempted.
 */
static void woken(bool kernel, struct stat *s)
{
    struct made m = begin(2);
    uint64_t lock = stack(&m, "mutex m", "pthread_mutex_lock", "take", 5, "worker");
    if (kernel)
        by_kernel(&m);
    block(&m, 1, 1 * MS, "sync", lock);
    EVENT(&m, 1, 2 * MS, GoUnblock, 1, ++m.seq[1], 0);
    start(&m, 1, 2 * MS + 5 * US);
    block(&m, 1, 3 * MS, "sync", lock);
    wake(&m, 2, 1, 4 * MS, 0);
    start(&m, 1, 4 * MS + 30 * US);
    preempt(&m, 1, 5 * MS, 7 * MS);
    EVENT(&m, 2, 8 * MS, GoDestroy);
    read_all(s, &m, true);
}

static const struct stat_thread *thread(const struct stat *s, uint64_t id)
{
    for (size_t i = 0; i < s->threads.apart.n; i++)
        if (s->threads.apart.v[i].id == id)
            return &s->threads.apart.v[i];
    fail_msg("no goroutine %d", (int)id);
    return NULL;
}

static void times_are_of_threads_and_locks(void **state)
{
    struct stat s;
    (void)state;
    woken(true, &s);
    assert_int_equal(s.run_queue.all.count, 2);
    assert_int_equal(s.run_queue.all.total, 2 * MS + 30 * US);
    assert_int_equal(s.run_queue.objects.list.n, 1);
    assert_int_equal(s.run_queue.objects.list.v[0].count, 1);
    assert_int_equal(s.run_queue.objects.list.v[0].total, 30 * US);
    assert_int_equal(thread(&s, 1)->queued, 2);
    assert_int_equal(thread(&s, 1)->longest_queued, 2 * MS);
    assert_int_equal(thread(&s, 2)->queued, 0);
    stat_free(&s);
    woken(false, &s);
    assert_int_equal(s.run_queue.all.count, 3);
    assert_int_equal(s.run_queue.objects.list.v[0].total, 35 * US);
    stat_free(&s);
}

/* ---- what is found ---------------------------------------------------------------------------------------------- */

/* Two of four have lost their processors. */
static size_t crowded(bool kernel)
{
    struct finding it;
    struct made m = begin(4);
    gomaxprocs(&m, 2);
    if (kernel)
        by_kernel(&m);
    sample(&m, 5 * MS, 2, "draw");
    preempt(&m, 3, 6 * MS, 0);
    preempt(&m, 4, 7 * MS, 0);
    size_t is = found(&m, 100 * MS, FINDING_CROWD, &it);
    if (is)
        assert_int_equal(it.n, 4);
    return is;
}

static void who_could_run_is_in_the_crowd(void **state)
{
    (void)state;
    assert_int_equal(crowded(true), 1);
    assert_int_equal(crowded(false), 0);
}

/* 1 executes all the time, and 2 for the rest of each 10 ms. */
static size_t denied(bool kernel, uint64_t processors, uint64_t times, uint64_t ns, struct finding *it)
{
    struct made m = begin(2);
    gomaxprocs(&m, processors);
    if (kernel)
        by_kernel(&m);
    for (uint64_t i = 0; i < times; i++)
        preempt(&m, 2, 1 * MS + 10 * MS * i, 1 * MS + 10 * MS * i + ns);
    return found(&m, 100 * MS, FINDING_DENIED, it);
}

static void others_have_the_processors(void **state)
{
    struct finding it;
    (void)state;
    assert_int_equal(denied(true, 2, 9, 8 * MS, &it), 1);
    assert_int_equal(it.waits, 9);
    assert_int_equal(it.cost, 72 * MS);
    assert_int_equal(it.time, 72 * MS);
    assert_int_equal(it.part, 8 * MS);
    assert_int_equal(it.m, 2);
    assert_int_equal(denied(false, 2, 9, 8 * MS, &it), 0);
    assert_int_equal(denied(true, 1, 9, 8 * MS, &it), 0); /* the other thread has it */
    assert_int_equal(denied(true, 2, 4, 8 * MS, &it), 0);
    assert_int_equal(denied(true, 2, 9, 2 * MS, &it), 0);
}

/* Times as of wake-ups, and of two at a time, of which the one that begins last ends first. */
static void short_times_do_not_count(void **state)
{
    struct finding it;
    struct made m = begin(3);
    (void)state;
    gomaxprocs(&m, 3);
    by_kernel(&m);
    for (uint64_t i = 0; i < 90; i++)
        preempt(&m, 2, 1 * MS + MS * i, 1 * MS + MS * i + 999 * US);
    assert_int_equal(found(&m, 100 * MS, FINDING_DENIED, &it), 0);
    m = begin(3);
    gomaxprocs(&m, 3);
    by_kernel(&m);
    for (uint64_t i = 0; i < 9; i++) {
        uint64_t at = 1 * MS + 10 * MS * i;
        EVENT(&m, 2, at, GoStop, gotrace_builder_string(m.b, "preempted", 9), 0);
        preempt(&m, 3, at + 1 * MS, at + 5 * MS);
        start(&m, 2, at + 6 * MS);
    }
    assert_int_equal(found(&m, 100 * MS, FINDING_DENIED, &it), 1);
    assert_int_equal(it.cost, 54 * MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_have_bounds),
        cmocka_unit_test(a_bound_is_of_the_length_below),
        cmocka_unit_test(each_length_has_its_place),
        cmocka_unit_test(times_are_of_threads_and_locks),
        cmocka_unit_test(who_could_run_is_in_the_crowd),
        cmocka_unit_test(others_have_the_processors),
        cmocka_unit_test(short_times_do_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
