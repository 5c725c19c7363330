/* What is remembered of a stack that was walked, and what must be the same for that to count. */
#include "config.h"

#include "tests/unit/unwind-world.h"

static void a_tag_stays_with_its_stack(void **state)
{
    struct world *w = *state;
    start(w, PLAIN, 0, 0);
    plain_frames(w, 0, 5);
    assert_false(recalled(w));
    captures(w, 6, 0);
    assert_non_null(w->out.tag);
    assert_int_equal(*w->out.tag, 0);
    *w->out.tag = 77;
    assert_int_equal(*unwind_recall(w->cache, w->modules, &w->q), 77);
    captures(w, 6, 0);
    assert_int_equal(*w->out.tag, 77);
    w->stack[1] = 1; /* a local variable */
    assert_int_equal(*unwind_recall(w->cache, w->modules, &w->q), 77);
}

static void every_return_address_counts(void **state)
{
    struct world *w = *state;
    start(w, PLAIN, 0, 0);
    plain_frames(w, 0, 5);
    for (size_t i = 0; i < 5; i++) {
        captures(w, 6, 0);
        *w->out.tag = 77;
        w->stack[4 * i + 3]++;
        assert_false(recalled(w));
        captures(w, 6, 0);
        assert_int_equal(*w->out.tag, 0);
        assert_int_equal(w->pcs[i + 1], w->stack[4 * i + 3]);
    }
}

static void whatever_else_was_asked_counts(void **state)
{
    struct world *w = *state;
    start(w, PLAIN, 0, 0);
    plain_frames(w, 0, 5);
    captures(w, 6, 0);
    struct unwind_request q = w->q;
#define COUNTS(change)                                                                                                 \
    do {                                                                                                               \
        w->q = q;                                                                                                      \
        assert_true(recalled(w));                                                                                      \
        change;                                                                                                        \
        assert_false(recalled(w));                                                                                     \
    } while (0)
    COUNTS(w->q.leaf = 8);
    COUNTS(w->q.max = 6);
    COUNTS(w->q.mode = UNWIND_CFI);
    COUNTS(w->q.regs.r[UNWIND_PC]++);
    COUNTS(w->q.regs.r[UNWIND_SP] += 8);
    COUNTS(w->q.regs.exact = true);
    COUNTS(w->q.stack_hi -= 8);
    COUNTS(w->q.alt_hi = 8);
    COUNTS(w->modules->generation++);
#undef COUNTS
}

static void frame_pointers_count_where_they_were_used(void **state)
{
    struct world *w = *state;
    start(w, PLAIN, 0, 50);
    plain_frames(w, 0, 5);
    captures(w, 6, 0);
    w->q.regs.r[UNWIND_BP] += 8; /* nobody looked at it */
    assert_true(recalled(w));

    start(w, WITH_BP, 0, 50);
    w->stack[51] = in_function(w, OUTERMOST);
    captures(w, 2, 0);
    w->q.regs.r[UNWIND_BP] += 8;
    assert_false(recalled(w));

    /* Saved by the first function, looked at by the second: the slot counts, the register does not. */
    start(w, SAVES_BP, 100, 7);
    w->stack[102] = (uintptr_t)&w->stack[110];
    w->stack[103] = in_function(w, WITH_BP);
    w->stack[111] = in_function(w, OUTERMOST);
    w->stack[121] = in_function(w, OUTERMOST) + 1;
    captures(w, 3, 0);
    w->q.regs.r[UNWIND_BP] += 8;
    assert_true(recalled(w));
    w->stack[102] = (uintptr_t)&w->stack[120];
    assert_false(recalled(w));
    captures(w, 3, 0);
    assert_int_equal(w->pcs[2], in_function(w, OUTERMOST) + 1);
}

static void deep_stacks_are_remembered_up_to_a_size(void **state)
{
    struct world *w = *state;
    start(w, PLAIN, 0, 0);
    plain_frames(w, 0, UNWIND_MEMO_WORDS);
    captures(w, UNWIND_MEMO_WORDS + 1, 0);
    assert_true(recalled(w));
    plain_frames(w, 0, UNWIND_MEMO_WORDS + 1);
    captures(w, UNWIND_MEMO_WORDS + 2, 0);
    assert_true(recalled(w));
    plain_frames(w, 0, 127);
    captures(w, 128, 0);
    assert_true(recalled(w));
    captures(w, 128, 0);
    w->stack[4 * 126 + 3]++;
    assert_false(recalled(w));

    w->q.max = 500;
    w->q.stack_hi = 0;
    uintptr_t *large = calloc(4 * 400, sizeof *large), *small = w->stack, pcs[500];
    w->stack = large;
    w->q.stack_lo = (uintptr_t)large;
    w->q.stack_hi = (uintptr_t)(large + 4 * 400);
    start(w, PLAIN, 0, 0);
    plain_frames(w, 0, UNWIND_DEEP_MEMO_WORDS + 20);
    assert_int_equal(unwind_capture(w->cache, w->modules, &w->q, pcs, &w->out), UNWIND_DEEP_MEMO_WORDS + 21);
    assert_null(w->out.tag);
    assert_false(recalled(w));
    free(large);
    w->stack = small;
}

static void signal_handlers_leave_memos_alone(void **state)
{
    struct world *w = *state;
    start(w, PLAIN, 0, 0);
    plain_frames(w, 0, 5);
    w->q.options = UNWIND_NO_MEMO;
    captures(w, 6, 0);
    assert_null(w->out.tag);
    assert_false(recalled(w));
}

static void many_call_sites_share_a_cache(void **state)
{
    struct world *w = *state;
    for (int round = 0; round < 4; round++) {
        for (size_t i = 0; i < 60; i++) {
            start(w, PLAIN, i * 4, 0);
            w->q.regs.r[UNWIND_PC] += i;
            memset(w->stack, 0, PAGE);
            plain_frames(w, i * 4, 1 + (int)i % 7 + round);
            captures(w, 2 + (int)i % 7 + round, 0);
            captures(w, 2 + (int)i % 7 + round, 0);
            assert_int_equal(w->pcs[0], in_function(w, PLAIN) + i);
        }
    }
}

static void generations_do_not_share_recipes(void **state)
{
    struct world *w = *state;
    start(w, PLAIN, 0, 4);
    plain_frames(w, 0, 3);
    captures(w, 4, 0);
    w->modules->m[0].hdr = NULL; /* another module is there now, without CFI: its frames are guessed */
    w->modules->generation++;
    w->stack[5] = 0;
    captures(w, 1, 0);
    w->modules->generation += 1 << 16; /* the bits that a recipe's key holds are the same */
    w->modules->m[0].hdr = w->im.b;
    captures(w, 4, 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_tag_stays_with_its_stack),
        TEST(every_return_address_counts),
        TEST(whatever_else_was_asked_counts),
        TEST(frame_pointers_count_where_they_were_used),
        TEST(deep_stacks_are_remembered_up_to_a_size),
        TEST(signal_handlers_leave_memos_alone),
        TEST(many_call_sites_share_a_cache),
        TEST(generations_do_not_share_recipes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
