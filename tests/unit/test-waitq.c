/* Who waits for what: waiters are found in the order in which they came, and each at most once. */
#include "tests/unit/waitq-fixture.h"

#include <stdbool.h>

/* Waiters are addresses only, too. */
static uint64_t waiters[64];

static struct wait_slot *wait_for(struct waitq *q, int waiter, const void *object, enum waiter_kind kind)
{
    struct wait_slot *slot = waitq_register(q, &waiters[waiter], object, kind);
    assert_non_null(slot);
    assert_int_equal(wait_state(wait_word(slot)), WAIT_REGISTERED);
    assert_ptr_equal(wait_waiter(wait_word(slot)), &waiters[waiter]);
    assert_true(wait_move(slot, wait_word(slot), WAIT_BLOCKED));
    return slot;
}

/* The number of the waiter that a release claims, -1 for nobody. */
static int release_after(struct waitq *q, const void *object, enum waiter_kind kind, enum wait_claimed claimed)
{
    struct wait_slot *slot;
    void *intended = NULL;
    enum wait_found found = waitq_claim(q, object, kind, claimed, &slot, note, &intended);
    if (found == WAIT_NOBODY)
        return -1;
    assert_int_equal(found, WAIT_FOUND);
    assert_non_null(slot);
    assert_int_equal(wait_state(wait_word(slot)), WAIT_CLAIMED);
    assert_ptr_equal(wait_waiter(wait_word(slot)), intended);
    return (int)((uint64_t *)intended - waiters);
}

static int release(struct waitq *q, const void *object, enum waiter_kind kind)
{
    return release_after(q, object, kind, CLAIMED_SERVED);
}

static void who_came_first_is_claimed_first(void **state)
{
    struct waitq *q = *state;
    struct wait_slot *slots[6];
    for (int i = 0; i < 6; i++)
        slots[i] = wait_for(q, i, &objects[0], WAITER_ANY);
    waitq_leave(q, slots[2]);
    waitq_leave(q, slots[0]);
    slots[0] = wait_for(q, 10, &objects[0], WAITER_ANY); /* an early slot, but a late ticket */
    static const int order[] = {1, 3, 4, 5, 10, -1};
    for (size_t i = 0; i < ARRAY_SIZE(order); i++)
        assert_int_equal(release(q, &objects[0], WAITER_ANY), order[i]);
}

/* Nobody is claimed for that, and who waits still is. */
static void an_object_may_be_expected_to_have_waiters(void **state)
{
    struct waitq *q = *state;
    assert_false(waitq_maybe_waiting(q, &objects[0]));
    waitq_expect(q, &objects[0]);
    assert_true(waitq_maybe_waiting(q, &objects[0]));
    assert_false(waitq_may_claim(q, &objects[0], CLAIMED_QUEUED));
    assert_int_equal(release(q, &objects[0], WAITER_ANY), -1);
    struct wait_slot *first = wait_for(q, 1, &objects[0], WAITER_ANY);
    wait_for(q, 2, &objects[0], WAITER_ANY);
    assert_true(waitq_may_claim(q, &objects[0], CLAIMED_QUEUED));
    assert_int_equal(release(q, &objects[0], WAITER_ANY), 1);
    waitq_leave(q, first);
    waitq_unexpect(q, &objects[0]);
    assert_int_equal(release(q, &objects[0], WAITER_ANY), 2);
    assert_int_equal(release(q, &objects[0], WAITER_ANY), -1);
}

static void who_came_last_is_claimed_first_where_that_is_so(void **state)
{
    struct waitq *q = *state;
    for (int i = 0; i < 4; i++)
        wait_for(q, i, &objects[0], WAITER_LATEST);
    wait_for(q, 9, &objects[0], WAITER_READER);
    static const int order[] = {3, 2, 1, 0, -1};
    for (size_t i = 0; i < ARRAY_SIZE(order); i++)
        assert_int_equal(release(q, &objects[0], WAITER_LATEST), order[i]);
}

