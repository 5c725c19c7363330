/* Walks with all registers, signal frames, other stacks, and distances that no frame has. */
#include "config.h"

#include "lib/unwind/region.h"
#include "tests/unit/unwind-world.h"

enum { MIB = 1 << 20, LARGE_STACK = 40 * MIB };

/* Frame pointers that lead up a stack that is large enough for a wild one to stay on it. */
static void a_frame_is_at_most_16_mib(void **state)
{
    struct world *w = *state;
    uintptr_t *small = w->stack;
    w->stack = mmap(NULL, LARGE_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(w->stack != MAP_FAILED);
    w->q.stack_lo = (uintptr_t)w->stack;
    w->q.stack_hi = w->q.stack_lo + LARGE_STACK;
    /* From sp to the frame record; the CFA is 16 above that. */
    static const struct {
        size_t distance;
        bool by_cfi, by_frame_pointer;
    } cases[] = {{8, true, true},      {16 * MIB - 16, true, true}, {16 * MIB - 8, false, true},
                 {16 * MIB, false, false}, {17 * MIB, false, false}};
    for (int mode = 0; mode < 2; mode++) {
        w->q.mode = mode ? UNWIND_FP : UNWIND_AUTO;
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
            size_t record = cases[i].distance / 8 + 2;
            bool believed = mode ? cases[i].by_frame_pointer : cases[i].by_cfi;
            start(w, WITH_BP, 2, record);
            w->stack[record] = 0;
            w->stack[record + 1] = in_function(w, OUTERMOST);
            captures(w, believed ? 2 : 1, believed ? 0 : UNWIND_STOPPED);
            w->stack[record + 1] = 0;
        }
    }
    w->q.mode = UNWIND_AUTO;
    start(w, FAR_BP, 2, 0);
    w->stack[3] = (uintptr_t)&w->stack[6000];
    w->stack[2 + 5001] = in_function(w, WITH_BP);
    w->stack[6001] = in_function(w, OUTERMOST);
    captures(w, 3, 0);
    start(w, WITH_BP, 20, 10); /* below sp */
    w->q.mode = UNWIND_FP;
    w->stack[11] = in_function(w, OUTERMOST);
    captures(w, 1, UNWIND_STOPPED);
    munmap(w->stack, LARGE_STACK);
    w->stack = small;
}

static void start_with_other(struct world *w, int function, size_t sp, size_t other)
{
    start(w, function, sp, 0);
    w->q.regs.r[REG_OTHER] = (uintptr_t)(w->stack + other);
    w->q.regs.known |= UINT64_C(1) << REG_OTHER;
}

/* The pc below a signal frame is exact, in the walk with all registers as in the other. */
static void a_signal_frame_is_exact_with_all_registers(void **state)
{
    struct world *w = *state;
    start_with_other(w, FROM_OTHER, 0, 6);
    w->stack[7] = in_function(w, TRAMPOLINE);
    w->stack[11] = image_code(&w->im, PLAIN); /* interrupted at a first instruction: minus one is another function */
    w->stack[15] = in_function(w, OUTERMOST);
    captures(w, 4, 0);
    assert_int_equal(w->pcs[1], in_function(w, TRAMPOLINE));
    assert_int_equal(w->pcs[2], image_code(&w->im, PLAIN) + 1);
    assert_int_equal(w->pcs[3], in_function(w, OUTERMOST));
    w->q.regs.exact = true;
    w->q.regs.r[UNWIND_PC] = image_code(&w->im, FROM_OTHER);
    captures(w, 4, 0);
    assert_int_equal(w->pcs[0], image_code(&w->im, FROM_OTHER) + 1);
}

static void the_full_walk_has_the_same_limits(void **state)
{
    struct world *w = *state;
    start_with_other(w, FROM_OTHER, 0, 6);
    w->stack[7] = in_function(w, PLAIN);
    w->stack[11] = in_function(w, PLAIN);
    w->stack[15] = in_function(w, OUTERMOST);
    captures(w, 4, 0);
    for (uint16_t max = 1; max < 4; max++) {
        w->q.max = max;
        captures(w, max, UNWIND_TRUNCATED);
    }
    w->q.max = 128;
    w->q.leaf = 0x1234;
    captures(w, 5, 0);
    assert_int_equal(w->pcs[0], 0x1234);
    w->q.leaf = 0;
    w->stack[15] = 0; /* a zero return address ends the stack */
    captures(w, 3, 0);
    w->stack[11] = image_code(&w->im, FUNCTIONS) + 16; /* no CFI there */
    w->modules->m[0].end += 4096;
    captures(w, 3, UNWIND_STOPPED);
    start_with_other(w, FROM_OTHER, 20, 6); /* down */
    captures(w, 1, UNWIND_STOPPED);
    start_with_other(w, FROM_OTHER, 0, WORDS); /* beyond the stack */
    captures(w, 1, UNWIND_STOPPED);
    start_with_other(w, FROM_OTHER, 0, 6);
    w->q.regs.r[REG_OTHER] += 4; /* not aligned */
    captures(w, 1, UNWIND_STOPPED);
}

