/* Which goroutine a thread's handle is of. */
#include "tests/unit/unit.h"

#include "preload/handles.h"

static void a_handle_is_that_of_the_last_thread(void **state)
{
    assert_int_equal(handle_goroutine(4096), 0);
    handle_remember(4096, 5);
    handle_remember(8192, 6);
    assert_int_equal(handle_goroutine(4096), 5);
    assert_int_equal(handle_goroutine(8192), 6);
    handle_remember(4096, 7);
    assert_int_equal(handle_goroutine(4096), 7);
    handle_remember(4096, 5); /* a creator that comes late */
    assert_int_equal(handle_goroutine(4096), 7);
}

/* The oldest are forgotten, and none is taken for another. */
static void too_many_handles_are_forgotten(void **state)
{
    uint64_t known = 0;
    for (uint64_t g = 100; g < 100100; g++)
        handle_remember(g << 12, g);
    for (uint64_t g = 100; g < 100100; g++) {
        uint64_t there = handle_goroutine(g << 12);
        assert_true(!there || there == g);
        known += there > 0;
    }
    assert_in_range(known, 8000, 1 << 14);
    for (uint64_t g = 100100 - 500; g < 100100; g++)
        assert_int_equal(handle_goroutine(g << 12), g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_handle_is_that_of_the_last_thread),
        cmocka_unit_test(too_many_handles_are_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