static void who_waits_for_something_else_now_is_not_claimed(void **state)
{
    struct waitq *q = *state;
    struct wait_slot *slots[4];
    for (int i = 0; i < 4; i++)
        slots[i] = wait_for(q, i, &objects[0], WAITER_ANY);
    assert_int_equal(release(q, &objects[0], WAITER_ANY), 0);
    waitq_detach(q, &objects[1], 1);
    waitq_detach(q, &objects[0], 2);
    for (int i = 0; i < 4; i++)
        assert_int_equal(wait_state(wait_word(slots[i])), i == 0 ? WAIT_CLAIMED : i == 3 ? WAIT_BLOCKED : WAIT_EARLY);
    assert_int_equal(release(q, &objects[0], WAITER_ANY), 3);
    assert_int_equal(release(q, &objects[0], WAITER_ANY), -1);
    waitq_detach(q, &objects[0], UINT32_MAX);
    for (int i = 0; i < 4; i++)
        waitq_leave(q, slots[i]);
    assert_false(waitq_maybe_waiting(q, &objects[0]));
}

static void other_objects_are_left_alone(void **state)
{
    struct waitq *q = *state;
    assert_false(waitq_maybe_waiting(q, &objects[0]));
    assert_int_equal(release(q, &objects[0], WAITER_ANY), -1);
    struct wait_slot *slot = wait_for(q, 0, &objects[0], WAITER_ANY);
    assert_true(waitq_maybe_waiting(q, &objects[0]));
    for (int i = 1; i < 64; i++)
        assert_int_equal(release(q, &objects[i], WAITER_ANY), -1);
    waitq_leave(q, slot);
    assert_false(waitq_maybe_waiting(q, &objects[0]));
    assert_int_equal(release(q, &objects[0], WAITER_ANY), -1);
}

static const void *same_bucket(const void *object, int n)
{
    const char *p = object;
    while (n > 0)
        n -= waitq_bucket(p += 8) == waitq_bucket(object);
    return p;
}

static void objects_in_one_bucket_are_told_apart(void **state)
{
    struct waitq *q = *state;
    const void *a = &objects[0], *b = same_bucket(a, 1);
    struct wait_slot *first = wait_for(q, 0, a, WAITER_ANY);
    wait_for(q, 1, b, WAITER_ANY);
    assert_int_equal(release(q, b, WAITER_ANY), 1);
    assert_int_equal(release(q, b, WAITER_ANY), -1);
    assert_true(waitq_maybe_waiting(q, b));
    assert_int_equal(release(q, a, WAITER_ANY), 0);
    waitq_leave(q, first);
    assert_true(waitq_maybe_waiting(q, a)); /* the claimed waiter of b has not left */
}

static void a_full_bucket_takes_nothing_of_the_next(void **state)
{
    struct waitq *q = *state;
    const void *neighbour = &objects[0];
    for (int i = 0; i < 40; i++)
        wait_for(q, i, &objects[0], WAITER_ANY);
    while (waitq_bucket(neighbour) != (waitq_bucket(&objects[0]) + 1) % WAITQ_BUCKETS)
        neighbour = (const char *)neighbour + 8;
    assert_int_equal(wait_for(q, 50, neighbour, WAITER_ANY)->place, 0);
    assert_int_equal(release(q, neighbour, WAITER_ANY), 50);
    for (int i = 0; i < 40; i++)
        assert_int_equal(release(q, &objects[0], WAITER_ANY), i);
}

/* Two crowds, each larger than a bucket's places next to each other: all are found, and in order. */
static void crowds_wait_beside_each_other(void **state)
{
    enum { CROWD = 300 };
    struct waitq *q = *state;
    struct wait_slot *slots[2][CROWD];
    const void *object[2] = {&objects[0], &objects[1]};
    for (int i = 0; i < CROWD; i++)
        for (int o = 0; o < 2; o++)
            slots[o][i] = wait_for(q, i % 60 + o, object[o], WAITER_ANY);
    for (int i = 0; i < CROWD; i += 2) /* holes, and who comes next takes them */
        waitq_leave(q, slots[0][i]);
    for (int i = 0; i < CROWD; i += 2)
        assert_true(wait_for(q, 7, object[0], WAITER_ANY)->place < CROWD);
    for (int i = 0; i < CROWD; i++)
        assert_int_equal(release(q, object[1], WAITER_ANY), i % 60 + 1);
    for (int i = 1; i < CROWD; i += 2)
        assert_int_equal(release(q, object[0], WAITER_ANY), i % 60);
    for (int i = 0; i < CROWD; i += 2)
        assert_int_equal(release(q, object[0], WAITER_ANY), 7);
    assert_int_equal(release(q, object[0], WAITER_ANY), -1);
}

