/* Walks over made-up stacks of made-up functions: what is read, and when it is not believed. */
#include "config.h"

#include "tests/unit/unwind-world.h"

/* --- walking ------------------------------------------------------------------------------------------------- */

static void frames_are_stored_leaf_first(void **state)
{
    struct world *w = *state;
    start(w, PLAIN, 0, 0);
    plain_frames(w, 0, 3);
    captures(w, 4, 0);
    assert_int_equal(w->pcs[0], in_function(w, PLAIN));
    assert_int_equal(w->pcs[1], in_function(w, PLAIN));
    assert_int_equal(w->pcs[2], in_function(w, PLAIN) + 1);
    assert_int_equal(w->pcs[3], in_function(w, OUTERMOST) + 2);
    w->q.leaf = 0x1234;
    captures(w, 5, 0);
    assert_int_equal(w->pcs[0], 0x1234);
    assert_int_equal(w->pcs[1], in_function(w, PLAIN));
}

static void exact_pcs_are_stored_plus_one(void **state)
{
    struct world *w = *state;
    start(w, PLAIN, 0, 0);
    w->q.regs.exact = true;
    w->stack[3] = in_function(w, TRAMPOLINE);
    w->stack[7] = image_code(&w->im, PLAIN); /* interrupted at a first instruction: minus one is another function */
    w->stack[11] = in_function(w, OUTERMOST);
    for (int i = 0; i < 2; i++) {
        captures(w, 4, 0);
        assert_int_equal(w->pcs[0], in_function(w, PLAIN) + 1);
        assert_int_equal(w->pcs[1], in_function(w, TRAMPOLINE));
        assert_int_equal(w->pcs[2], image_code(&w->im, PLAIN) + 1);
        assert_int_equal(w->pcs[3], in_function(w, OUTERMOST));
    }
}

static void a_zero_return_address_ends_the_stack(void **state)
{
    struct world *w = *state;
    start(w, PLAIN, 0, 0);
    captures(w, 1, 0);
}

static void depth_is_limited(void **state)
{
    struct world *w = *state;
    start(w, PLAIN, 0, 0);
    plain_frames(w, 0, 100);
    static const struct {
        uint16_t max;
        int n;
        unsigned flags;
    } cases[] = {{1, 1, UNWIND_TRUNCATED}, {100, 100, UNWIND_TRUNCATED}, {101, 101, 0}, {128, 101, 0}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        w->q.max = cases[i].max;
        captures(w, cases[i].n, cases[i].flags);
        captures(w, cases[i].n, cases[i].flags);
    }
    w->q.max = 0;
    captures(w, 0, UNWIND_TRUNCATED);
    w->q.leaf = 1;
    w->q.max = 1;
    captures(w, 1, UNWIND_TRUNCATED);
    captures(w, 1, UNWIND_TRUNCATED);
}

static void realigned_frames_are_found_in_memory(void **state)
{
    struct world *w = *state;
    start(w, REALIGNED, 0, 10);
    w->stack[9] = (uintptr_t)&w->stack[20];
    w->stack[10] = (uintptr_t)&w->stack[30];
    w->stack[19] = in_function(w, WITH_BP);
    w->stack[31] = in_function(w, OUTERMOST);
    captures(w, 3, 0);
    assert_true(recalled(w));
    w->stack[9] += 8;
    assert_false(recalled(w));
}

static void all_registers_are_followed_when_one_is_needed(void **state)
{
    struct world *w = *state;
    start(w, SAVES_OTHER, 0, 0);
    w->stack[1] = (uintptr_t)&w->stack[40];
    w->stack[3] = in_function(w, FROM_OTHER);
    w->stack[41] = in_function(w, OUTERMOST);
    captures(w, 3, 0);
    assert_null(w->out.tag);
    start(w, FROM_OTHER, 0, 0);
    captures(w, 1, UNWIND_STOPPED);
    w->q.regs.r[REG_OTHER] = (uintptr_t)&w->stack[40];
    w->q.regs.known |= UINT64_C(1) << REG_OTHER;
    captures(w, 2, 0);
}

/* --- what is not read, and not believed ---------------------------------------------------------------------- */