static void a_lost_register_is_not_believed(void **state)
{
    struct world *w = *state;
    start_with_other(w, FROM_OTHER, 0, 6);
    w->stack[7] = in_function(w, FROM_OTHER); /* OTHER is as it was: the stack would not grow */
    captures(w, 2, UNWIND_STOPPED);
    w->q.regs.known = UNWIND_KNOWN_MIN;
    start(w, FROM_OTHER, 0, 0);
    captures(w, 1, UNWIND_STOPPED);
    /* Nobody says what it is: what the caller of this has in it does not count. */
    w->q.regs.r[REG_OTHER] = (uintptr_t)&w->stack[40];
    start(w, PLAIN, 0, 0);
    w->stack[3] = in_function(w, FROM_OTHER);
    w->stack[41] = in_function(w, OUTERMOST);
    captures(w, 2, UNWIND_STOPPED);
    w->q.regs.known |= UINT64_C(1) << REG_OTHER;
    captures(w, 3, 0);
    /* Nor does it behind a frame that was guessed. */
    w->stack[3] = 0x500000;
    w->q.regs.r[UNWIND_BP] = (uintptr_t)&w->stack[10];
    w->stack[10] = 0;
    w->stack[11] = in_function(w, FROM_OTHER);
    captures(w, 3, UNWIND_GUESSED | UNWIND_STOPPED);
    w->q.regs.known = UNWIND_KNOWN_MIN;
    /* Saved by the frame above, and found there. */
    start(w, SAVES_OTHER, 0, 0);
    w->stack[1] = (uintptr_t)&w->stack[20];
    w->stack[3] = in_function(w, FROM_OTHER);
    w->stack[21] = in_function(w, FROM_OTHER);
    captures(w, 3, UNWIND_STOPPED);
}

/* A walk without CFI for one frame goes on behind it, with sp, bp and pc alone. */
static void the_full_walk_guesses_too(void **state)
{
    struct world *w = *state;
    start_with_other(w, FROM_OTHER, 0, 6);
    w->q.regs.r[UNWIND_BP] = (uintptr_t)&w->stack[20];
    w->stack[7] = 0x500000;
    w->stack[20] = (uintptr_t)&w->stack[30];
    w->stack[21] = in_function(w, WITH_BP);
    w->stack[31] = in_function(w, OUTERMOST);
    captures(w, 4, UNWIND_GUESSED);
    w->stack[21] = in_function(w, FROM_OTHER);
    captures(w, 3, UNWIND_GUESSED | UNWIND_STOPPED);
    w->q.mode = UNWIND_CFI;
    captures(w, 2, UNWIND_STOPPED);
}

/* The words just below sp may be read, as far as the red zone goes, and not below the stack. */
static void the_red_zone_is_the_lowest_that_is_read(void **state)
{
    struct world *w = *state;
    for (int known = 0; known < 2; known++) {
        w->q.stack_lo = known ? (uintptr_t)w->stack : 0;
        w->q.stack_hi = known ? (uintptr_t)(w->stack + WORDS) : 0;
        start_with_other(w, FROM_OTHER, 32, 31);
        w->stack[32] = in_function(w, OUTERMOST); /* CFA = OTHER + 16, the return address below it */
        captures(w, 2, 0);
        start_with_other(w, FROM_OTHER, 32, 40);
        w->stack[41] = in_function(w, OUTERMOST);
        captures(w, 2, 0);
        start(w, REALIGNED, 32, 30); /* what leads on stands below sp, as leaf functions may have it */
        w->stack[29] = (uintptr_t)&w->stack[40];
        w->stack[39] = in_function(w, OUTERMOST);
        captures(w, 2, 0);
        w->stack[29] = (uintptr_t)&w->stack[32]; /* a CFA that is sp: the stack would not grow */
        w->stack[31] = in_function(w, OUTERMOST);
        captures(w, 1, UNWIND_STOPPED);
        start(w, REALIGNED, 32, 10); /* below the red zone */
        w->stack[9] = (uintptr_t)&w->stack[40];
        captures(w, 1, UNWIND_STOPPED);
    }
}

static void a_word_is_read_whole_or_not_at_all(void **state)
{
    static const uintptr_t words[4] = {1, 2, 3, 4};
    uintptr_t lo = (uintptr_t)words, word;
    for (size_t len = 0; len <= sizeof words; len++) {
        struct region g = region_between(lo, lo + len);
        for (size_t at = 0; at < sizeof words; at++)
            assert_int_equal(region_load(&g, lo + at, &word), at % 8 == 0 && at + 8 <= len);
        assert_false(region_load(&g, lo - 8, &word));
    }
}

