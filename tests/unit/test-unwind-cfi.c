/* The interpreter of call frame information, on hand-made bytes. */
#include "config.h"

#include "tests/unit/unit.h"

#include "lib/unwind/cfi.h"
#include "lib/unwind/expr.h"
#include "tests/unit/unwind-image.h"

/* --- rows ---------------------------------------------------------------------------------------------------- */

/* Runs one function's program up to an offset of its code. */
static bool row_at(const char *augmentation, const uint8_t *program, size_t size, size_t offset, struct cfi_row *row)
{
    struct image im;
    struct cfi_fde fde;
    image_begin(&im);
    image_fde(&im, image_usual_cie(&im, augmentation), program, size);
    uintptr_t pc = image_code(&im, 0) + offset;
    bool ok = cfi_find(&im.m, pc, &fde) && cfi_run(&fde, pc, row);
    image_end(&im);
    return ok;
}

#define ROW_AT(offset, row, ...)                                                                                       \
    row_at("zR", (const uint8_t[]){__VA_ARGS__}, sizeof(const uint8_t[]){__VA_ARGS__}, (offset), (row))

static void the_cie_gives_the_first_row(void **state)
{
    struct cfi_row row;
    assert_true(ROW_AT(0, &row, 0));
    assert_int_equal(row.cfa_reg, UNWIND_SP);
    assert_int_equal(row.cfa_val, 8);
    assert_int_equal(row.rule[UNWIND_RA], CFI_AT_CFA);
    assert_int_equal(row.val[UNWIND_RA], -8);
    assert_int_equal(row.rule[UNWIND_BP], CFI_SAME);
}

static void a_row_holds_from_its_location_on(void **state)
{
    struct cfi_row row;
    static const struct {
        size_t offset;
        int cfa;
    } expected[] = {{0, 8}, {3, 8}, {4, 16}, {203, 16}, {204, 24}, {255, 24}};
    for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
        assert_true(ROW_AT(expected[i].offset, &row, 0x44, 0x0e, 16, 0x02, 200, 0x0e, 24));
        assert_int_equal(row.cfa_val, expected[i].cfa);
    }
}

/* glibc says so of what aarch64's PLT enters to bind a function: it left out what that has pushed. */
static void a_return_address_in_the_frame_of_the_caller(void **state)
{
    struct cfi_row row;
    int pushed = UNWIND_PC == UNWIND_RA ? 0 : 16;
    assert_true(ROW_AT(0, &row, 0x11, UNWIND_RA, 0x7f, 0x80 | REG_OTHER, 2));
    assert_int_equal(row.cfa_val, 8 + pushed);
    assert_int_equal(row.val[UNWIND_RA], 8 - pushed);
    assert_int_equal(row.val[REG_OTHER], -16 - pushed);
    assert_true(ROW_AT(0, &row, 0x11, UNWIND_RA, 0x7e));
    assert_int_equal(row.cfa_val, 8);
}

static void every_way_to_advance(void **state)
{
    struct cfi_row row;
    assert_true(ROW_AT(9, &row, 0x02, 10, 0x0e, 99));
    assert_int_equal(row.cfa_val, 8);
    assert_true(ROW_AT(10, &row, 0x02, 10, 0x0e, 99));
    assert_int_equal(row.cfa_val, 99);
    assert_true(ROW_AT(9, &row, 0x03, 10, 0, 0x0e, 99));
    assert_int_equal(row.cfa_val, 8);
    assert_true(ROW_AT(10, &row, 0x03, 10, 0, 0x0e, 99));
    assert_int_equal(row.cfa_val, 99);
    assert_true(ROW_AT(9, &row, 0x04, 10, 0, 0, 0, 0x0e, 99));
    assert_int_equal(row.cfa_val, 8);
    assert_true(ROW_AT(10, &row, 0x04, 10, 0, 0, 0, 0x0e, 99));
    assert_int_equal(row.cfa_val, 99);
}

