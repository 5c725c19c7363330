/* What is found of sleeps in vain in small traces. */
#include "tests/parser/findings.h"

static uint64_t sleeps(struct made *m, uint64_t g, int naps, uint64_t at)
{
    for (int n = 0; n <= naps; n++, at += 5 * MS + 30 * US) {
        block(m, g, at, "sleep", stack(m, NULL, "usleep", "look", 5, "poller"));
        EVENT(m, g, at + 5 * MS, GoUnblock, g, ++m->seq[g], 0);
        start(m, g, at + 5 * MS + 10);
    }
    return at;
}

/* It sleeps `naps` times for 5 ms with nothing between, then it is in a call, or computes. */
static uint64_t polls_of(struct made *m, uint64_t g, uint64_t at, int rows, int naps, bool call_after)
{
    for (int i = 0; i < rows; i++, at += 2 * MS) {
        at = sleeps(m, g, naps, at);
        if (call_after)
            call(m, g, at, at + 1 * MS, stack(m, NULL, "write", "answer", 9, "poller"));
    }
    return at;
}

static uint64_t polls(struct made *m, int rows, int naps, bool call_after)
{
    return polls_of(m, 2, 1 * MS, rows, naps, call_after);
}

static void polling(void **state)
{
    struct finding it;
    (void)state;
    struct made m = begin(2);
    uint64_t end = polls(&m, 5, 4, true);
    assert_int_equal(found(&m, end, FINDING_POLLING, &it), 1);
    assert_int_equal(it.n, 20);
    assert_int_equal(it.m, 5);
    m = begin(2);
    end = polls(&m, 4, 6, true);
    assert_int_equal(found(&m, end, FINDING_POLLING, &it), 0); /* four rows */
    m = begin(2);
    end = polls(&m, 20, 2, true);
    assert_int_equal(found(&m, end, FINDING_POLLING, &it), 0); /* two sleeps are no row */
    m = begin(2);
    end = polls(&m, 10, 4, false);
    assert_int_equal(found(&m, end, FINDING_POLLING, &it), 0); /* a clock: nothing else comes of it */
}

/* What several sleep at a time is wall time only once. */
static void polling_of_two(void **state)
{
    struct finding it;
    (void)state;
    struct made m = begin(3);
    uint64_t end = polls_of(&m, 3, 3 * MS, 5, 4, true);
    polls(&m, 5, 4, true);
    assert_int_equal(found(&m, end, FINDING_POLLING, &it), 1);
    assert_in_range(it.part, 199 * MS, 200 * MS);
    assert_in_range(it.cost, 109 * MS, 111 * MS);
}

/* 2 sleeps, and then releases a lock for which 3 has waited since: before that, or after the sleep. */
static size_t locked_polls(uint64_t since, uint64_t by)
{
    struct finding it;
    struct made m = begin(3);
    uint64_t at = 1 * MS, other = by == 2 ? 3 : 2;
    for (int i = 0; i < 10; i++, at += 2 * MS) {
        uint64_t begins = at;
        at = sleeps(&m, 2, 4, at);
        block(&m, other, since ? at + since : begins + 1 * MS, "sync", LOCKED(&m, 7));
        wake(&m, by, other, at + 10 * US, RELEASED(&m));
        start(&m, other, at + 20 * US);
    }
    return found(&m, at, FINDING_POLLING, &it);
}

static void sleeps_and_locks(void **state)
{
    (void)state;
    assert_int_equal(locked_polls(5 * US, 2), 1);
    assert_int_equal(locked_polls(0, 2), 0);      /* it had the lock while it slept */
    assert_int_equal(locked_polls(5 * US, 3), 0); /* it waits for the lock: maybe to look */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polling),
        cmocka_unit_test(polling_of_two),
        cmocka_unit_test(sleeps_and_locks),
    };
    return cmocka_run_group_tests_name("findings about sleeps", tests, NULL, NULL);
}