static void nothing_beyond_the_stack_is_read(void **state)
{
    struct world *w = *state;
    for (size_t sp = WORDS - 12; sp < WORDS; sp++) {
        memset(w->stack, 0x11, PAGE);
        start(w, PLAIN, sp, 0);
        for (size_t at = sp; at + 3 < WORDS; at += 4)
            w->stack[at + 3] = in_function(w, PLAIN);
        capture(w);
        assert_int_equal(w->out.flags, UNWIND_STOPPED);
        assert_int_equal(w->out.n, 1 + (WORDS - sp) / 4);
    }
}

static void unknown_bounds_mean_the_page(void **state)
{
    struct world *w = *state;
    w->q.stack_lo = w->q.stack_hi = 0;
    start(w, PLAIN, WORDS - 10, 0);
    w->stack[WORDS - 7] = w->stack[WORDS - 3] = in_function(w, PLAIN);
    captures(w, 3, UNWIND_STOPPED);
    captures(w, 3, UNWIND_STOPPED);
    start(w, PLAIN, WORDS, 0); /* at the page behind */
    captures(w, 1, UNWIND_STOPPED);
    w->q.alt_lo = (uintptr_t)w->stack;
    w->q.alt_hi = w->q.alt_lo + PAGE;
    start(w, PLAIN, 0, 0);
    plain_frames(w, 0, 3);
    captures(w, 4, 0);
}

static void wild_frame_pointers_are_refused(void **state)
{
    struct world *w = *state;
    static const uintptr_t wild[] = {0, 1, 8, UINTPTR_MAX, UINTPTR_MAX - 7, UINTPTR_MAX - 15, 0x7fff00000000, 4096};
    for (size_t i = 0; i < ARRAY_SIZE(wild); i++) {
        start(w, WITH_BP, 10, 0);
        w->q.regs.r[UNWIND_BP] = wild[i];
        captures(w, 1, UNWIND_STOPPED);
        start(w, REALIGNED, 10, 0);
        w->q.regs.r[UNWIND_BP] = wild[i];
        captures(w, 1, UNWIND_STOPPED);
    }
    start(w, WITH_BP, 10, 20);
    w->q.regs.r[UNWIND_BP]++; /* not aligned */
    captures(w, 1, UNWIND_STOPPED);
    start(w, WITH_BP, 10, 8); /* CFA = sp: the stack would not grow */
    captures(w, 1, UNWIND_STOPPED);
}

static void a_frame_that_points_at_itself_ends(void **state)
{
    struct world *w = *state;
    start(w, WITH_BP, 0, 4);
    w->stack[4] = (uintptr_t)&w->stack[4];
    w->stack[5] = in_function(w, WITH_BP);
    captures(w, 2, UNWIND_STOPPED);
}

static void code_without_cfi_stops_the_walk(void **state)
{
    struct world *w = *state;
    start(w, PLAIN, 0, 8);
    w->stack[3] = image_code(&w->im, FUNCTIONS) + 16; /* in the module, in no function of it */
    w->stack[8] = 0;
    w->stack[9] = in_function(w, OUTERMOST);
    w->modules->m[0].end += 4096;
    captures(w, 2, UNWIND_STOPPED);
}

static void code_outside_every_module_is_guessed(void **state)
{
    struct world *w = *state;
    start(w, PLAIN, 0, 8);
    w->stack[3] = 0x500000;
    w->stack[8] = (uintptr_t)&w->stack[16];
    w->stack[9] = 0x500100;
    w->stack[17] = in_function(w, OUTERMOST);
    captures(w, 4, UNWIND_GUESSED);
    captures(w, 4, UNWIND_GUESSED);
    w->stack[9] = 0x500100 + ((uintptr_t)1 << 31); /* neither in a module nor near */
    captures(w, 2, UNWIND_STOPPED);
    w->stack[9] = 0x500100;
    w->q.mode = UNWIND_CFI;
    captures(w, 2, UNWIND_STOPPED);
    w->q.mode = UNWIND_AUTO;
    w->stack[3] = (uintptr_t)&w->stack[100]; /* no code has its address on the stack */
    captures(w, 2, UNWIND_STOPPED);
    w->stack[3] = 42;
    captures(w, 2, UNWIND_STOPPED);
}