static void nobody_is_too_late_to_be_found(void **state)
{
    enum { CROWD = 9000 };
    struct waitq *q = *state;
    for (int i = 0; i < CROWD; i++)
        wait_for(q, i % 60, &objects[0], WAITER_ANY);
    for (int i = 0; i < CROWD; i++)
        assert_int_equal(release(q, &objects[0], WAITER_ANY), i % 60);
}

static void a_release_is_for_its_kind(void **state)
{
    struct waitq *q = *state;
    wait_for(q, 0, &objects[0], WAITER_READER);
    wait_for(q, 1, &objects[0], WAITER_WRITER);
    wait_for(q, 2, &objects[0], WAITER_READER);
    assert_int_equal(release(q, &objects[0], WAITER_WRITER), 1);
    assert_int_equal(release(q, &objects[0], WAITER_WRITER), -1);
    assert_int_equal(release(q, &objects[0], WAITER_ANY), 0);
    assert_int_equal(release(q, &objects[0], WAITER_READER), 2);
}

static void who_does_not_wait_yet_is_told_to_look_again(void **state)
{
    struct waitq *q = *state;
    void *intended = NULL;
    struct wait_slot *claimed, *slot = waitq_register(q, &waiters[0], &objects[0], WAITER_ANY);
    assert_int_equal(waitq_claim(q, &objects[0], WAITER_ANY, CLAIMED_SERVED, &claimed, note, &intended),
                     WAIT_FOUND_EARLY);
    assert_null(claimed);
    assert_null(intended);
    assert_int_equal(wait_state(wait_word(slot)), WAIT_EARLY);
    assert_int_equal(waitq_claim(q, &objects[0], WAITER_ANY, CLAIMED_SERVED, &claimed, note, &intended), WAIT_NOBODY);
    assert_true(wait_move(slot, wait_word(slot), WAIT_REGISTERED));
    assert_true(wait_move(slot, wait_word(slot), WAIT_BLOCKED));
    assert_int_equal(release(q, &objects[0], WAITER_ANY), 0);
}

static void it_is_known_before_whether_a_claim_finds_somebody(void **state)
{
    struct waitq *q = *state;
    assert_false(waitq_may_claim(q, &objects[0], CLAIMED_SERVED));
    assert_false(waitq_may_claim(q, &objects[0], CLAIMED_COMING));
    wait_for(q, 0, &objects[0], WAITER_WRITER);
    wait_for(q, 1, &objects[0], WAITER_READER);
    assert_true(waitq_may_claim(q, &objects[0], CLAIMED_SERVED));
    assert_true(waitq_may_claim(q, &objects[0], CLAIMED_COMING));
    assert_int_equal(release(q, &objects[0], WAITER_WRITER), 0);
    assert_true(waitq_may_claim(q, &objects[0], CLAIMED_SERVED));
    assert_false(waitq_may_claim(q, &objects[0], CLAIMED_COMING)); /* the one that was claimed is coming */
    assert_int_equal(release(q, &objects[0], WAITER_READER), 1);
    assert_false(waitq_may_claim(q, &objects[0], CLAIMED_SERVED)); /* though both are still there */
    assert_true(waitq_may_claim(q, &objects[0], CLAIMED_QUEUED));
    assert_non_null(waitq_register(q, &waiters[2], &objects[0], WAITER_ANY));
    assert_true(waitq_may_claim(q, &objects[0], CLAIMED_SERVED));
}

