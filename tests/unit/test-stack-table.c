/* The stacks of a recording: by generation and ID, each with its PCs, whoever else adds PCs in between. */
#include "tests/unit/unit.h"

#include "cmd/finish/stack_table.h"

static void stacks_are_found_by_generation_and_id(void **state)
{
    static const struct {
        uint64_t generation, id;
    } stacks[] = {{2, 1}, {1, 7}, {2, 3}, {1, 1}, {3, 2}, {1, 3}};
    struct stack_table t = {0};
    assert_null(stack_table_find(&t, 1, 1));
    for (size_t i = 0; i < ARRAY_SIZE(stacks); i++) {
        const uintptr_t pcs[] = {1000 + i, 2000 + i};
        assert_non_null(stack_table_add(&t, stacks[i].generation, stacks[i].id, 0, pcs, ARRAY_SIZE(pcs)));
    }
    stack_table_sort(&t);
    for (size_t i = 0; i < ARRAY_SIZE(stacks); i++) {
        const struct rec_stack *s = stack_table_find(&t, stacks[i].generation, stacks[i].id);
        assert_non_null(s);
        assert_int_equal(s->n, 2);
        assert_int_equal(t.pcs[s->first].pc, 1000 + i);
        assert_int_equal(t.pcs[s->first + 1].pc, 2000 + i);
        assert_int_equal(t.pcs[s->first].generation, stacks[i].generation);
    }
    assert_null(stack_table_find(&t, 2, 2));
    assert_null(stack_table_find(&t, 3, 1));
    assert_null(stack_table_find(&t, 4, 1));
    stack_table_free(&t);
}

/* Where threads start is in no stack. */
static void a_stack_has_the_pcs_that_follow(void **state)
{
    struct stack_table t = {0};
    assert_true(stack_table_add_pc(&t, 10, 1));
    struct rec_stack *s = stack_table_begin(&t, 1, 5);
    assert_non_null(s);
    assert_int_equal(s->first, 1);
    assert_int_equal(s->n, 0);
    assert_true(stack_table_add_pc(&t, 20, 1));
    assert_int_equal(t.pcs[s->first].pc, 20);
    assert_int_equal(t.npcs, 2);
    stack_table_free(&t);
}

/* What an address was depends on when it was seen. */
static void the_pcs_of_a_stack_have_its_epoch(void **state)
{
    static const uintptr_t pcs[] = {1, 2};
    struct stack_table t = {0};
    assert_int_equal(stack_table_add(&t, 1, 1, 3, pcs, 2)->epoch, 3);
    assert_int_equal(stack_table_add(&t, 1, 2, 0, pcs, 2)->epoch, 0);
    for (size_t i = 0; i < t.npcs; i++)
        assert_int_equal(t.pcs[i].epoch, i < 2 ? 3 : 0);
    stack_table_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_are_found_by_generation_and_id),
        cmocka_unit_test(a_stack_has_the_pcs_that_follow),
        cmocka_unit_test(the_pcs_of_a_stack_have_its_epoch),
    };
    return cmocka_run_group_tests_name("stack table", tests, NULL, NULL);
}
