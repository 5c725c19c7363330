/* ELF files that lie about their sections, strings, notes and compressed contents; and the pool of strings. */
#include "config.h"

#include "tests/unit/elf-image.h"

#include "lib/symbolize/strings.h"
#include "lib/symbolize/unpack.h"

static const Elf64_Shdr plain = {.sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC};

static Elf64_Shdr *header_of(struct elf_image *e, unsigned section)
{
    Elf64_Ehdr eh;
    memcpy(&eh, e->b, sizeof eh);
    return (Elf64_Shdr *)(void *)(e->b + eh.e_shoff) + section;
}

static struct image *parse_again(struct elf_image *e)
{
    image_close(&e->image);
    assert_int_equal(image_parse(&e->image, e->b, e->n), IMAGE_OK);
    return &e->image;
}

static void sections_lie_within_the_file(void **state)
{
    static const struct {
        uint64_t offset, size;
    } cases[] = {{UINT64_MAX, 16}, {UINT64_MAX - 7, 8}, {64, UINT64_MAX}, {64, UINT64_MAX - 63}, {1 << 20, 0}, {64, 1 << 20}};
    struct elf_image e;
    elf_begin(&e, EM_X86_64);
    unsigned n = elf_section(&e, ".some", plain, "0123456789", 10);
    elf_end(&e);
    struct section *s = image_section(&e.image, ".some");
    assert_non_null(s);
    assert_int_equal(s->len, 10);
    assert_memory_equal(s->data, "0123456789", 10);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        header_of(&e, n)->sh_offset = cases[i].offset;
        header_of(&e, n)->sh_size = cases[i].size;
        s = image_section(parse_again(&e), ".some");
        assert_non_null(s);
        assert_null(s->data);
        assert_int_equal(s->len, 0);
    }
    elf_free(&e);
}

static void names_end_within_their_table(void **state)
{
    struct elf_image e;
    elf_begin(&e, EM_X86_64);
    unsigned n = elf_section(&e, ".some", plain, "x", 1);
    elf_end(&e);
    Elf64_Shdr *names = header_of(&e, e.nsections - 1);
    uint32_t at = header_of(&e, n)->sh_name;
    names->sh_size = at + strlen(".some") + 1;
    assert_non_null(image_section(parse_again(&e), ".some"));
    names->sh_size--; /* the NUL is not in it any more */
    assert_null(image_section(parse_again(&e), ".some"));
    names->sh_size = at;
    assert_null(image_section(parse_again(&e), ".some"));
    elf_free(&e);
}

static size_t put_note(uint8_t *p, uint32_t type, const char *name, const void *desc, uint32_t size, size_t align)
{
    Elf64_Nhdr n = {.n_namesz = (uint32_t)strlen(name) + 1, .n_descsz = size, .n_type = type};
    size_t at = sizeof n, name_size = (n.n_namesz + align - 1) & ~(align - 1);
    memcpy(p, &n, sizeof n);
    memcpy(p + at, name, n.n_namesz);
    memcpy(p + at + name_size, desc, size);
    return at + name_size + ((size + align - 1) & ~(align - 1));
}

static void the_build_id_is_found_among_other_notes(void **state)
{
    static const uint8_t id[] = {1, 2, 3, 4, 5};
    for (size_t align = 4; align <= 8; align += 4) {
        uint8_t notes[128] = {0};
        struct elf_image e;
        size_t n = put_note(notes, 5, "GNU", "12345", 5, align);
        n += put_note(notes + n, NT_GNU_BUILD_ID, "abcdef", "12345", 5, align);
        n += put_note(notes + n, NT_GNU_BUILD_ID, "GNU", id, sizeof id, align);
        elf_begin(&e, EM_X86_64);
        elf_section(&e, ".note", (Elf64_Shdr){.sh_type = SHT_NOTE, .sh_addralign = align}, notes, n);
        struct image *im = elf_end(&e);
        assert_true(image_has_build_id(im, id, sizeof id));
        assert_false(image_has_build_id(im, id, sizeof id - 1)); /* a part of it is another one */
        assert_false(image_has_build_id(im, (const uint8_t *)"\1\2\3\4\6", 5));
        elf_free(&e);
    }
}

static void notes_that_lead_out_of_their_section_are_none(void **state)
{
    static const uint32_t sizes[][2] = {{UINT32_MAX, 4}, {4, UINT32_MAX}, {4, 5}, {8, 4}, {4, UINT32_MAX - 3}};
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        uint8_t note[sizeof(Elf64_Nhdr) + 8];
        struct elf_image e;
        Elf64_Nhdr n = {.n_namesz = sizes[i][0], .n_descsz = sizes[i][1], .n_type = NT_GNU_BUILD_ID};
        memcpy(note, &n, sizeof n);
        memcpy(note + sizeof n, "GNU\0idid", 8);
        elf_begin(&e, EM_X86_64);
        elf_section(&e, ".note", (Elf64_Shdr){.sh_type = SHT_NOTE, .sh_addralign = 4}, note, sizeof note);
        assert_int_equal(elf_end(&e)->build_id_len, 0);
        elf_free(&e);
    }
}