/* A lock that is taken by somebody else before a woken thread gets there. */
static void who_was_woken_in_vain_queues_again(void **state)
{
    struct waitq *q = *state;
    const void *lock = &objects[0];
    struct wait_slot *first = wait_for(q, 0, lock, WAITER_ANY);
    wait_for(q, 1, lock, WAITER_ANY);
    assert_int_equal(release_after(q, lock, WAITER_ANY, CLAIMED_QUEUED), 0);
    wait_for(q, 2, lock, WAITER_ANY);
    assert_int_equal(release_after(q, lock, WAITER_ANY, CLAIMED_COMING), -1);
    assert_int_equal(release_after(q, lock, WAITER_ANY, CLAIMED_QUEUED), 1);  /* was there before 0 came back */
    assert_int_equal(release_after(q, lock, WAITER_ANY, CLAIMED_QUEUED), -1); /* 0 again, ahead of 2 */
    waitq_leave(q, first);
    assert_int_equal(release_after(q, lock, WAITER_ANY, CLAIMED_QUEUED), 2);
    assert_int_equal(release_after(q, lock, WAITER_ANY, CLAIMED_QUEUED), -1); /* 1 again */
}

/* A slot that is taken but not filled in yet still has the object and the ticket of who had it before. */
static void who_is_just_coming_has_no_turn(void **state)
{
    struct waitq *q = *state;
    const void *lock = &objects[0];
    struct wait_slot *old = wait_for(q, 0, lock, WAITER_ANY);
    wait_for(q, 1, lock, WAITER_ANY);
    old->word = WAIT_WOKEN;
    assert_int_equal(release_after(q, lock, WAITER_ANY, CLAIMED_COMING), 1);
    assert_int_equal(release_after(q, lock, WAITER_ANY, CLAIMED_SERVED), -1);
    /* With a waiter it is one that was woken in an earlier generation. */
    old->word = (uint64_t)(uintptr_t)&waiters[0] | WAIT_WOKEN;
    wait_for(q, 2, lock, WAITER_ANY);
    assert_int_equal(release_after(q, lock, WAITER_ANY, CLAIMED_COMING), -1);
    assert_int_equal(release_after(q, lock, WAITER_ANY, CLAIMED_SERVED), 2);
}

static void who_comes_before_a_woken_thread_finds_out_is_ahead_of_it(void **state)
{
    struct waitq *q = *state;
    const void *lock = &objects[0], *other = same_bucket(lock, 1);
    wait_for(q, 0, lock, WAITER_ANY);
    wait_for(q, 4, other, WAITER_ANY);
    assert_int_equal(release_after(q, lock, WAITER_ANY, CLAIMED_QUEUED), 0);
    assert_int_equal(release_after(q, other, WAITER_ANY, CLAIMED_QUEUED), 4);
    wait_for(q, 5, other, WAITER_ANY);
    waitq_overtake(q, wait_for(q, 1, lock, WAITER_ANY));
    wait_for(q, 2, lock, WAITER_ANY);
    assert_int_equal(release_after(q, lock, WAITER_ANY, CLAIMED_QUEUED), 1);
    assert_int_equal(release_after(q, lock, WAITER_ANY, CLAIMED_QUEUED), -1); /* 0 again */
    assert_int_equal(release_after(q, lock, WAITER_ANY, CLAIMED_QUEUED), 2);
    assert_int_equal(release_after(q, other, WAITER_ANY, CLAIMED_QUEUED), -1); /* 4 was not overtaken by 5 */
    assert_int_equal(release_after(q, other, WAITER_ANY, CLAIMED_QUEUED), 5);
}

static void an_old_word_moves_nothing(void **state)
{
    struct waitq *q = *state;
    struct wait_slot *slot = wait_for(q, 0, &objects[0], WAITER_ANY);
    uint64_t old = wait_word(slot);
    waitq_leave(q, slot);
    assert_false(wait_move(slot, old, WAIT_CLAIMED));
    assert_ptr_equal(wait_for(q, 0, &objects[0], WAITER_ANY), slot); /* the same waiter again, blocked again */
    assert_false(wait_move(slot, old, WAIT_CLAIMED));
    assert_true(wait_move(slot, wait_word(slot), WAIT_CLAIMED));
    assert_false(wait_move(slot, old, WAIT_BLOCKED));
}