static void every_rule(void **state)
{
    struct cfi_row row;
    static const struct {
        uint8_t program[8];
        uint8_t reg, rule;
        int32_t val;
    } cases[] = {
        {{0x80 | REG_OTHER, 3}, REG_OTHER, CFI_AT_CFA, -24},
        {{0x05, REG_OTHER, 4}, REG_OTHER, CFI_AT_CFA, -32},
        {{0x11, REG_OTHER, 0x7f}, REG_OTHER, CFI_AT_CFA, 8},
        {{0x2f, REG_OTHER, 2}, REG_OTHER, CFI_AT_CFA, 16},
        {{0x14, REG_OTHER, 2}, REG_OTHER, CFI_CFA_PLUS, -16},
        {{0x15, REG_OTHER, 0x7e}, REG_OTHER, CFI_CFA_PLUS, 16},
        {{0x09, REG_OTHER, UNWIND_BP}, REG_OTHER, CFI_REGISTER, UNWIND_BP},
        {{0x07, UNWIND_RA}, UNWIND_RA, CFI_UNDEFINED, 0},
        {{0x08, UNWIND_RA}, UNWIND_RA, CFI_SAME, 0},
        {{0x07, UNWIND_RA, 0xc0 | (UNWIND_RA & 0x3f)}, UNWIND_RA, CFI_AT_CFA, -8},
        {{0x07, UNWIND_RA, 0x06, UNWIND_RA}, UNWIND_RA, CFI_AT_CFA, -8},
        {{0x2e, 16, 0x07, REG_ODD}, REG_ODD, CFI_UNDEFINED, 0},
        {{0x2d, 0x07, REG_ODD}, REG_ODD, CFI_UNDEFINED, 0},
        {{0x05, 99, 4, 0x07, REG_ODD}, REG_ODD, CFI_UNDEFINED, 0}, /* a register that nobody follows */
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        assert_true(row_at("zR", cases[i].program, sizeof cases[i].program, 0, &row));
        assert_int_equal(row.rule[cases[i].reg], cases[i].rule);
        assert_int_equal(row.val[cases[i].reg], cases[i].val);
    }
}

static void every_way_to_define_the_cfa(void **state)
{
    struct cfi_row row;
    assert_true(ROW_AT(0, &row, 0x0c, UNWIND_BP, 16));
    assert_int_equal(row.cfa_reg, UNWIND_BP);
    assert_int_equal(row.cfa_val, 16);
    assert_true(ROW_AT(0, &row, 0x12, UNWIND_BP, 0x7e));
    assert_int_equal(row.cfa_reg, UNWIND_BP);
    assert_int_equal(row.cfa_val, 16);
    assert_true(ROW_AT(0, &row, 0x0d, UNWIND_BP));
    assert_int_equal(row.cfa_reg, UNWIND_BP);
    assert_int_equal(row.cfa_val, 8);
    assert_true(ROW_AT(0, &row, 0x13, 0x7d));
    assert_int_equal(row.cfa_val, 24);
    assert_true(ROW_AT(0, &row, 0x0f, 2, 0x77, 0));
    assert_true(row.cfa_expr);
    assert_true(ROW_AT(0, &row, 0x0f, 2, 0x77, 0, 0x0c, UNWIND_SP, 32));
    assert_false(row.cfa_expr);
    assert_int_equal(row.cfa_val, 32);
}

static void states_are_remembered_to_a_depth(void **state)
{
    struct cfi_row row;
    assert_true(ROW_AT(0, &row, 0x0a, 0x0e, 16, 0x0a, 0x0e, 24, 0x0b));
    assert_int_equal(row.cfa_val, 16);
    assert_true(ROW_AT(0, &row, 0x0a, 0x0e, 16, 0x0a, 0x0e, 24, 0x0b, 0x0b));
    assert_int_equal(row.cfa_val, 8);
    assert_true(ROW_AT(0, &row, 0x0a, 0x0a, 0x0a, 0x0a));
    assert_false(ROW_AT(0, &row, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a));
    assert_false(ROW_AT(0, &row, 0x0b));
}

