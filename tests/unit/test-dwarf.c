/* The reader of DWARF on bytes made by hand: ranges, line programs, abbreviations, units. */
#include "config.h"

#include "tests/unit/dwarf-bytes.h"

#include "lib/symbolize/line_program.h"

/* --- ranges ------------------------------------------------------------------------------------------------------- */

static const uint64_t addresses[] = {0xbad, 0x1000, 0x2000, 0x3000}; /* the unit's begin at the second */

static void assert_spans(const struct spans *s, size_t n, const struct span *want)
{
    assert_int_equal(s->n, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(s->v[i].start, want[i].start);
        assert_int_equal(s->v[i].end, want[i].end);
    }
}

static void low_and_high_make_a_span(void **state)
{
    struct dwarf_file f = {.split = false};
    struct dwarf_unit u = {.file = &f, .word = 4, .version = 5, .addr = bytes_of(addresses, sizeof addresses),
                           .addr_base = 8};
    struct spans s = {.n = 0};
    struct dwarf_die d = die_with(AT_LOW_PC, DW_FORM_addr, 0x5000);
    assert_false(dwarf_spans(&u, &d, &s));
    d.have |= 1 << AT_HIGH_PC;
    d.values[AT_HIGH_PC] = (struct dwarf_value){0x10, DW_FORM_data4};
    assert_true(dwarf_spans(&u, &d, &s));
    assert_spans(&s, 1, &(struct span){0x5000, 0x5010});
    d.values[AT_HIGH_PC] = (struct dwarf_value){0x5008, DW_FORM_addr};
    assert_true(dwarf_spans(&u, &d, &s));
    assert_spans(&s, 1, &(struct span){0x5000, 0x5008});
    d.values[AT_LOW_PC] = (struct dwarf_value){0, DW_FORM_addrx3};
    d.values[AT_HIGH_PC] = (struct dwarf_value){2, DW_FORM_addrx1};
    assert_true(dwarf_spans(&u, &d, &s));
    assert_spans(&s, 1, &(struct span){0x1000, 0x3000});
    d.values[AT_LOW_PC].v = 3; /* behind the last one */
    assert_false(dwarf_spans(&u, &d, &s));
    /* What the linker dropped. */
    static const uint64_t dropped[] = {0, UINT64_MAX, UINT64_MAX - 1};
    for (size_t i = 0; i < ARRAY_SIZE(dropped); i++) {
        d.values[AT_LOW_PC] = (struct dwarf_value){dropped[i], DW_FORM_addr};
        d.values[AT_HIGH_PC] = (struct dwarf_value){0x10, DW_FORM_data4};
        assert_false(dwarf_spans(&u, &d, &s));
    }
    d.values[AT_LOW_PC] = (struct dwarf_value){UINT64_MAX - 1, DW_FORM_addr};
    d.values[AT_HIGH_PC] = (struct dwarf_value){UINT64_MAX, DW_FORM_addr};
    assert_false(dwarf_spans(&u, &d, &s));
    assert_false(f.corrupt);
    free(s.v);
}

static void lists_of_dwarf_4_have_bases(void **state)
{
    static const uint64_t list[] = {0xbad, 0x10, 0x20, UINT64_MAX, 0x9000, 0x1, 0x5, 0x8, 0x8, 0, 0, 7, 8};
    struct dwarf_file f = {.split = false};
    struct dwarf_unit u = {.file = &f, .word = 4, .version = 4, .low_pc = 0x4000};
    struct spans s = {.n = 0};
    struct dwarf_die d = die_with(AT_RANGES, DW_FORM_sec_offset, 8);
    u.ranges = bytes_of(list, sizeof list);
    assert_true(dwarf_spans(&u, &d, &s));
    static const struct span want[] = {{0x4010, 0x4020}, {0x9001, 0x9005}};
    assert_spans(&s, 2, want);
    d.values[AT_RANGES].v = 0;
    u.ranges_base = 8; /* of a split unit */
    assert_true(dwarf_spans(&u, &d, &s));
    assert_spans(&s, 2, want);
    assert_false(f.corrupt);
    u.ranges.len = 9 * 8; /* no end */
    dwarf_spans(&u, &d, &s);
    assert_true(f.corrupt);
    free(s.v);
}

