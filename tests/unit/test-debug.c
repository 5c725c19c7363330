/* From PCs to frames through the DWARF of a made-up file, at the exact ends of functions, inlined calls and rows. */
#include "config.h"

#include "tests/unit/elf-image.h"

#include <stdio.h>

#include "lib/symbolize/debug.h"
#include "lib/symbolize/dwarf_names.h"

#define LE4(v) (uint8_t)(v), (uint8_t)((v) >> 8), (uint8_t)((v) >> 16), (uint8_t)((v) >> 24)
#define ADDR(v) LE4(v), 0, 0, 0, 0

enum { UNIT = 1, FUNCTION, INLINED, ABSTRACT, DEFINITION, BLOCK };

static const uint8_t abbrevs[] = {
    UNIT, DW_TAG_compile_unit, 1, DW_AT_name, DW_FORM_string, DW_AT_comp_dir, DW_FORM_string, DW_AT_stmt_list,
    DW_FORM_sec_offset, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, DW_AT_language, DW_FORM_data1, 0, 0,
    FUNCTION, DW_TAG_subprogram, 1, DW_AT_name, DW_FORM_string, DW_AT_decl_file, DW_FORM_data1, DW_AT_decl_line,
    DW_FORM_data1, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0, 0,
    INLINED, DW_TAG_inlined_subroutine, 0, DW_AT_abstract_origin, DW_FORM_ref4, DW_AT_low_pc, DW_FORM_addr,
    DW_AT_high_pc, DW_FORM_data4, DW_AT_call_file, DW_FORM_data1, DW_AT_call_line, DW_FORM_data1, 0, 0,
    ABSTRACT, DW_TAG_subprogram, 0, DW_AT_name, DW_FORM_string, DW_AT_decl_file, DW_FORM_data1, DW_AT_decl_line,
    DW_FORM_data1, 0, 0,
    DEFINITION, DW_TAG_subprogram, 0, DW_AT_specification, DW_FORM_ref4, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc,
    DW_FORM_data4, 0, 0,
    BLOCK, DW_TAG_lexical_block, 1, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0, 0, 0,
};

enum { INNER_AT = 38, DECLARED_AT = 47 };

static const uint8_t info[] = {
    LE4(0), 4, 0, LE4(0), 8, /* 0: the size is filled in */
    UNIT, 'u', '.', 'c', 0, '/', 's', 'r', 'c', 0, LE4(0), ADDR(0x1000), LE4(0x100), 0x0c,
    ABSTRACT, 'i', 'n', 'n', 'e', 'r', 0, 1, 3, /* 38 */
    ABSTRACT, 'm', 0, 2, 60,                    /* 47 */
    FUNCTION, 'o', 'u', 't', 'e', 'r', 0, 1, 20, ADDR(0x1000), LE4(0x40),
    BLOCK, ADDR(0x1008), LE4(0x30),
    INLINED, LE4(INNER_AT), ADDR(0x1010), LE4(0x10), 2, 25,
    0,
    0,
    FUNCTION, 'o', 't', 'h', 'e', 'r', 0, 1, 40, ADDR(0x1040), LE4(0x40),
    0,
    DEFINITION, LE4(DECLARED_AT), ADDR(0x1080), LE4(0x10),
    0,
};

/* Line base -1, range 2, opcode base 10: only what is used here. */
static const uint8_t lines[] = {
    LE4(0), 4, 0, LE4(0), 1, 1, 1, 0xff, 2, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1,
    'd', 'i', 'r', 0, 0,                              /* directories */
    'u', '.', 'c', 0, 0, 0, 0, 'h', '.', 'h', 0, 1, 0, 0, 0, /* files: u.c in 0, h.h in dir */
    0, 9, 2, ADDR(0), 3, 60, 1, 2, 0x80, 0x40, 0, 1, 1, /* 0 to 0x2000: a large function that the linker dropped */
    0, 9, 2, ADDR(0x1000), 3, 20, 1,                  /* 0x1000: line 21 */
    2, 0x10, 4, 2, 3, 0x70, 1,                        /* 0x1010: h.h, line 5 */
    2, 0x10, 4, 1, 3, 21, 1,                          /* 0x1020: u.c, line 26 */
    2, 0x10, 3, 0x66, 1,                              /* 0x1030: line 0 */
    2, 0x10, 3, 41, 1,                                /* 0x1040: line 41 */
    2, 0x10, 3, 0x57, 1,                              /* 0x1050: line 0 */
    2, 0x30, 1,                                       /* 0x1080: line 0 */
    2, 0x20, 0, 1, 1,                                 /* 0x10a0: the end */
    0, 9, 2, ADDR(0x1000), 3, 61, 1, 2, 0x40, 0, 1, 1, /* a second word on 0x1000: the first one holds */
    0, 9, 2, ADDR(0x10f0), 3, 62, 1, 2, 0x20, 0, 1, 1, /* 0x10f0 to 0x1110: the unit ends before that */
};

enum { HEADER_REST = 6 + 9 + 5 + 15 };

static struct image *make(struct elf_image *e)
{
    const Elf64_Shdr debug = {.sh_type = SHT_PROGBITS};
    uint8_t unit[sizeof info], program[sizeof lines];
    const uint32_t sizes[] = {sizeof info - 4, sizeof lines - 4, HEADER_REST};
    memcpy(unit, info, sizeof info);
    memcpy(unit, &sizes[0], 4);
    memcpy(program, lines, sizeof lines);
    memcpy(program, &sizes[1], 4);
    memcpy(program + 6, &sizes[2], 4);
    elf_begin(e, EM_X86_64);
    elf_section(e, ".debug_info", debug, unit, sizeof unit);
    elf_section(e, ".debug_abbrev", debug, abbrevs, sizeof abbrevs);
    elf_section(e, ".debug_line", debug, program, sizeof program);
    return elf_end(e);
}

