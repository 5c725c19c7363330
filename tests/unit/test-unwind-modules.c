/* What is believed of a module's CFI: its header, its segment, its pointers, the lengths of its records. */
#include "config.h"

#include "tests/unit/unit.h"

#include "lib/unwind/cfi.h"
#include "tests/unit/unwind-image.h"

struct module {
    struct image im;
    ElfW(Phdr) phdr[3];
    struct unwind_modules *modules;
};

static int set_up(void **state)
{
    struct module *m = calloc(1, sizeof *m);
    image_begin(&m->im);
    size_t cie = image_usual_cie(&m->im, "zR");
    for (int i = 0; i < 3; i++)
        image_fde(&m->im, cie, (const uint8_t *)"", 1);
    uint32_t n = 3;
    memcpy(m->im.b + 8, &n, sizeof n);
    m->phdr[0] = (ElfW(Phdr)){.p_type = PT_LOAD, .p_flags = PF_R, .p_filesz = IMAGE_SIZE, .p_memsz = IMAGE_SIZE};
    m->phdr[1] = (ElfW(Phdr)){.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = IMAGE_CODE, .p_memsz = 0x2000};
    m->phdr[2] = (ElfW(Phdr)){.p_type = PT_GNU_EH_FRAME};
    m->modules = unwind_modules_init(malloc(unwind_modules_size(1)), 1, 1);
    *state = m;
    return 0;
}

static int tear_down(void **state)
{
    struct module *m = *state;
    image_end(&m->im);
    free(m->modules);
    free(m);
    return 0;
}

static bool has_cfi(struct module *m)
{
    struct dl_phdr_info info = {.dlpi_addr = (uintptr_t)m->im.b, .dlpi_phdr = m->phdr, .dlpi_phnum = 3};
    m->modules->n = 0;
    unwind_modules_add(m->modules, &info);
    assert_int_equal(m->modules->n, 1);
    return m->modules->m[0].hdr;
}

static bool finds(struct module *m, size_t function, size_t offset)
{
    struct cfi_fde fde;
    uintptr_t start = image_code(&m->im, function);
    return has_cfi(m) && cfi_find(&m->modules->m[0], start + offset, &fde) && fde.start == start &&
           fde.end == start + IMAGE_FUNCTION_SIZE;
}

static void a_table_that_is_sorted_is_used(void **state)
{
    struct module *m = *state;
    for (size_t i = 0; i < 3; i++)
        assert_true(finds(m, i, 0) && finds(m, i, IMAGE_FUNCTION_SIZE - 1));
    assert_false(finds(m, 3, 0));
    assert_int_equal(m->modules->m[0].fdes, 3);
}

static void another_kind_of_header_is_not(void **state)
{
    struct module *m = *state;
    static const struct {
        size_t at;
        uint8_t value;
    } changes[] = {{0, 2}, {2, 0xff}, {3, 0x0b}, {3, 0x3c}, {3, 0xff}, {2, 0x0d}, {2, 0x83}, {2, 0x53}};
    for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
        uint8_t *p = m->im.b + changes[i].at, old = *p;
        *p = changes[i].value;
        assert_false(has_cfi(m));
        *p = old;
        assert_true(has_cfi(m));
    }
    uint32_t n = 0;
    memcpy(m->im.b + 8, &n, sizeof n);
    assert_true(has_cfi(m));
    assert_false(finds(m, 0, 0));
}

/* CFI lies in a segment that is read and not written: what a program may change is not followed. */
static void a_segment_that_is_written_is_not_read(void **state)
{
    struct module *m = *state;
    m->phdr[0].p_flags = PF_R | PF_W;
    assert_false(has_cfi(m));
    m->phdr[0].p_flags = PF_X;
    assert_false(has_cfi(m));
    m->phdr[0].p_flags = PF_R | PF_X;
    m->phdr[1].p_flags = PF_R;
    assert_true(has_cfi(m));
    assert_int_equal(m->modules->m[0].cfi_end - m->modules->m[0].cfi, IMAGE_SIZE);
    m->phdr[2].p_vaddr = IMAGE_SIZE; /* behind its end */
    assert_false(has_cfi(m));
    m->phdr[2].p_vaddr = IMAGE_SIZE - 4; /* cut off */
    assert_false(has_cfi(m));
}

