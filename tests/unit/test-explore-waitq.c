/* The queue of waiters, in every order of its steps; waitq.pml (docs/models) shows the same of a model. */
#include "tests/unit/explore.h"

#include "lib/waitq.c"

#include "tests/unit/explored-model.h"
#include "tests/unit/unit.h"

static struct waitq *q;
static uint64_t memory[1 << 16];
static const void *ours, *theirs; /* objects of one bucket */
static const void *waiters[EXPLORE_THREADS]; /* what each waits for */

static bool is_waiting, is_released;
static unsigned claims, claimed;

static void find_objects(void)
{
    ours = &memory[0];
    for (unsigned i = 1; i < sizeof memory / sizeof *memory && !theirs; i++)
        if (waitq_bucket(&memory[i]) == waitq_bucket(ours))
            theirs = &memory[i];
    assert_non_null(theirs);
}

static void begin(void)
{
    explored_renew_bucket(q, ours);
    is_waiting = is_released = false;
    claims = claimed = 0;
}

/* The slot, blocked; NULL: a release came before. */
static struct wait_slot *wait_for(unsigned me, const void *object)
{
    waiters[me] = object;
    struct wait_slot *slot = waitq_register(q, &waiters[me], object, WAITER_ANY);
    explore_check(slot);
    if (wait_move(slot, (wait_word(slot) & ~(uint64_t)WAIT_STATE_MASK) | WAIT_REGISTERED, WAIT_BLOCKED))
        return slot;
    waitq_leave(q, slot);
    return NULL;
}

static void stop_waiting(struct wait_slot *slot)
{
    uint64_t word;
    do
        word = wait_word(slot);
    while (wait_state(word) != WAIT_CLAIMED && !wait_move(slot, word, WAIT_EARLY));
    claimed += wait_state(word) == WAIT_CLAIMED;
    waitq_leave(q, slot);
}

/* Waits, and then once more, until it is released. */
static void wait_for_ours(unsigned me)
{
    struct wait_slot *slot = wait_for(me, ours);
    explore_check(slot);
    stop_waiting(slot);
    explore_check((slot = wait_for(me, ours)));
    is_waiting = true;
    explore_stored();
    while (!is_released)
        explore_wait();
    stop_waiting(slot);
}

static void come_and_go(unsigned me)
{
    struct wait_slot *slot = wait_for(me, theirs);
    if (slot)
        stop_waiting(slot);
}

static void note(void *arg, void *waiter) { *(void **)arg = waiter; }

static void release_ours(unsigned me)
{
    struct wait_slot *slot;
    void *waiter = NULL;
    while (!is_waiting)
        explore_wait();
    explore_check(waitq_maybe_waiting(q, ours));
    explore_check(waitq_claim(q, ours, WAITER_ANY, CLAIMED_SERVED, &slot, note, &waiter) == WAIT_FOUND);
    explore_check(waiter == &waiters[0]);
    claims++;
    is_released = true;
    explore_stored();
}

static void release_theirs(unsigned me)
{
    struct wait_slot *slot;
    void *waiter = NULL;
    if (waitq_claim(q, theirs, WAITER_ANY, CLAIMED_SERVED, &slot, note, &waiter) != WAIT_FOUND)
        return;
    explore_check(*(const void **)waiter == theirs);
    claims++;
}

static void all_have_left(void)
{
    explore_check(claims == claimed);
    explore_check((uint32_t)q->waiting[waitq_bucket(ours)] == 0);
    for (uint32_t place = 0; place < WAITQ_HOME; place++)
        explore_check(slot_at(q, waitq_bucket(ours), place)->word == 0);
}

static void a_release_finds_who_waits(void **state)
{
    const struct exploration e = {
        .name = "who waits while others come and go",
        .n = 4,
        .begin = begin,
        .thread = {wait_for_ours, come_and_go, come_and_go, release_ours},
        .end = all_have_left,
        .late_stores = true,
    };
    explore(&e);
}

static void a_wait_is_claimed_once(void **state)
{
    const struct exploration e = {
        .name = "two that release, three that wait",
        .n = 5,
        .begin = begin,
        .thread = {come_and_go, come_and_go, come_and_go, release_theirs, release_theirs},
        .end = all_have_left,
        .late_stores = true,
    };
    explore(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_release_finds_who_waits),
        cmocka_unit_test(a_wait_is_claimed_once),
    };
    find_objects();
    q = calloc(1, sizeof *q);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(q);
    return failed;
}