static void nonsense_is_refused(void **state)
{
    struct cfi_row row;
    assert_false(ROW_AT(0, &row, 0x3f));                         /* no such instruction */
    assert_false(ROW_AT(0, &row, 0x0c, 200, 1, 8));              /* CFA from a register that is not followed */
    assert_false(ROW_AT(0, &row, 0x0f, 2, 0x77, 0, 0x0e, 16));   /* an offset to an expression */
    assert_false(ROW_AT(0, &row, 0x0f, 0xff, 0x7f, 0x77, 0));    /* an expression beyond the end */
    assert_false(ROW_AT(0, &row, 0x0e, 0xff, 0xff, 0xff, 0xff, 0x7f)); /* an offset of 32 GiB */
    assert_false(row_at("zX", (const uint8_t[1]){0}, 1, 0, &row));
    assert_false(row_at("eh", (const uint8_t[1]){0}, 1, 0, &row));
    assert_true(row_at("zRS", (const uint8_t[1]){0}, 1, 0, &row));
}

static void only_the_functions_own_addresses_are_found(void **state)
{
    struct image im;
    struct cfi_fde fde;
    image_begin(&im);
    size_t cie = image_usual_cie(&im, "zR");
    for (int i = 0; i < 5; i++)
        image_fde(&im, cie, (const uint8_t[]){0}, 1);
    for (size_t i = 0; i < 5; i++) {
        assert_true(cfi_find(&im.m, image_code(&im, i), &fde));
        assert_int_equal(fde.start, image_code(&im, i));
        assert_true(cfi_find(&im.m, image_code(&im, i + 1) - 1, &fde));
        assert_int_equal(fde.start, image_code(&im, i));
    }
    assert_false(cfi_find(&im.m, image_code(&im, 0) - 1, &fde));
    assert_false(cfi_find(&im.m, image_code(&im, 5), &fde));
    uintptr_t before = image_code(&im, 0) - 1;
    assert_true(cfi_find_made_up(&im.m, &before, &fde));
    assert_int_equal(before, image_code(&im, 0));
    image_end(&im);
}

/* Any byte may be anything: what is read stays inside the image (a sanitizer build sees to it) and ends. */
static void corrupt_bytes_are_survived(void **state)
{
    struct image im;
    struct cfi_fde fde;
    struct cfi_row row;
    static const uint8_t program[] = {0x44, 0x0e, 16,   0x86, 2,    0x0a, 0x43, 0x0d, 6,    0x02, 9,    0x10, 3,
                                      2,    0x77, 8,    0x16, 12,   3,    0x40, 0x1c, 0x06, 0x0b, 0x41, 0x0f, 3,
                                      0x76, 0x78, 0x06, 0x07, 16};
    image_begin(&im);
    image_fde(&im, image_usual_cie(&im, "zR"), program, sizeof program);
    unsigned found = 0;
    for (size_t i = 0; i < im.n; i++) {
        uint8_t kept = im.b[i];
        for (int v = 0; v < 256; v++) {
            im.b[i] = (uint8_t)v;
            uintptr_t pc = image_code(&im, 0) + 100;
            found += cfi_find(&im.m, pc, &fde) && cfi_run(&fde, pc, &row);
        }
        im.b[i] = kept;
    }
    assert_true(found > 0);
    for (size_t cut = 0; cut < im.n; cut++) {
        im.m.cfi_end = im.b + cut;
        for (size_t at = 0; at < im.n; at++)
            cfi_parse(&im.m, im.b + at, &fde);
    }
    image_end(&im);
}

/* --- expressions --------------------------------------------------------------------------------------------- */

static bool eval(const uint8_t *code, size_t size, const struct expr_context *c, struct expr_value *v)
{
    uint8_t block[64];
    block[0] = (uint8_t)size;
    memcpy(block + 1, code, size);
    return expr_eval((struct cfi_reader){block, block + 1 + size, false}, c, v);
}

#define EVAL(c, v, ...) eval((const uint8_t[]){__VA_ARGS__}, sizeof(const uint8_t[]){__VA_ARGS__}, (c), (v))