static void pointers_have_a_format_and_a_base(void **state)
{
    static const struct {
        uint8_t encoding;
        const char *bytes;
        size_t size;
        int64_t value;
    } cases[] = {
        {0x00, "\1\2\3\4\5\6\7\0", 8, 0x07060504030201}, {0x01, "\x80\1", 2, 128},    {0x02, "\xfe\xff", 2, 0xfffe},
        {0x03, "\xfe\xff\xff\xff", 4, 0xfffffffe},         {0x04, "\1\0\0\0\0\0\0\0", 8, 1}, {0x09, "\x7e", 1, -2},
        {0x0a, "\xfe\xff", 2, -2},                         {0x0b, "\xfe\xff\xff\xff", 4, -2},
        {0x0c, "\xfe\xff\xff\xff\xff\xff\xff\xff", 8, -2},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        uint8_t *exact = malloc(cases[i].size);
        memcpy(exact, cases[i].bytes, cases[i].size);
        const uintptr_t bases[] = {0, (uintptr_t)exact, 0x5000};
        static const uint8_t kinds[] = {0x00, 0x10, 0x30};
        for (size_t k = 0; k < 3; k++) {
            struct cfi_reader r = {exact, exact + cases[i].size, false};
            uintptr_t got = cfi_read_pointer(&r, cases[i].encoding | kinds[k], 0x5000);
            assert_true(got == bases[k] + (uintptr_t)cases[i].value);
            assert_ptr_equal(r.p, r.end);
            assert_false(r.bad);
            r = (struct cfi_reader){exact, exact + cases[i].size - 1, false};
            cfi_read_pointer(&r, cases[i].encoding | kinds[k], 0x5000);
            assert_true(r.bad);
        }
        struct cfi_reader r = {exact, exact + cases[i].size, false};
        cfi_read_pointer(&r, cases[i].encoding | POINTER_INDIRECT, 0);
        assert_true(r.bad);
        free(exact);
    }
    static const uint8_t bad[] = {0x20, 0x40, 0x50, 0x05, 0x0d, POINTER_OMITTED};
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        static const uint8_t zeros[16];
        struct cfi_reader r = {zeros, zeros + sizeof zeros, false};
        cfi_read_pointer(&r, bad[i], 0);
        assert_true(r.bad);
    }
}

static void numbers_of_more_than_64_bits_are_cut(void **state)
{
    static const uint8_t longest[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f};
    static const uint8_t minus[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f};
    struct cfi_reader r = {longest, longest + sizeof longest, false};
    assert_true(cfi_read_uleb(&r) == UINT64_MAX);
    r = (struct cfi_reader){longest, longest + sizeof longest, false};
    assert_true(cfi_read_sleb(&r) == -1);
    r = (struct cfi_reader){minus, minus + sizeof minus, false};
    assert_true(cfi_read_sleb(&r) == INT64_MIN);
}

/* Once something was missing, nothing that follows is believed, be it there. */
static void what_comes_behind_a_cut_is_not_read(void **state)
{
    static const uint8_t some[] = {1, 2, 3, 4};
    struct cfi_reader r = {some, some + sizeof some, false};
    assert_int_equal(cfi_read_fixed(&r, 8), 0);
    assert_true(r.bad);
    assert_int_equal(cfi_read_fixed(&r, 1), 0);
    assert_null(cfi_skip(&r, 1));
    assert_null(cfi_skip(&r, 0));
}

/* The length of a record may have 64 bits. */
static void long_records_are_entered(void **state)
{
    struct module *m = *state;
    uint8_t *copy = calloc(1, IMAGE_SIZE);
    struct cfi_fde fde;
    uint64_t length = 40;
    uint32_t mark = UINT32_MAX;
    memcpy(copy, m->im.b + IMAGE_CIE, 64); /* the CIE, in front */
    uint8_t *p = copy + 128;
    memcpy(p, &mark, 4);
    memcpy(p + 4, &length, 8);
    uint32_t back = (uint32_t)(p + 12 - copy), size = 32;
    memcpy(p + 12, &back, 4);
    int32_t start = 0x100;
    memcpy(p + 16, &start, 4);
    memcpy(p + 20, &size, 4);
    struct unwind_module module = {.cfi = copy, .cfi_end = copy + IMAGE_SIZE};
    assert_true(cfi_parse(&module, p, &fde));
    assert_int_equal(fde.start, (uintptr_t)p + 16 + 0x100);
    assert_int_equal(fde.end - fde.start, 32);
    assert_ptr_equal(fde.program.end, p + 12 + 40);
    length = IMAGE_SIZE;
    memcpy(p + 4, &length, 8);
    assert_false(cfi_parse(&module, p, &fde));
    free(copy);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_table_that_is_sorted_is_used),
        TEST(another_kind_of_header_is_not),
        TEST(a_segment_that_is_written_is_not_read),
        TEST(pointers_have_a_format_and_a_base),
        TEST(numbers_of_more_than_64_bits_are_cut),
        TEST(what_comes_behind_a_cut_is_not_read),
        TEST(long_records_are_entered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