static void modes_do_what_they_say(void **state)
{
    struct world *w = *state;
    start(w, PLAIN, 0, 8);
    plain_frames(w, 0, 2);
    w->stack[8] = (uintptr_t)&w->stack[20];
    w->stack[9] = in_function(w, OUTERMOST);
    w->stack[20] = 0;
    w->stack[21] = in_function(w, PLAIN);
    w->q.mode = UNWIND_FP;
    captures(w, 3, 0);
    assert_int_equal(w->pcs[1], in_function(w, OUTERMOST));
    assert_int_equal(w->pcs[2], in_function(w, PLAIN));
    captures(w, 3, 0);
    w->stack[21] = 0x500000;
    captures(w, 3, UNWIND_STOPPED);
    w->q.mode = UNWIND_NONE;
    captures(w, 1, 0);
    w->q.mode = UNWIND_AUTO;
    captures(w, 3, 0);
    assert_int_equal(w->pcs[1], in_function(w, PLAIN));
}

/* --- modules ------------------------------------------------------------------------------------------------- */

static void modules_are_sorted_and_bounded(void **state)
{
    struct world *w = *state;
    static const uintptr_t starts[] = {0x50000, 0x10000, 0x90000, 0x30000, 0x70000};
    struct unwind_modules *m = unwind_modules_init(malloc(unwind_modules_size(4)), 4, 9);
    for (size_t i = 0; i < ARRAY_SIZE(starts); i++) {
        ElfW(Phdr) phdr[] = {{.p_type = PT_LOAD, .p_flags = PF_R, .p_memsz = 0x1000},
                             {.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = 0x1000, .p_memsz = 0x2000}};
        unwind_modules_add(m, &(struct dl_phdr_info){.dlpi_addr = starts[i], .dlpi_phdr = phdr, .dlpi_phnum = 2});
    }
    assert_int_equal(m->generation, 9);
    assert_int_equal(m->n, 4);
    assert_int_equal(m->dropped, 1);
    for (size_t i = 0; i < 4; i++) {
        const struct unwind_module *found = unwind_modules_find(m, starts[i] + 0x1000);
        assert_non_null(found);
        assert_int_equal(found->bias, starts[i]);
        assert_null(found->hdr);
        assert_ptr_equal(unwind_modules_find(m, starts[i] + 0x2fff), found);
        assert_null(unwind_modules_find(m, starts[i] + 0xfff));
        assert_null(unwind_modules_find(m, starts[i] + 0x3000));
    }
    assert_null(unwind_modules_find(m, 0));
    free(m);

    /* The header's table is believed as far as the segment goes. */
    struct image *im = &w->im;
    uintptr_t bias = (uintptr_t)im->b;
    ElfW(Phdr) phdr[] = {{.p_type = PT_LOAD, .p_flags = PF_R, .p_filesz = IMAGE_SIZE, .p_memsz = IMAGE_SIZE},
                         {.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = IMAGE_CODE, .p_memsz = 0x2000},
                         {.p_type = PT_GNU_EH_FRAME}};
    struct dl_phdr_info info = {.dlpi_addr = bias, .dlpi_phdr = phdr, .dlpi_phnum = 3};
    uint32_t counts[] = {FUNCTIONS, 0, (IMAGE_SIZE - IMAGE_HDR) / 8, (IMAGE_SIZE - IMAGE_HDR) / 8 + 1, UINT32_MAX};
    for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
        memcpy(im->b + 8, &counts[i], 4);
        w->modules->n = 0;
        unwind_modules_add(w->modules, &info);
        assert_int_equal(w->modules->n, 1);
        if (i < 3) {
            assert_int_equal(w->modules->m[0].fdes, counts[i]);
            assert_ptr_equal(w->modules->m[0].table, im->b + IMAGE_HDR);
        } else {
            assert_null(w->modules->m[0].hdr);
        }
    }
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(frames_are_stored_leaf_first),
        TEST(exact_pcs_are_stored_plus_one),
        TEST(a_zero_return_address_ends_the_stack),
        TEST(depth_is_limited),
        TEST(realigned_frames_are_found_in_memory),
        TEST(all_registers_are_followed_when_one_is_needed),
        TEST(nothing_beyond_the_stack_is_read),
        TEST(unknown_bounds_mean_the_page),
        TEST(wild_frame_pointers_are_refused),
        TEST(a_frame_that_points_at_itself_ends),
        TEST(code_without_cfi_stops_the_walk),
        TEST(code_outside_every_module_is_guessed),
        TEST(modes_do_what_they_say),
        TEST(modules_are_sorted_and_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
