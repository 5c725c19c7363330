/* The forms of DWARF: how long each is, what it says, and what it refers to. */
#include "config.h"

#include "tests/unit/dwarf-bytes.h"

/* --- forms -------------------------------------------------------------------------------------------------------- */

enum { WORD = 100 /* 4 or 8 */, ADDR_OR_WORD /* 8 before DWARF 3 */ };

/* In the order of the standard. A form of another size shifts all that follows it. */
static const struct {
    uint16_t form;
    int size; /* -1: varies */
} forms[] = {
    {DW_FORM_addr, 8},          {DW_FORM_block2, -1},      {DW_FORM_block4, -1},    {DW_FORM_data2, 2},
    {DW_FORM_data4, 4},         {DW_FORM_data8, 8},        {DW_FORM_string, -1},    {DW_FORM_block, -1},
    {DW_FORM_block1, -1},       {DW_FORM_data1, 1},        {DW_FORM_flag, 1},       {DW_FORM_sdata, -1},
    {DW_FORM_strp, WORD},       {DW_FORM_udata, -1},       {DW_FORM_ref_addr, ADDR_OR_WORD}, {DW_FORM_ref1, 1},
    {DW_FORM_ref2, 2},          {DW_FORM_ref4, 4},         {DW_FORM_ref8, 8},       {DW_FORM_ref_udata, -1},
    {DW_FORM_indirect, -1},     {DW_FORM_sec_offset, WORD}, {DW_FORM_exprloc, -1},  {DW_FORM_flag_present, 0},
    {DW_FORM_strx, -1},         {DW_FORM_addrx, -1},       {DW_FORM_ref_sup4, 4},   {DW_FORM_strp_sup, WORD},
    {DW_FORM_data16, 16},       {DW_FORM_line_strp, WORD}, {DW_FORM_ref_sig8, 8},   {DW_FORM_implicit_const, 0},
    {DW_FORM_loclistx, -1},     {DW_FORM_rnglistx, -1},    {DW_FORM_ref_sup8, 8},   {DW_FORM_strx1, 1},
    {DW_FORM_strx2, 2},         {DW_FORM_strx3, 3},        {DW_FORM_strx4, 4},      {DW_FORM_addrx1, 1},
    {DW_FORM_addrx2, 2},        {DW_FORM_addrx3, 3},       {DW_FORM_addrx4, 4},     {DW_FORM_GNU_addr_index, -1},
    {DW_FORM_GNU_str_index, -1}, {DW_FORM_GNU_ref_alt, WORD}, {DW_FORM_GNU_strp_alt, WORD},
};

static void every_form_has_its_size(void **state)
{
    static const uint8_t data[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
        for (int n = 0; n < 4; n++) {
            struct dwarf_unit u = {.word = n & 1 ? 8 : 4, .version = n & 2 ? 5 : 2};
            int want = forms[i].size == WORD                          ? u.word
                       : forms[i].size == ADDR_OR_WORD ? (u.version < 3 ? 8 : u.word)
                                                       : forms[i].size;
            assert_int_equal(dwarf_form_size(forms[i].form, u.word, u.version), want);
            if (want <= 0)
                continue;
            struct dwarf_value v;
            struct cursor c = {data, data + want, false};
            uint64_t number = 0;
            memcpy(&number, data, want <= 8 ? (size_t)want : 0);
            assert_true(dwarf_form_read(&c, data, &u, forms[i].form, 0, &v));
            assert_ptr_equal(c.p, data + want);
            assert_true(v.v == number);
            assert_int_equal(v.form, forms[i].form);
            c = (struct cursor){data, data + want - 1, false};
            assert_false(dwarf_form_read(&c, data, &u, forms[i].form, 0, &v));
        }
    }
    assert_int_equal(dwarf_form_size(0x7f, 4, 5), -1);
}

