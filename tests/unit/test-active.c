/* Which threads have executed: marks by slot, of which none is passed over. */
#include "tests/unit/unit.h"

#include "tests/unit/records.h"

struct registry registry;

enum { RECORDS = 200 };

static int set_up(void **state) { return !(*state = make_records(RECORDS)); }

static void marks_stand_for_themselves(void **state)
{
    const struct thread *t = *state;
    mark_active(&t[63]);
    mark_active(&t[63]);
    mark_active(&t[64]);
    assert_true(is_active(&t[63]) && slot_is_active(64));
    assert_false(is_active(&t[62]) || is_active(&t[65]) || is_active(&t[127]));
    unmark_active(&t[63]);
    assert_false(is_active(&t[63]));
    assert_true(is_active(&t[64]));
}

/* At the ends of words, and behind words in which the rest is empty. */
static void each_is_found_once_and_in_order(void **state)
{
    static const uint32_t marked[] = {0, 1, 5, 63, 64, 66, 130, 191, 192, 199};
    const struct thread *t = *state;
    uint32_t slot = 0;
    for (size_t i = 0; i < sizeof marked / sizeof *marked; i++)
        mark_active(&t[marked[i]]);
    for (size_t i = 0; i < sizeof marked / sizeof *marked; i++)
        assert_ptr_equal(next_active(&slot), &t[marked[i]]);
    assert_null(next_active(&slot));
    assert_null(next_active(&slot));
}

/* Every third record is that of a thread; the others are in the pool. */
static void all_are_those_that_there_are(void **state)
{
    struct thread *t = *state;
    uint32_t slot = 0;
    registry.threads = NULL;
    for (uint32_t i = 0; i < RECORDS; i += 3) {
        t[i].next = registry.threads;
        registry.threads = &t[i];
    }
    mark_active(&t[1]);
    mark_none_active();
    assert_null(next_active(&slot));
    mark_all_active();
    slot = 0;
    for (uint32_t i = 0; i < RECORDS; i += 3)
        assert_ptr_equal(next_active(&slot), &t[i]);
    assert_null(next_active(&slot));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, free_records)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(marks_stand_for_themselves),
        TEST(each_is_found_once_and_in_order),
        TEST(all_are_those_that_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