static void numbers_are_computed(void **state)
{
    static const struct {
        uint8_t code[16];
        size_t size;
        int64_t result;
    } cases[] = {
        {{0x35}, 1, 5},                                        /* lit5 */
        {{0x08, 200}, 2, 200},                                 /* const1u */
        {{0x09, 200}, 2, -56},                                 /* const1s */
        {{0x0b, 0xfe, 0xff}, 3, -2},                           /* const2s */
        {{0x0c, 0xff, 0xff, 0xff, 0xff}, 5, 0xffffffff},       /* const4u */
        {{0x0d, 0xff, 0xff, 0xff, 0xff}, 5, -1},               /* const4s */
        {{0x10, 0x80, 0x01}, 3, 128},                          /* constu */
        {{0x11, 0x7f}, 2, -1},                                 /* consts */
        {{0x37, 0x33, 0x1c}, 3, 4},                            /* 7 3 minus */
        {{0x37, 0x33, 0x1e}, 3, 21},                           /* mul */
        {{0x37, 0x33, 0x1b}, 3, 2},                            /* div */
        {{0x37, 0x33, 0x1d}, 3, 1},                            /* mod */
        {{0x37, 0x33, 0x1a}, 3, 3},                            /* and */
        {{0x38, 0x33, 0x21}, 3, 11},                           /* or */
        {{0x37, 0x33, 0x27}, 3, 4},                            /* xor */
        {{0x37, 0x33, 0x24}, 3, 56},                           /* shl */
        {{0x37, 0x08, 64, 0x24}, 4, 0},                        /* shl by all bits */
        {{0x11, 0x70, 0x32, 0x26}, 4, -4},                     /* -16 2 shra */
        {{0x11, 0x7f, 0x08, 63, 0x25}, 5, 1},                  /* -1 63 shr */
        {{0x11, 0x7b, 0x19}, 3, 5},                            /* abs */
        {{0x35, 0x1f}, 2, -5},                                 /* neg */
        {{0x35, 0x20}, 2, -6},                                 /* not */
        {{0x35, 0x23, 7}, 3, 12},                              /* plus_uconst */
        {{0x37, 0x33, 0x2a}, 3, 1},                            /* ge */
        {{0x37, 0x33, 0x2d}, 3, 0},                            /* lt */
        {{0x37, 0x12, 0x22}, 3, 14},                           /* dup plus */
        {{0x37, 0x33, 0x16, 0x1c}, 4, -4},                     /* swap minus */
        {{0x37, 0x33, 0x14, 0x1c}, 4, -4},                     /* over minus */
        {{0x37, 0x33, 0x13}, 3, 7},                            /* drop */
        {{0x31, 0x32, 0x33, 0x17, 0x13}, 5, 1},                /* rot drop */
        {{0x31, 0x32, 0x33, 0x15, 2}, 5, 1},                   /* pick */
        {{0x31, 0x2f, 1, 0, 0x35, 0x96}, 6, 1},                /* skip */
        {{0x37, 0x31, 0x28, 1, 0, 0x1f}, 6, 7},                /* bra taken */
        {{0x37, 0x30, 0x28, 1, 0, 0x1f}, 6, -7},               /* bra not taken */
        {{0x35, 0x31, 0x1c, 0x12, 0x28, 0xfa, 0xff}, 7, 0},    /* a loop that counts down */
    };
    struct expr_context c = {.pc = 0};
    struct expr_value v;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        assert_true(eval(cases[i].code, cases[i].size, &c, &v));
        assert_int_equal(v.base, EXPR_NUMBER);
        assert_int_equal(v.off, cases[i].result);
    }
}

/* The rule of every procedure linkage table: CFA = sp + 8 + ((pc & 15) >= 11) * 8. */
static void a_plt_entry_folds_by_its_pc(void **state)
{
    struct expr_value v;
    for (uintptr_t pc = 0x1000; pc < 0x1010; pc++) {
        struct expr_context c = {.pc = pc};
        assert_true(EVAL(&c, &v, 0x70 + UNWIND_SP, 8, 0x92, UNWIND_PC, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22));
        assert_int_equal(v.base, EXPR_SP);
        assert_false(v.indirect);
        assert_int_equal(v.off, pc % 16 >= 11 ? 16 : 8);
    }
}