static void forms_that_vary_say_how_long_they_are(void **state)
{
    static const struct {
        uint16_t form, as;
        const char *data;
        size_t len;
        uint64_t v;
    } cases[] = {
        {DW_FORM_udata, DW_FORM_udata, "\x80\x01", 2, 128},
        {DW_FORM_ref_udata, DW_FORM_ref_udata, "\x05", 1, 5},
        {DW_FORM_strx, DW_FORM_strx, "\x7f", 1, 127},
        {DW_FORM_addrx, DW_FORM_addrx, "\x80\x02", 2, 256},
        {DW_FORM_rnglistx, DW_FORM_rnglistx, "\x03", 1, 3},
        {DW_FORM_GNU_str_index, DW_FORM_GNU_str_index, "\x03", 1, 3},
        {DW_FORM_GNU_addr_index, DW_FORM_GNU_addr_index, "\x04", 1, 4},
        {DW_FORM_sdata, DW_FORM_sdata, "\x7f", 1, UINT64_MAX},
        {DW_FORM_sdata, DW_FORM_sdata, "\x80\x7f", 2, (uint64_t)-128},
        {DW_FORM_sdata, DW_FORM_sdata, "\x3f", 1, 63},
        {DW_FORM_string, DW_FORM_string, "abc", 4, 2},
        {DW_FORM_block1, DW_FORM_block1, "\3abc", 4, 2},
        {DW_FORM_block2, DW_FORM_block2, "\3\0abc", 5, 2},
        {DW_FORM_block4, DW_FORM_block4, "\3\0\0\0abc", 7, 2},
        {DW_FORM_block, DW_FORM_block, "\3abc", 4, 2},
        {DW_FORM_exprloc, DW_FORM_exprloc, "\2ab", 3, 2},
        {DW_FORM_indirect, DW_FORM_data2, "\5\7\1", 3, 0x107},
    };
    struct dwarf_unit u = {.word = 4, .version = 5};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        uint8_t *section = malloc(2 + cases[i].len);
        struct dwarf_value v;
        memcpy(section + 2, cases[i].data, cases[i].len);
        struct cursor c = {section + 2, section + 2 + cases[i].len, false};
        assert_true(dwarf_form_read(&c, section, &u, cases[i].form, 0, &v));
        assert_ptr_equal(c.p, c.end);
        assert_int_equal(v.form, cases[i].as);
        assert_true(v.v == cases[i].v);
        c = (struct cursor){section + 2, section + 1 + cases[i].len, false};
        assert_false(dwarf_form_read(&c, section, &u, cases[i].form, 0, &v));
        free(section);
    }
    static const uint8_t again[] = {DW_FORM_indirect, DW_FORM_data1, 1};
    struct dwarf_value v;
    struct cursor c = {again, again + sizeof again, false};
    assert_false(dwarf_form_read(&c, again, &u, DW_FORM_indirect, 0, &v));
    assert_true(dwarf_form_read(&c, again, &u, DW_FORM_implicit_const, -7, &v));
    assert_true(v.v == (uint64_t)-7);
    assert_true(dwarf_form_read(&c, again, &u, DW_FORM_flag_present, 0, &v));
    assert_true(v.v == 1);
}

static void numbers_below_zero_are_none(void **state)
{
    struct dwarf_die d = die_with(AT_CALL_LINE, DW_FORM_sdata, (uint64_t)-1);
    assert_int_equal(dwarf_number(&d, AT_CALL_LINE), 0);
    d = die_with(AT_CALL_LINE, DW_FORM_implicit_const, (uint64_t)-1);
    assert_int_equal(dwarf_number(&d, AT_CALL_LINE), 0);
    d = die_with(AT_CALL_LINE, DW_FORM_data8, UINT64_MAX);
    assert_true(dwarf_number(&d, AT_CALL_LINE) == UINT64_MAX);
    assert_int_equal(dwarf_number(&d, AT_DECL_LINE), 0);
}