static void lists_of_dwarf_5_have_every_kind_of_entry(void **state)
{
    static const uint8_t list[] = {
        2, 0, 0, 0,                                    /* two offsets, counted from the next byte */
        0xff, 0xff, 0xff, 0, 8, 0, 0, 0,
        DW_RLE_offset_pair, 0x10, 0x20,                /* from the unit's low pc */
        DW_RLE_base_addressx, 1,                       /* 0x2000 */
        DW_RLE_offset_pair, 1, 5,
        DW_RLE_base_address, 0, 0x90, 0, 0, 0, 0, 0, 0,
        DW_RLE_offset_pair, 2, 6,
        DW_RLE_startx_endx, 0, 1,
        DW_RLE_startx_length, 2, 0x80, 1,
        DW_RLE_start_end, 0, 0x50, 0, 0, 0, 0, 0, 0, 8, 0x50, 0, 0, 0, 0, 0, 0,
        DW_RLE_start_length, 0, 0x60, 0, 0, 0, 0, 0, 0, 9,
        DW_RLE_startx_length, 3, 1,                    /* an address that is not there */
        DW_RLE_end_of_list,
        DW_RLE_start_length, 0, 0x70, 0, 0, 0, 0, 0, 0, 9,
    };
    static const struct span want[] = {{0x4010, 0x4020}, {0x2001, 0x2005}, {0x9002, 0x9006}, {0x1000, 0x2000},
                                       {0x3000, 0x3080}, {0x5000, 0x5008}, {0x6000, 0x6009}};
    struct dwarf_file f = {.split = false};
    struct dwarf_unit u = {.file = &f, .word = 4, .version = 5, .low_pc = 0x4000, .rnglists_base = 4,
                           .addr = bytes_of(addresses, sizeof addresses), .addr_base = 8};
    struct spans s = {.n = 0};
    struct dwarf_die d = die_with(AT_RANGES, DW_FORM_sec_offset, 12);
    u.rnglists = bytes_of(list, sizeof list);
    assert_true(dwarf_spans(&u, &d, &s));
    assert_spans(&s, ARRAY_SIZE(want), want);
    d.values[AT_RANGES] = (struct dwarf_value){1, DW_FORM_rnglistx};
    assert_true(dwarf_spans(&u, &d, &s));
    assert_spans(&s, ARRAY_SIZE(want), want);
    assert_false(f.corrupt);
    d.values[AT_RANGES].v = 0; /* leads out of the section */
    assert_false(dwarf_spans(&u, &d, &s));
    assert_true(f.corrupt);
    f.corrupt = false;
    d.values[AT_RANGES].v = 2; /* there are two */
    assert_false(dwarf_spans(&u, &d, &s));
    assert_true(f.corrupt);
    for (size_t len = 13; len < sizeof list - 10; len++) { /* cut off before the end of the list */
        f.corrupt = false;
        u.rnglists.len = len;
        d.values[AT_RANGES] = (struct dwarf_value){12, DW_FORM_sec_offset};
        dwarf_spans(&u, &d, &s);
        assert_true(f.corrupt);
    }
    free(s.v);
}

