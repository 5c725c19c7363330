/* Waiters and releasers in threads: each wait is claimed at most once, and both sides know of it. */
#include "tests/unit/waitq-fixture.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

enum { RELEASERS = 3, PATIENT = 4, CYCLES = 4000 };

struct contest {
    struct waitq *q;
    uint32_t waiting;          /* waiter threads that are not done */
    uint32_t claims[PATIENT];  /* by releasers */
    uint32_t claimed[PATIENT]; /* as the waiters saw it */
    uint64_t ids[PATIENT];
};

struct contestant {
    struct contest *c;
    int n;
};

static void *be_patient(void *p)
{
    const struct contestant *me = p;
    struct contest *c = me->c;
    for (int i = 0; i < CYCLES; i++) {
        const void *object = &objects[i % 3];
        struct wait_slot *slot = waitq_register(c->q, &c->ids[me->n], object, WAITER_ANY);
        uint64_t word = wait_word(slot);
        bool blocked = wait_state(word) == WAIT_REGISTERED && wait_move(slot, word, WAIT_BLOCKED);
        for (int spin = 0; blocked && spin < 20 && wait_state(wait_word(slot)) == WAIT_BLOCKED; spin++)
            sched_yield();
        word = wait_word(slot);
        if (wait_state(word) == WAIT_CLAIMED || !wait_move(slot, word, WAIT_EARLY))
            c->claimed[me->n] += wait_state(wait_word(slot)) == WAIT_CLAIMED;
        waitq_leave(c->q, slot);
    }
    __atomic_fetch_sub(&c->waiting, 1, __ATOMIC_RELEASE);
    return NULL;
}

static void *release_often(void *p)
{
    const struct contestant *me = p;
    struct contest *c = me->c;
    for (unsigned i = 0; __atomic_load_n(&c->waiting, __ATOMIC_ACQUIRE); i++) {
        struct wait_slot *slot;
        void *intended = NULL;
        const void *object = &objects[i % 3];
        if (waitq_maybe_waiting(c->q, object) &&
            waitq_claim(c->q, object, WAITER_ANY, CLAIMED_SERVED, &slot, note, &intended) == WAIT_FOUND)
            __atomic_fetch_add(&c->claims[(uint64_t *)intended - c->ids], 1, __ATOMIC_RELAXED);
        if (i % 16 == 0)
            sched_yield();
    }
    return NULL;
}

static void every_wait_is_claimed_at_most_once(void **state)
{
    struct contest c = {.q = *state, .waiting = PATIENT};
    struct contestant who[RELEASERS + PATIENT];
    pthread_t threads[RELEASERS + PATIENT];
    uint32_t all = 0;
    for (int i = 0; i < RELEASERS + PATIENT; i++) {
        who[i] = (struct contestant){&c, i};
        assert_int_equal(pthread_create(&threads[i], NULL, i < PATIENT ? be_patient : release_often, &who[i]), 0);
    }
    for (int i = 0; i < RELEASERS + PATIENT; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < PATIENT; i++) {
        assert_int_equal(c.claims[i], c.claimed[i]);
        all += c.claims[i];
    }
    assert_true(all > 0);
    for (int i = 0; i < WAITQ_BUCKETS; i++)
        assert_int_equal((uint32_t)c.q->waiting[i], 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_wait_is_claimed_at_most_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