static void only_numbers_in_the_entry_are_constants(void **state)
{
    static const struct {
        uint16_t form;
        uint64_t v;
        bool good;
    } cases[] = {
        {DW_FORM_data1, 200, true},  {DW_FORM_data2, 1, true},       {DW_FORM_data4, UINT32_MAX, true},
        {DW_FORM_data8, 1, true},    {DW_FORM_udata, 7, true},       {DW_FORM_sdata, 7, true},
        {DW_FORM_sdata, (uint64_t)-7, false}, {DW_FORM_implicit_const, (uint64_t)-1, false},
        {DW_FORM_implicit_const, 1, true}, {DW_FORM_exprloc, 7, false}, {DW_FORM_ref4, 7, false},
        {DW_FORM_sec_offset, 7, false},
    };
    uint64_t v;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct dwarf_die d = die_with(AT_BYTE_SIZE, cases[i].form, cases[i].v);
        assert_int_equal(dwarf_constant(&d, AT_BYTE_SIZE, &v), cases[i].good);
        if (cases[i].good)
            assert_true(v == cases[i].v);
        assert_false(dwarf_constant(&d, AT_ELEMENTS, &v));
    }
    struct dwarf_die d = die_with(AT_CALL_LINE, DW_FORM_exprloc, 7);
    assert_int_equal(dwarf_number(&d, AT_CALL_LINE), 0);
}

/* An exprloc at offset 0 of a unit that has one more byte, as the location of a variable and of a member. */
static void a_place_is_one_operation(void **state)
{
    static const uint8_t addresses[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0x34, 0x12};
    static const struct {
        const char *block;
        size_t len;
        uint64_t address, offset; /* 0: it is none */
    } cases[] = {
        {"\11\3\x34\x12\0\0\0\0\0\0", 10, 0x1234, 0},
        {"\12\3\x34\x12\0\0\0\0\0\0\xe0", 11, 0, 0}, /* of each thread */
        {"\10\3\x34\x12\0\0\0\0\0", 9, 0, 0},
        {"\2\xa1\1", 3, 0x1234, 0},
        {"\2\xfb\1", 3, 0x1234, 0},
        {"\2\xa1\2", 3, 0, 0}, /* there are two */
        {"\3\xa1\1\x9f", 4, 0, 0},
        {"\2\x23\5", 3, 0, 5},
        {"\3\x23\5\6", 4, 0, 0}, /* the offset has to be looked up */
        {"\2\x91\5", 3, 0, 0},
        {"\0", 1, 0, 0},
        {"\4\x23\5", 3, 0, 0}, /* longer than the unit */
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct dwarf_file f = {.split = false};
        struct dwarf_unit u = {.file = &f, .end = cases[i].len + 1, .version = 5, .word = 4};
        uint8_t *exact = calloc(1, cases[i].len + 1);
        struct dwarf_die d = die_with(AT_LOCATION, DW_FORM_exprloc, 0);
        uint64_t found;
        memcpy(exact, cases[i].block, cases[i].len);
        f.sections[DWARF_INFO] = bytes_of(exact, cases[i].len + 1);
        u.addr = bytes_of(addresses, sizeof addresses);
        assert_int_equal(dwarf_location(&u, &d, &found), cases[i].address != 0);
        if (cases[i].address)
            assert_true(found == cases[i].address);
        d = die_with(AT_MEMBER_LOCATION, DW_FORM_exprloc, 0);
        assert_int_equal(dwarf_member_offset(&u, &d, &found), cases[i].offset != 0);
        if (cases[i].offset)
            assert_true(found == cases[i].offset);
        free(exact);
    }
    struct dwarf_unit u = {.version = 5};
    uint64_t found;
    struct dwarf_die d = die_with(AT_MEMBER_LOCATION, DW_FORM_data1, 8);
    assert_true(dwarf_member_offset(&u, &d, &found));
    assert_int_equal(found, 8);
    assert_false(dwarf_location(&u, &d, &found));
    d = die_with(AT_LOCATION, DW_FORM_sec_offset, 8);
    assert_false(dwarf_location(&u, &d, &found));
    assert_true(dwarf_member_offset(&u, &d, &found)); /* of a union */
    assert_int_equal(found, 0);
}

/* --- what forms refer to ------------------------------------------------------------------------------------------ */