/* The zero that ends a stack is a word like any other: it may become a return address. */
static void the_end_of_a_stack_counts(void **state)
{
    struct world *w = *state;
    start(w, PLAIN, 0, 0);
    captures(w, 1, 0);
    assert_true(recalled(w));
    w->stack[3] = in_function(w, OUTERMOST);
    assert_false(recalled(w));
    captures(w, 2, 0);
}

static void the_stack_is_no_code(void **state)
{
    struct world *w = *state;
    start(w, PLAIN, 0, 8);
    w->stack[3] = (uintptr_t)&w->stack[100];
    w->stack[8] = (uintptr_t)&w->stack[20];
    w->stack[9] = in_function(w, OUTERMOST);
    captures(w, 2, UNWIND_STOPPED);
    w->stack[3] = 0x500000;
    captures(w, 3, UNWIND_GUESSED);
}

/* Another frame pointer, or another word where the caller would be, may lead on. */
static void why_a_guess_was_not_made_counts(void **state)
{
    struct world *w = *state;
    start(w, PLAIN, 0, 0);
    w->q.regs.r[UNWIND_PC] = 0x500000;
    w->q.regs.r[UNWIND_BP] = 1;
    captures(w, 1, UNWIND_STOPPED);
    assert_true(recalled(w));
    w->q.regs.r[UNWIND_BP] = (uintptr_t)&w->stack[8];
    w->stack[8] = (uintptr_t)&w->stack[20];
    w->stack[9] = 0x10;
    captures(w, 1, UNWIND_STOPPED);
    assert_true(recalled(w));
    w->stack[9] = in_function(w, OUTERMOST);
    captures(w, 2, UNWIND_GUESSED);
}

/* x86-64 has the record at the top of its frame; elsewhere the caller's own one tells where that ends. */
static void where_a_guessed_frame_ends(void **state)
{
    struct world *w = *state;
    bool at_top = UNWIND_PC == UNWIND_RA;
    start(w, PLAIN, 0, 20);
    w->stack[3] = 0x500000;
    w->stack[20] = (uintptr_t)&w->stack[30];
    w->stack[21] = in_function(w, SAVES_BP);
    w->stack[at_top ? 25 : 31] = in_function(w, OUTERMOST);
    captures(w, 4, UNWIND_GUESSED);
    captures(w, 4, UNWIND_GUESSED);
    if (at_top)
        return;
    w->stack[20] = (uintptr_t)&w->stack[22]; /* its frame would begin within the one that was left */
    captures(w, 3, UNWIND_GUESSED | UNWIND_STOPPED);
    w->stack[20] = (uintptr_t)&w->stack[30];
    w->stack[21] = in_function(w, PLAIN); /* makes no record */
    captures(w, 3, UNWIND_GUESSED | UNWIND_STOPPED);
}

#if defined(__aarch64__)
static void start_bare(struct world *w, uintptr_t link)
{
    start(w, PLAIN, 0, 20);
    w->q.regs.r[UNWIND_PC] = 0x500000;
    w->q.regs.r[UNWIND_RA] = link;
    w->q.regs.known |= UINT64_C(1) << UNWIND_RA;
    w->q.regs.exact = true;
}

/* As in a library that is being loaded, whose constructors run. */
static void the_link_register_has_the_caller_of_a_leaf(void **state)
{
    struct world *w = *state;
    start_bare(w, in_function(w, SAVES_BP));
    w->stack[20] = (uintptr_t)&w->stack[30];
    w->stack[21] = in_function(w, OUTERMOST);
    captures(w, 3, UNWIND_GUESSED);
    assert_int_equal(w->pcs[1], in_function(w, SAVES_BP));
    assert_false(recalled(w));
    w->stack[10] = (uintptr_t)&w->stack[20]; /* it made a record, and called nothing yet */
    w->stack[11] = in_function(w, SAVES_BP);
    w->q.regs.r[UNWIND_BP] = (uintptr_t)&w->stack[10];
    captures(w, 3, UNWIND_GUESSED);
    assert_int_equal(w->pcs[1], in_function(w, SAVES_BP));
    w->q.regs.r[UNWIND_RA] = 0x500100; /* it has called something that has returned */
    captures(w, 3, UNWIND_GUESSED);
    assert_int_equal(w->pcs[1], in_function(w, SAVES_BP));
    w->q.regs.r[UNWIND_BP] = (uintptr_t)&w->stack[20];
    captures(w, 2, UNWIND_GUESSED);
}