/* The table of offsets says how many there are; what comes behind it may look like one more. */
static void no_more_lists_than_there_are(void **state)
{
    static const uint8_t list[] = {1, 0, 0, 0, 8, 0, 0, 0, 8, 0, 0, 0, DW_RLE_start_length, 0, 0x60, 0, 0, 0, 0, 0, 0, 9,
                                   DW_RLE_end_of_list};
    struct dwarf_file f = {.split = false};
    struct dwarf_unit u = {.file = &f, .word = 4, .version = 5, .rnglists_base = 4};
    struct spans s = {.n = 0};
    struct dwarf_die d = die_with(AT_RANGES, DW_FORM_rnglistx, 0);
    u.rnglists = bytes_of(list, sizeof list);
    assert_true(dwarf_spans(&u, &d, &s));
    assert_spans(&s, 1, &(struct span){0x6000, 0x6009});
    assert_false(f.corrupt);
    d.values[AT_RANGES].v = 1;
    assert_false(dwarf_spans(&u, &d, &s));
    assert_true(f.corrupt);
    free(s.v);
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

struct rows {
    struct {
        uint64_t addr, end, file, line;
    } v[16];
    size_t n;
};

static void see(void *arg, const struct line_row *row, uint64_t end)
{
    struct rows *rows = arg;
    assert_true(rows->n < ARRAY_SIZE(rows->v));
    rows->v[rows->n].addr = row->addr;
    rows->v[rows->n].end = end;
    rows->v[rows->n].file = row->file;
    rows->v[rows->n++].line = row->line;
}

/* Header of version 4: min_length, max_ops, line base -3, line range 12, opcode base 13, no directories, no files. */
static size_t line_program(uint8_t *p, uint8_t min_length, uint8_t max_ops, const uint8_t *code, size_t len)
{
    const uint8_t header[] = {0, 0, 0, 0, 4, 0, 20, 0, 0, 0, min_length, max_ops, 1, 0xfd, 12, 13,
                              0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0};
    memcpy(p, header, sizeof header);
    memcpy(p + sizeof header, code, len);
    p[0] = (uint8_t)(sizeof header + len - 4);
    return sizeof header + len;
}

static void every_opcode_moves_what_it_says(void **state)
{
    static const uint8_t code[] = {
        0, 9, 2, 0, 0x10, 0, 0, 0, 0, 0, 0, /* set_address 0x1000 */
        3, 0x7f, 1, 1,                      /* line 0, copy; and once more, at the same address */
        13 + 12 * 2 + 5,                    /* special: 2 units on, line + 2 */
        8, 1,                               /* const_add_pc: as special 255: (255 - 13) / 12 = 20 units; copy */
        9, 5, 0, 1,                         /* fixed_advance_pc 5, copy */
        4, 3, 5, 9, 6, 7, 10, 11, 12, 2, 13 + 12 + 3, /* file 3, column, flags, isa 2; special: 1 unit on, line + 0 */
        0, 2, 4, 1,                         /* set_discriminator: passed over */
        2, 1, 0, 1, 1,                      /* 1 unit on, end_sequence */
        0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 1, 0, 1, 1, /* a dropped function at 0, of file and line 1 again */
    };
    static const uint64_t want[][4] = {{0x1000, 0x1008, 1, 0},  {0x1008, 0x1058, 1, 2},  {0x1058, 0x105d, 1, 2},
                                       {0x105d, 0x1061, 1, 2},  {0x1061, 0x1065, 3, 2},  {0, 4, 1, 1}};
    uint8_t p[256];
    struct rows rows = {.n = 0};
    size_t len = line_program(p, 4, 1, code, sizeof code);
    assert_true(line_program_run(p, len, 0, see, &rows));
    assert_int_equal(rows.n, ARRAY_SIZE(want));
    for (size_t i = 0; i < rows.n; i++) {
        assert_int_equal(rows.v[i].addr, want[i][0]);
        assert_int_equal(rows.v[i].end, want[i][1]);
        assert_int_equal(rows.v[i].file, want[i][2]);
        assert_int_equal(rows.v[i].line, want[i][3]);
    }
    uint32_t beyond = (uint32_t)len; /* a header that ends behind its program */
    memcpy(p + 6, &beyond, sizeof beyond);
    assert_false(line_program_run(p, len, 0, see, &rows));
}

/* Several operations in an instruction: the address moves when one is full. */
static void operations_of_long_instructions_are_counted(void **state)
{
    static const uint8_t code[] = {
        0, 9, 2, 0, 0x10, 0, 0, 0, 0, 0, 0, 1, 2, 2, 1, 2, 2, 1, 2, 7, 0, 1, 1, /* 2, 4 and 11 operations on, of 3 each */
    };
    uint8_t p[128];
    struct rows rows = {.n = 0};
    size_t len = line_program(p, 16, 3, code, sizeof code);
    assert_true(line_program_run(p, len, 0, see, &rows));
    assert_int_equal(rows.n, 2);
    assert_int_equal(rows.v[0].end, 0x1010);
    assert_int_equal(rows.v[1].end, 0x1030);
}

/* --- abbreviations and units -------------------------------------------------------------------------------------- */

static const uint8_t abbrevs[] = {
    1, DW_TAG_compile_unit, 1, DW_AT_language, DW_FORM_data1, 0, 0,
    7, DW_TAG_subprogram, 0, DW_AT_name, DW_FORM_string, DW_AT_decl_line, DW_FORM_implicit_const, 0x2a, 0, 0,
    5, DW_TAG_namespace, 1, DW_AT_sibling, DW_FORM_ref1, 0, 0,
    9, DW_TAG_lexical_block, 1, DW_AT_call_line, DW_FORM_data2, 0, 0,
    11, DW_TAG_namespace, 0, DW_AT_name, DW_FORM_string, DW_AT_call_line, DW_FORM_data2, 0, 0, 0,
};

static const uint8_t info[] = {
    33, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, /* 0: header of DWARF 4 */
    1, 0x21,                          /* 11: the unit */
    5, 24,                            /* 13: a namespace, after which comes 24 */
    7, 'f', 0,                        /* 15 */
    9, 1, 0, 0, 0,                    /* 18: a block without children; 22: the end of the namespace's */
    0,                                /* 23: passed over by who believes the hint */
    9, 2, 0,                          /* 24: a block without a sibling */
    7, 'g', 0,                        /* 27 */
    0,                                /* 30 */
    7, 'h', 0,                        /* 31 */
    0,                                /* 34 */
    0, 0,                             /* 35 */
    99,                               /* 37: what is behind the unit */
};

static void open_info(struct dwarf_file *f, struct dwarf_unit *u)
{
    *f = (struct dwarf_file){.units = u, .nunits = 1};
    *u = (struct dwarf_unit){.file = f, .start = 0, .end = 37, .dies = 11, .version = 4, .word = 4};
    f->sections[DWARF_INFO] = bytes_of(info, sizeof info);
    f->sections[DWARF_ABBREV] = bytes_of(abbrevs, sizeof abbrevs);
}

static void close_info(struct dwarf_file *f)
{
    f->units = NULL;
    dwarf_close(f);
}

static void entries_are_read_by_their_abbreviations(void **state)
{
    struct dwarf_file f;
    struct dwarf_unit u;
    struct dwarf_die d;
    open_info(&f, &u);
    assert_true(dwarf_unit_prepare(&u, &d));
    assert_int_equal(d.tag, DW_TAG_compile_unit);
    assert_int_equal(dwarf_number(&d, AT_LANGUAGE), 0x21);
    assert_int_equal(d.next, 13);
    assert_true(dwarf_die_read(&u, 31, &d)); /* codes need not count */
    assert_string_equal(dwarf_string(&u, &d, AT_NAME), "h");
    assert_int_equal(dwarf_number(&d, AT_DECL_LINE), 42);
    assert_int_equal(d.next, 34);
    assert_true(dwarf_die_begin(&u, 13, &d) && dwarf_die_pass(&u, &d));
    assert_int_equal(d.next, 15);
    assert_true(d.children);
    assert_true(dwarf_die_begin(&u, 34, &d));
    assert_null(d.abbrev);
    assert_false(f.corrupt);
    assert_false(dwarf_die_begin(&u, 37, &d)); /* behind the end, and before the beginning */
    assert_true(f.corrupt);
    f.corrupt = false;
    assert_false(dwarf_die_begin(&u, 9, &d));
    assert_true(f.corrupt);
    close_info(&f);
}

static void abbreviations_are_found_by_any_code(void **state)
{
    static const struct {
        uint64_t code;
        int tag, size; /* -1: varies */
    } want[] = {{0, 0, 0}, {1, DW_TAG_compile_unit, 1}, {2, 0, 0},  {3, 0, 0}, {5, DW_TAG_namespace, 1},
                {6, 0, 0}, {7, DW_TAG_subprogram, -1},  {8, 0, 0},  {9, DW_TAG_lexical_block, 2},
                {11, DW_TAG_namespace, -1},             {12, 0, 0}, {UINT64_MAX, 0, 0}};
    for (size_t first = 0; first < ARRAY_SIZE(want); first++) { /* in any order: the table is read as far as asked */
        struct dwarf_file f;
        struct dwarf_unit u;
        open_info(&f, &u);
        struct dwarf_abbrevs *t = dwarf_abbrevs_of(&u);
        for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
            size_t k = (first + i) % ARRAY_SIZE(want);
            const struct dwarf_abbrev *a = want[k].code ? dwarf_abbrev_find(t, want[k].code) : NULL;
            assert_int_equal(a ? a->tag : 0, want[k].tag);
            assert_int_equal(a ? a->size : 0, want[k].size);
        }
        close_info(&f);
    }
}