static void words_in_memory_stay_open(void **state)
{
    struct expr_context c = {.pc = 0};
    struct expr_value v;
    assert_true(EVAL(&c, &v, 0x70 + UNWIND_BP, 0x78, 0x06));
    assert_int_equal(v.base, EXPR_BP);
    assert_true(v.indirect);
    assert_int_equal(v.off, -8);
    assert_true(EVAL(&c, &v, 0x70 + UNWIND_SP, 16, 0x06, 0x23, 8));
    assert_int_equal(v.base, EXPR_SP);
    assert_int_equal(v.off, 16);
    assert_int_equal(v.post, 8);
    assert_false(EVAL(&c, &v, 0x70 + UNWIND_BP, 0x78, 0x06, 0x06));
    assert_false(EVAL(&c, &v, 0x70 + REG_OTHER, 0));
    assert_false(EVAL(&c, &v, 0x70 + UNWIND_SP, 0, 0x70 + UNWIND_BP, 0, 0x22));
    assert_false(EVAL(&c, &v, 0x70 + UNWIND_SP, 0, 0x37, 0x1a));
}

static void with_registers_and_a_stack_there_are_numbers(void **state)
{
    uintptr_t words[4] = {11, 22, (uintptr_t)&words[1], 44};
    struct unwind_regs regs = {.known = UNWIND_KNOWN_MIN | UINT64_C(1) << REG_OTHER};
    struct region stack = region_between((uintptr_t)words, (uintptr_t)(words + 4));
    struct expr_context c = {.regs = &regs, .stack = &stack};
    struct expr_value v;
    regs.r[UNWIND_SP] = (uintptr_t)words;
    regs.r[REG_OTHER] = (uintptr_t)&words[3];
    assert_true(EVAL(&c, &v, 0x70 + UNWIND_SP, 16, 0x06, 0x06));
    assert_int_equal(v.off, 22);
    assert_true(EVAL(&c, &v, 0x70 + REG_OTHER, 0, 0x06));
    assert_int_equal(v.off, 44);
    assert_false(EVAL(&c, &v, 0x70 + UNWIND_SP, 32, 0x06));
    assert_false(EVAL(&c, &v, 0x70 + UNWIND_SP, 0x78, 0x06));
    assert_false(EVAL(&c, &v, 0x70 + UNWIND_SP, 4, 0x06));
    assert_false(EVAL(&c, &v, 0x70 + REG_ODD, 0));
}

static void bad_expressions_are_refused(void **state)
{
    struct expr_context c = {.pc = 0};
    struct expr_value v;
    assert_false(eval((const uint8_t[]){0}, 0, &c, &v));
    assert_false(EVAL(&c, &v, 0x22));
    assert_false(EVAL(&c, &v, 0x31, 0x30, 0x1b));
    assert_false(EVAL(&c, &v, 0x31, 0x30, 0x1d));
    assert_false(EVAL(&c, &v, 0x31, 0x2f, 0xfc, 0xff));
    assert_false(EVAL(&c, &v, 0x31, 0x2f, 0xfd, 0xff)); /* for ever, in place */
    assert_false(EVAL(&c, &v, 0x2f, 0x00, 0x80));
    assert_false(EVAL(&c, &v, 0x31, 0x2f, 0x7f, 0x00));
    assert_false(EVAL(&c, &v, 0x31, 0x12, 0x12, 0x12, 0x12, 0x12, 0x12, 0x12, 0x12, 0x12, 0x12, 0x12));
    assert_false(EVAL(&c, &v, 0x0e, 1, 2, 3));
    assert_false(EVAL(&c, &v, 0x31, 0x15, 1));
    assert_false(EVAL(&c, &v, 0xff));
    assert_true(EVAL(&c, &v, 0x0f, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x11, 0x7f, 0x1b)); /* INT64_MIN / -1 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cie_gives_the_first_row),
        cmocka_unit_test(a_row_holds_from_its_location_on),
        cmocka_unit_test(a_return_address_in_the_frame_of_the_caller),
        cmocka_unit_test(every_way_to_advance),
        cmocka_unit_test(every_rule),
        cmocka_unit_test(every_way_to_define_the_cfa),
        cmocka_unit_test(states_are_remembered_to_a_depth),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(only_the_functions_own_addresses_are_found),
        cmocka_unit_test(corrupt_bytes_are_survived),
        cmocka_unit_test(numbers_are_computed),
        cmocka_unit_test(a_plt_entry_folds_by_its_pc),
        cmocka_unit_test(words_in_memory_stay_open),
        cmocka_unit_test(with_registers_and_a_stack_there_are_numbers),
        cmocka_unit_test(bad_expressions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