/* Waiters that come and go between a releaser's look and its claim. */
struct intruder {
    struct waitq *q;
    struct wait_slot *slot;
    int rounds, intended;
};

static void leave_and_return(void *arg, void *waiter)
{
    struct intruder *in = arg;
    in->intended = (int)((uint64_t *)waiter - waiters);
    if (in->rounds-- > 0) {
        waitq_leave(in->q, in->slot);
        in->slot = wait_for(in->q, in->intended + 1, &objects[0], WAITER_ANY);
    }
}

static void a_claim_that_lost_its_waiter_takes_the_next(void **state)
{
    struct intruder in = {.q = *state, .rounds = 5};
    struct wait_slot *claimed;
    in.slot = wait_for(in.q, 0, &objects[0], WAITER_ANY);
    assert_int_equal(waitq_claim(in.q, &objects[0], WAITER_ANY, CLAIMED_SERVED, &claimed, leave_and_return, &in),
                     WAIT_FOUND);
    assert_int_equal(in.intended, 5);
    assert_ptr_equal(claimed, in.slot);
}

static void stay_ahead(void *arg, void *waiter)
{
    struct intruder *in = arg;
    in->rounds++;
    waitq_leave(in->q, in->slot);
    in->slot = wait_for(in->q, 0, &objects[0], WAITER_ANY);
}

static void a_claim_does_not_try_for_ever(void **state)
{
    struct intruder in = {.q = *state};
    struct wait_slot *claimed;
    in.slot = wait_for(in.q, 0, &objects[0], WAITER_ANY);
    assert_int_equal(waitq_claim(in.q, &objects[0], WAITER_ANY, CLAIMED_SERVED, &claimed, stay_ahead, &in),
                     WAIT_NOBODY);
    assert_null(claimed);
    assert_true(in.rounds > 1);
}

static void a_full_array_refuses(void **state)
{
    struct waitq *q = *state;
    struct wait_slot *slot, *last = NULL;
    int n = 0;
    for (; (slot = waitq_register(q, &waiters[0], &objects[n % 64], WAITER_ANY)); n++)
        if (n % 64 == 5)
            last = slot;
    assert_true(n > WAITQ_SHARED);
    assert_null(waitq_register(q, &waiters[0], &objects[5], WAITER_ANY));
    waitq_leave(q, last);
    assert_ptr_equal(waitq_register(q, &waiters[0], &objects[5], WAITER_ANY), last);
    for (int i = 0; i < WAITQ_SLOTS; i++)
        if (wait_word(&q->slots[i]))
            waitq_leave(q, &q->slots[i]);
    for (int i = 0; i < WAITQ_BUCKETS; i++)
        assert_int_equal((uint32_t)q->waiting[i], 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(who_came_first_is_claimed_first),
        TEST(who_came_last_is_claimed_first_where_that_is_so),
        TEST(an_object_may_be_expected_to_have_waiters),
        TEST(who_waits_for_something_else_now_is_not_claimed),
        TEST(other_objects_are_left_alone),
        TEST(objects_in_one_bucket_are_told_apart),
        TEST(a_full_bucket_takes_nothing_of_the_next),
        TEST(crowds_wait_beside_each_other),
        TEST(nobody_is_too_late_to_be_found),
        TEST(a_release_is_for_its_kind),
        TEST(who_does_not_wait_yet_is_told_to_look_again),
        TEST(it_is_known_before_whether_a_claim_finds_somebody),
        TEST(who_was_woken_in_vain_queues_again),
        TEST(who_is_just_coming_has_no_turn),
        TEST(who_comes_before_a_woken_thread_finds_out_is_ahead_of_it),
        TEST(an_old_word_moves_nothing),
        TEST(a_claim_that_lost_its_waiter_takes_the_next),
        TEST(a_claim_does_not_try_for_ever),
        TEST(a_full_array_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