static void a_module_without_cfi_has_its_own_addresses_there(void **state)
{
    struct world *w = *state;
    struct unwind_module without = {.start = 0x500000, .end = 0x501000};
    add_module(w, &w->modules->m[0]);
    w->modules->m[0] = without; /* in the order of addresses */
    start_bare(w, 0x500100);
    w->stack[20] = 0;
    w->stack[21] = in_function(w, OUTERMOST);
    captures(w, 2, UNWIND_GUESSED);
    assert_int_equal(w->pcs[1], in_function(w, OUTERMOST));
}

static void a_guessed_handler_returns_to_what_it_interrupted(void **state)
{
    struct world *w = *state;
    start(w, PLAIN, 0, 20);
    w->stack[3] = 0x500000;
    w->stack[20] = 0;
    w->stack[21] = in_function(w, CONTEXT);
    w->stack[23] = 0;                         /* its bp */
    w->stack[24] = in_function(w, OUTERMOST); /* its pc */
    w->stack[25] = (uintptr_t)&w->stack[40];  /* its sp */
    captures(w, 4, UNWIND_GUESSED);
}

/* The walk with all registers begins with the same guess. */
static void the_full_walk_knows_a_leaf_too(void **state)
{
    struct world *w = *state;
    start_bare(w, in_function(w, SAVES_BP));
    w->stack[20] = (uintptr_t)&w->stack[30];
    w->stack[21] = in_function(w, FROM_OTHER);
    captures(w, 3, UNWIND_GUESSED | UNWIND_STOPPED);
    assert_int_equal(w->pcs[1], in_function(w, SAVES_BP));
    assert_int_equal(w->pcs[2], in_function(w, FROM_OTHER));
}
#endif

/* --- from one stack to another ------------------------------------------------------------------------------------ */

/* A handler on a stack of its own, more than 4 GiB away or less, above the thread's or below. */
static void a_handler_may_have_a_stack_of_its_own(void **state)
{
    struct world *w = *state;
    static const int64_t distances[] = {INT64_C(1) << 30, INT64_C(3) << 32, -(INT64_C(3) << 32), -(INT64_C(1) << 22)};
    for (size_t i = 0; i < ARRAY_SIZE(distances); i++) {
        uintptr_t *alt = mmap((char *)w->stack + distances[i], PAGE, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        assert_true(alt != MAP_FAILED);
        memset(w->stack, 0, PAGE);
        plain_frames(w, 100, 2);
        w->q.alt_lo = (uintptr_t)alt;
        w->q.alt_hi = w->q.alt_lo + PAGE;
        w->q.regs.r[UNWIND_PC] = in_function(w, PLAIN);
        w->q.regs.r[UNWIND_SP] = (uintptr_t)(alt + 10);
        alt[13] = in_function(w, CONTEXT);
        alt[15] = 0;
        alt[16] = image_code(&w->im, PLAIN); /* what was interrupted: at a first instruction */
        alt[17] = (uintptr_t)(w->stack + 100);
        for (int again = 0; again < 2; again++) {
            captures(w, 5, 0);
            assert_int_equal(w->pcs[1], in_function(w, CONTEXT));
            assert_int_equal(w->pcs[2], image_code(&w->im, PLAIN) + 1);
            assert_int_equal(w->pcs[4], in_function(w, OUTERMOST) + 1);
        }
        w->stack[103]++; /* also what lies on the other stack counts */
        captures(w, 5, 0);
        assert_int_equal(w->pcs[3], w->stack[103]);
        alt[17] = 0x10000; /* on no stack that is known */
        captures(w, 3, UNWIND_STOPPED);
        alt[17] = (uintptr_t)(w->stack + 100);
        /* Straight from the interrupted pc, with all registers. */
        w->q.regs.r[UNWIND_PC] = in_function(w, FROM_OTHER);
        w->q.regs.r[REG_OTHER] = (uintptr_t)(alt + 12);
        w->q.regs.known |= UINT64_C(1) << REG_OTHER;
        captures(w, 5, 0);
        assert_int_equal(w->pcs[2], image_code(&w->im, PLAIN) + 1);
        munmap(alt, PAGE);
    }
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_frame_is_at_most_16_mib),
        TEST(a_signal_frame_is_exact_with_all_registers),
        TEST(the_full_walk_has_the_same_limits),
        TEST(a_lost_register_is_not_believed),
        TEST(the_full_walk_guesses_too),
        TEST(the_red_zone_is_the_lowest_that_is_read),
        TEST(a_word_is_read_whole_or_not_at_all),
        TEST(the_end_of_a_stack_counts),
        TEST(the_stack_is_no_code),
        TEST(why_a_guess_was_not_made_counts),
        TEST(where_a_guessed_frame_ends),
#if defined(__aarch64__)
        TEST(a_module_without_cfi_has_its_own_addresses_there),
        TEST(a_guessed_handler_returns_to_what_it_interrupted),
        TEST(the_full_walk_knows_a_leaf_too),
        TEST(the_link_register_has_the_caller_of_a_leaf),
#endif
        TEST(a_handler_may_have_a_stack_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
