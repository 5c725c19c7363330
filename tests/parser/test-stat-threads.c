/* What is summed up of threads: one by one, by name, and where they ran. */
#include "tests/parser/waits.h"

static const struct stat_thread *thread(const struct stat *s, uint64_t id)
{
    for (size_t i = 0; i < s->threads.apart.n; i++)
        if (s->threads.apart.v[i].id == id)
            return &s->threads.apart.v[i];
    fail_msg("no goroutine %d", (int)id);
    return NULL;
}

/* Goroutine 1 leaves thread 1 and goes on at thread 2, which goroutine 2 has left for good. */
static void a_goroutine_that_moves_has_no_thread(void **state)
{
    struct made m = begin(3);
    struct stat s;
    uint64_t lock = stack(&m, "mutex m", "wait", "lock", 5, "thread");
    block(&m, 1, 100, "sync", lock);
    block(&m, 2, 110, "sync", lock);
    wake(&m, 3, 1, 200, 0);
    EVENT(&m, 2, 210, GoStart, 1, ++m.seq[1]);
    read_all(&s, &m, true);
    assert_true(thread(&s, 1)->tid == GOTRACE_NONE);
    assert_int_equal(thread(&s, 2)->tid, 2);
    assert_int_equal(thread(&s, 3)->tid, 3);
    stat_free(&s);
}

/* 12 threads of two names, of which 10 are kept apart: those that ran longest. */
static void threads_are_summed_up_by_name(void **state)
{
    enum { N = 12, ROWS = 10 };
    struct made m = begin(1);
    struct stat s;
    uint64_t names[] = {stack(&m, NULL, NULL, NULL, 1, "even"), stack(&m, NULL, NULL, NULL, 1, "odd")};
    for (uint64_t g = 2; g < 2 + N; g++)
        EVENT(&m, 1, 100 + g, GoCreate, g, names[g % 2], 0);
    for (uint64_t g = 2; g < 2 + N; g++) {
        EVENT(&m, g, 200 + g, ProcStatus, g, 1);
        start(&m, g, 300 + g);
        EVENT(&m, g, 300 + 11 * g, GoDestroy);
    }
    EVENT(&m, 1, 1000, GoStop, gotrace_builder_string(m.b, "x", 1), names[0]);
    read_all(&s, &m, true);
    assert_int_equal(s.threads.apart.n, ROWS);
    assert_int_equal(s.threads.apart.v[0].id, 1);
    assert_int_equal(s.threads.apart.v[1].id, 13);
    assert_int_equal(s.threads.others.n, 1 + N - ROWS);
    assert_int_equal(s.threads.others.time[GOTRACE_STATE_RUNNING], 10 * (2 + 3 + 4));
    assert_int_equal(s.threads.names.n, 2);
    assert_string_equal(stat_text_of(&s.spans.texts, s.threads.names.v[0].name), "even");
    assert_int_equal(s.threads.names.v[0].n, 1 + N / 2);
    assert_int_equal(s.threads.names.v[0].time[GOTRACE_STATE_RUNNING],
                     s.threads.apart.v[0].time[GOTRACE_STATE_RUNNING] + 10 * (2 + 4 + 6 + 8 + 10 + 12));
    assert_int_equal(s.threads.names.v[1].n, N / 2);
    assert_int_equal(s.threads.names.v[1].time[GOTRACE_STATE_RUNNING], 10 * (3 + 5 + 7 + 9 + 11 + 13));
    stat_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_goroutine_that_moves_has_no_thread),
        cmocka_unit_test(threads_are_summed_up_by_name),
    };
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