static void addresses_are_found_in_their_section(void **state)
{
    Elf64_Shdr first = plain, second = plain, other = {.sh_type = SHT_PROGBITS, .sh_addr = 0x3000};
    first.sh_addr = 0x1000;
    second.sh_addr = 0x1010;
    struct elf_image e;
    size_t left;
    elf_begin(&e, EM_X86_64);
    elf_section(&e, ".first", first, "0123456789abcdef", 16);
    elf_section(&e, ".second", second, "xyz", 3);
    elf_section(&e, ".unmapped", other, "xyz", 3);
    struct image *im = elf_end(&e);
    assert_null(image_at(im, 0xfff, &left));
    assert_int_equal(*image_at(im, 0x100f, &left), 'f');
    assert_int_equal(left, 1);
    assert_int_equal(*image_at(im, 0x1010, &left), 'x');
    assert_int_equal(left, 3);
    assert_null(image_at(im, 0x1013, &left));
    assert_null(image_at(im, 0x3000, &left));
    elf_free(&e);
}

#ifdef HAVE_ZLIB
/* "hello" as zlib stores it: its header, one block that is not compressed, the checksum. */
static const uint8_t zlib_hello[] = {0x78, 0x01, 0x01, 5, 0, 0xfa, 0xff, 'h', 'e', 'l', 'l', 'o', 0x06, 0x2c, 0x02, 0x15};

static void what_is_packed_has_the_size_that_it_says(void **state)
{
    for (uint64_t size = 0; size < 8; size++) {
        uint8_t data[sizeof(Elf64_Chdr) + sizeof zlib_hello], old[12 + sizeof zlib_hello] = "ZLIB";
        Elf64_Chdr ch = {.ch_type = ELFCOMPRESS_ZLIB, .ch_size = size, .ch_addralign = 1};
        memcpy(data, &ch, sizeof ch);
        memcpy(data + sizeof ch, zlib_hello, sizeof zlib_hello);
        old[11] = (uint8_t)size;
        memcpy(old + 12, zlib_hello, sizeof zlib_hello);
        const Elf64_Shdr packed = {.sh_type = SHT_PROGBITS, .sh_flags = SHF_COMPRESSED};
        struct elf_image e;
        elf_begin(&e, EM_X86_64);
        elf_section(&e, ".debug_info", packed, data, sizeof data);
        elf_section(&e, ".zdebug_line", (Elf64_Shdr){.sh_type = SHT_PROGBITS}, old, sizeof old);
        struct image *im = elf_end(&e);
        static const char *const names[] = {".debug_info", ".zdebug_line"};
        for (size_t i = 0; i < 2; i++) {
            size_t len = 0, limited;
            struct section *s = image_section(im, names[i]);
            const uint8_t *contents = image_contents(im, s, &len);
            assert_int_equal(contents != NULL, size == 5);
            if (contents) {
                assert_int_equal(len, 5);
                assert_memory_equal(contents, "hello", 5);
                assert_ptr_equal(image_contents(im, s, &len), contents);
                uint8_t *again = unpack(s, packing_of(s), 5, &limited);
                assert_non_null(again);
                free(again);
                assert_null(unpack(s, packing_of(s), 4, &limited)); /* more than there is room for */
            }
        }
        elf_free(&e);
    }
}
#endif

static void strings_are_kept_once_each(void **state)
{
    struct strings s;
    assert_true(strings_init(&s));
    assert_int_equal(strings_add(&s, "", 0), 0);
    uint32_t abc = strings_add(&s, "abc", 3), ab = strings_add(&s, "abc", 2), rest = strings_add(&s, "ab\0c", 4);
    assert_int_equal(ab, rest); /* a string ends at its NUL */
    assert_int_not_equal(abc, ab);
    assert_string_equal(strings_get(&s, ab), "ab");
    assert_string_equal(strings_get(&s, abc), "abc");
    assert_string_equal(strings_get(&s, 0), "");
    assert_string_equal(strings_get(&s, 99999), "");
    enum { MANY = 2000 };
    uint32_t numbers[MANY];
    char text[MANY + 1] = "";
    for (uint32_t i = MANY; i-- > 0;) { /* more than there is room for at first; the longer ones first */
        memset(text, 'a' + (int)(i % 3), i + 1);
        numbers[i] = strings_add(&s, text, i + 1);
        text[i] = 0;
        assert_int_equal(numbers[i], 3 + MANY - 1 - i);
    }
    for (uint32_t i = 0; i < MANY; i++) {
        memset(text, 'a' + (int)(i % 3), i + 1);
        text[i + 1] = 0;
        assert_int_equal(strings_add(&s, text, i + 1), numbers[i]);
        assert_string_equal(strings_get(&s, numbers[i]), text);
    }
    strings_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections_lie_within_the_file),
        cmocka_unit_test(names_end_within_their_table),
        cmocka_unit_test(the_build_id_is_found_among_other_notes),
        cmocka_unit_test(notes_that_lead_out_of_their_section_are_none),
        cmocka_unit_test(addresses_are_found_in_their_section),
#ifdef HAVE_ZLIB
        cmocka_unit_test(what_is_packed_has_the_size_that_it_says),
#endif
        cmocka_unit_test(strings_are_kept_once_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