static void siblings_are_found_with_a_hint_and_without(void **state)
{
    struct dwarf_file f;
    struct dwarf_unit u;
    struct dwarf_die d;
    open_info(&f, &u);
    assert_true(dwarf_die_read(&u, 13, &d));
    assert_int_equal(dwarf_die_after_children(&u, &d), 24);
    assert_true(dwarf_die_read(&u, 24, &d));
    assert_int_equal(dwarf_die_after_children(&u, &d), 31);
    assert_true(dwarf_die_read(&u, 18, &d));
    assert_int_equal(dwarf_die_after_children(&u, &d), 22);
    assert_true(dwarf_die_read(&u, 11, &d));
    assert_int_equal(dwarf_die_after_children(&u, &d), 35);
    /* A sibling before the end of the entry itself leads in circles. */
    uint8_t circle[sizeof info];
    memcpy(circle, info, sizeof info);
    circle[14] = 13;
    f.sections[DWARF_INFO] = bytes_of(circle, sizeof circle);
    assert_true(dwarf_die_read(&u, 13, &d));
    assert_int_equal(dwarf_die_after_children(&u, &d), 23);
    close_info(&f);
}

static void units_hold_what_lies_between_their_ends(void **state)
{
    struct dwarf_unit units[] = {{.start = 0, .end = 10}, {.start = 10, .end = 30}, {.start = 40, .end = 50}};
    struct dwarf_file f = {.units = units, .nunits = 3};
    assert_ptr_equal(dwarf_unit_at(&f, 0), &units[0]);
    assert_ptr_equal(dwarf_unit_at(&f, 9), &units[0]);
    assert_ptr_equal(dwarf_unit_at(&f, 10), &units[1]);
    assert_ptr_equal(dwarf_unit_at(&f, 29), &units[1]);
    assert_null(dwarf_unit_at(&f, 30));
    assert_null(dwarf_unit_at(&f, 39));
    assert_ptr_equal(dwarf_unit_at(&f, 49), &units[2]);
    assert_null(dwarf_unit_at(&f, 50));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(low_and_high_make_a_span),
        cmocka_unit_test(lists_of_dwarf_4_have_bases),
        cmocka_unit_test(lists_of_dwarf_5_have_every_kind_of_entry),
        cmocka_unit_test(no_more_lists_than_there_are),
        cmocka_unit_test(every_opcode_moves_what_it_says),
        cmocka_unit_test(operations_of_long_instructions_are_counted),
        cmocka_unit_test(entries_are_read_by_their_abbreviations),
        cmocka_unit_test(abbreviations_are_found_by_any_code),
        cmocka_unit_test(siblings_are_found_with_a_hint_and_without),
        cmocka_unit_test(units_hold_what_lies_between_their_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