static const struct {
    uint64_t pc;
    const char *frames; /* "function file:line …", innermost first */
} cases[] = {
    {0xfff, ""},
    {0x1000, "outer /src/u.c:21"},
    {0x100f, "outer /src/u.c:21"},
    {0x1010, "inner /src/dir/h.h:5 outer /src/dir/h.h:25"},
    {0x101f, "inner /src/dir/h.h:5 outer /src/dir/h.h:25"},
    {0x1020, "outer /src/u.c:26"},
    {0x102f, "outer /src/u.c:26"},
    {0x1030, "outer /src/u.c:20"}, /* of no line in particular: where the function is declared */
    {0x103f, "outer /src/u.c:20"},
    {0x1040, "other /src/u.c:41"},
    {0x1050, "other /src/u.c:40"},
    {0x107f, "other /src/u.c:40"},
    {0x1080, "m /src/dir/h.h:60"}, /* named and declared elsewhere */
    {0x108f, "m /src/dir/h.h:60"},
    {0x1090, " /src/u.c:0"}, /* in no function, but in the line table */
    {0x10a0, ""},
    {0x10ef, ""},
    {0x10ff, " /src/u.c:63"},
    {0x1100, ""},
};

static struct objects none;

static const char *frames_of(const struct answer *a, size_t pc)
{
    static char text[512];
    size_t n = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < a->pcs[pc].n; i++) {
        const struct answer_frame *f = &a->frames[a->pcs[pc].first + i];
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s %s:%u", i ? " " : "",
                              strings_get(&a->strings, f->function), strings_get(&a->strings, f->file), f->line);
    }
    return text;
}

static void every_pc_has_its_frames(void **state)
{
    struct elf_image e;
    struct debug_files files = {.main = make(&e), .path = "/none", .module = "/none"};
    struct symtab symbols = {0};
    uint64_t pcs[ARRAY_SIZE(cases)];
    struct answer a;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        pcs[i] = cases[i].pc;
    /* All at once, and one by one: a result must not depend on what else is looked for. */
    assert_true(answer_init(&a, ARRAY_SIZE(cases)));
    assert_int_equal(debug_resolve(&files, &symbols, pcs, ARRAY_SIZE(cases), &none, &a), DEBUG_OK);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        assert_string_equal(frames_of(&a, i), cases[i].frames);
    answer_free(&a);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        assert_true(answer_init(&a, 1));
        assert_int_equal(debug_resolve(&files, &symbols, &pcs[i], 1, &none, &a), DEBUG_OK);
        assert_string_equal(frames_of(&a, 0), cases[i].frames);
        answer_free(&a);
    }
    elf_free(&e);
}

static void addresses_of_another_size_are_not_read(void **state)
{
    enum { ADDRESS_SIZE = 10 };
    static const uint64_t pc = 0x1000;
    struct elf_image e;
    struct image *image = make(&e);
    struct debug_files files = {.main = image, .path = "/none", .module = "/none"};
    struct symtab symbols = {0};
    struct answer a;
    ((uint8_t *)(uintptr_t)image_section(image, ".debug_info")->data)[ADDRESS_SIZE] = 4;
    assert_true(answer_init(&a, 1));
    debug_resolve(&files, &symbols, &pc, 1, &none, &a);
    assert_string_equal(frames_of(&a, 0), "");
    answer_free(&a);
    elf_free(&e);
}

/* A file that is cut off, or damaged at any byte, is reported, and read no further. */
static void damage_is_survived(void **state)
{
    struct elf_image e;
    struct image *image = make(&e);
    struct debug_files files = {.main = image, .path = "/none", .module = "/none"};
    struct symtab symbols = {0};
    static const uint64_t pcs[] = {0x1000, 0x1010, 0x1080};
    size_t told = 0;
    struct section *section = image_section(image, ".debug_info");
    for (section->len--; section->len; section->len--) {
        struct answer a;
        assert_true(answer_init(&a, ARRAY_SIZE(pcs)));
        assert_int_equal(debug_resolve(&files, &symbols, pcs, ARRAY_SIZE(pcs), &none, &a), DEBUG_CORRUPT);
        answer_free(&a);
        told++;
    }
    assert_int_equal(told, sizeof info - 1);
    section->len = sizeof info;
    for (size_t i = 0; i < sizeof info; i++) {
        for (int bit = 0; bit < 8; bit++) {
            struct answer a;
            uint8_t *byte = (uint8_t *)(uintptr_t)section->data + i;
            *byte ^= (uint8_t)(1 << bit);
            assert_true(answer_init(&a, ARRAY_SIZE(pcs)));
            debug_resolve(&files, &symbols, pcs, ARRAY_SIZE(pcs), &none, &a);
            for (size_t pc = 0; pc < ARRAY_SIZE(pcs); pc++)
                frames_of(&a, pc);
            answer_free(&a);
            *byte ^= (uint8_t)(1 << bit);
        }
    }
    elf_free(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pc_has_its_frames),
        cmocka_unit_test(addresses_of_another_size_are_not_read),
        cmocka_unit_test(damage_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