static void strings_are_found_by_offset_and_by_index(void **state)
{
    static const uint32_t offsets[] = {0xbad, 0xbad, 4, 0};
    static const uint64_t wide[] = {0xbad, 8};
    struct dwarf_file alt = {.split = false}, f = {.alt = &alt};
    struct dwarf_unit u = {.file = &f, .word = 4, .version = 5, .str_offsets_base = 8};
    f.sections[DWARF_STR] = bytes_of("one\0two\0three", 13); /* the last one does not end */
    f.sections[DWARF_LINE_STR] = bytes_of("line", 5);
    f.sections[DWARF_STR_OFFSETS] = bytes_of(offsets, sizeof offsets);
    alt.sections[DWARF_STR] = bytes_of("alt", 4);
#define STRING(form, v) dwarf_string_value(&u, (struct dwarf_value){v, form})
    assert_string_equal(STRING(DW_FORM_strp, 4), "two");
    assert_string_equal(STRING(DW_FORM_strp, 5), "wo");
    assert_null(STRING(DW_FORM_strp, 8));
    assert_null(STRING(DW_FORM_strp, 13));
    assert_string_equal(STRING(DW_FORM_line_strp, 0), "line");
    assert_null(STRING(DW_FORM_line_strp, 5));
    assert_string_equal(STRING(DW_FORM_GNU_strp_alt, 0), "alt");
    assert_string_equal(STRING(DW_FORM_strp_sup, 0), "alt");
    assert_string_equal(STRING(DW_FORM_strx1, 0), "two");
    assert_string_equal(STRING(DW_FORM_strx, 1), "one");
    assert_null(STRING(DW_FORM_strx3, 2));
    assert_null(STRING(DW_FORM_udata, 0));
    u.str_offsets_base = sizeof offsets + 1;
    assert_null(STRING(DW_FORM_strx2, 0));
    f.sections[DWARF_STR_OFFSETS] = bytes_of(wide, sizeof wide - 1);
    u.word = 8;
    u.str_offsets_base = 0;
    assert_null(STRING(DW_FORM_strx4, 1)); /* cut off */
    f.alt = NULL;
    assert_null(STRING(DW_FORM_strp_sup, 0));
#undef STRING
}

static void references_stay_in_their_unit_or_say_where_they_lead(void **state)
{
    struct dwarf_unit u = {.start = 100, .end = 200, .word = 4, .version = 5};
    static const struct {
        uint16_t form;
        uint64_t v;
        bool good, alt;
        uint64_t to;
    } cases[] = {
        {DW_FORM_ref4, 99, true, false, 199},   {DW_FORM_ref1, 0, true, false, 100},
        {DW_FORM_ref2, 100, false, false, 0},   {DW_FORM_ref_udata, 5, true, false, 105},
        {DW_FORM_ref8, UINT64_MAX, false, false, 0}, {DW_FORM_ref_addr, 5000, true, false, 5000},
        {DW_FORM_GNU_ref_alt, 7, true, true, 7}, {DW_FORM_ref_sup4, 7, true, true, 7},
        {DW_FORM_ref_sup8, 7, true, true, 7},   {DW_FORM_ref_sig8, 7, false, false, 0},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct dwarf_die d = die_with(AT_ORIGIN, cases[i].form, cases[i].v);
        uint64_t to;
        bool alt;
        assert_int_equal(dwarf_reference(&u, &d, AT_ORIGIN, &to, &alt), cases[i].good);
        if (cases[i].good) {
            assert_int_equal(alt, cases[i].alt);
            assert_int_equal(to, cases[i].to);
        }
        assert_false(dwarf_reference(&u, &d, AT_SPECIFICATION, &to, &alt));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_has_its_size),
        cmocka_unit_test(forms_that_vary_say_how_long_they_are),
        cmocka_unit_test(numbers_below_zero_are_none),
        cmocka_unit_test(only_numbers_in_the_entry_are_constants),
        cmocka_unit_test(a_place_is_one_operation),
        cmocka_unit_test(strings_are_found_by_offset_and_by_index),
        cmocka_unit_test(references_stay_in_their_unit_or_say_where_they_lead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
