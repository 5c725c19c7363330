/* Functions and objects by address: symbol tables and stubs of made-up files, at the exact ends of what they cover. */
#include "config.h"

#include "tests/unit/elf-image.h"

#include <stdio.h>

#include "lib/symbolize/symtab.h"

static const char *name_at(const struct symtab *t, uint64_t addr)
{
    static char name[64];
    const struct symbol *s = symtab_find(t, addr);
    if (!s)
        return "";
    snprintf(name, sizeof name, "%.*s", (int)s->name_len, s->name);
    return name;
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

static void add(struct symtab *t, uint64_t start, uint64_t end, const char *name, uint8_t rank)
{
    symtab_add(t, (struct symbol){start, end, name, (uint32_t)strlen(name), rank});
}

static void a_symbol_ends_where_it_says(void **state)
{
    struct symtab t = {0};
    assert_null(symtab_find(&t, 0x1000));
    symtab_seal(&t);
    assert_null(symtab_find(&t, 0x1000));
    add(&t, 0x2000, 0x2010, "second", 0);
    add(&t, 0x1000, 0x1008, "first", 0);
    symtab_seal(&t);
    assert_string_equal(name_at(&t, 0xfff), "");
    assert_string_equal(name_at(&t, 0x1000), "first");
    assert_string_equal(name_at(&t, 0x1007), "first");
    assert_string_equal(name_at(&t, 0x1008), ""); /* padding, or a function that is in no table */
    assert_string_equal(name_at(&t, 0x1fff), "");
    assert_string_equal(name_at(&t, 0x200f), "second");
    assert_string_equal(name_at(&t, 0x2010), "");
    symtab_free(&t);
}

static void what_has_no_size_goes_on_to_the_next(void **state)
{
    struct symtab t = {0};
    add(&t, 0x1000, 0x1100, "sized", 0);
    add(&t, 0x1040, 0, "label", 0);
    add(&t, 0x1080, 0x1090, "inner", 0);
    add(&t, 0x1200, 0, "assembly", 0);
    add(&t, 0x1300, 0x1310, "last", 0);
    symtab_seal(&t);
    assert_string_equal(name_at(&t, 0x1050), "sized"); /* a label inside of a function is no function */
    assert_string_equal(name_at(&t, 0x1080), "inner");
    assert_string_equal(name_at(&t, 0x1090), "sized");
    assert_string_equal(name_at(&t, 0x1100), "");
    assert_string_equal(name_at(&t, 0x12ff), "assembly");
    assert_string_equal(name_at(&t, 0x1310), "");
    symtab_free(&t);
}

static void of_several_names_the_best_is_taken(void **state)
{
    struct symtab t = {0};
    add(&t, 0x1000, 0x1004, "local", 2);
    add(&t, 0x1000, 0x1010, "global", 0);
    add(&t, 0x1000, 0x1020, "weak", 1);
    add(&t, 0x2000, 0x2010, "longer", 0);
    add(&t, 0x2000, 0x2010, "short", 0);
    add(&t, 0x2000, 0x2010, "other", 0);
    symtab_seal(&t);
    assert_int_equal(t.n, 2);
    assert_string_equal(name_at(&t, 0x1000), "global");
    assert_string_equal(name_at(&t, 0x101f), "global"); /* as long as the longest */
    assert_string_equal(name_at(&t, 0x2000), "other");
    symtab_free(&t);
}

/* --- files -------------------------------------------------------------------------------------------------------- */

enum { TEXT = 0x1000, TEXT_SIZE = 0x200, DATA = 8 /* its index among the symbols */ };

static unsigned add_text(struct elf_image *e)
{
    static const uint8_t code[TEXT_SIZE];
    return elf_section(e, ".text", (Elf64_Shdr){.sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                                                .sh_addr = TEXT}, code, sizeof code);
}

static void functions_of_a_file_are_found_by_plain_names(void **state)
{
    static const struct {
        const char *name, *found; /* NULL: as it is; "": it is no function */
        unsigned char bind, type;
        uint64_t size;
    } symbols[] = {
        {"plain", NULL, STB_GLOBAL, STT_FUNC, 16},
        {"new@@VERS_2", "new", STB_GLOBAL, STT_FUNC, 16},
        {"old@VERS_1", "old", STB_GLOBAL, STT_FUNC, 16},
        {"@odd", "@odd", STB_GLOBAL, STT_FUNC, 16},
        {"resolver", NULL, STB_GLOBAL, STT_GNU_IFUNC, 16},
        {"label", NULL, STB_LOCAL, STT_NOTYPE, 16},
        {".Lnowhere", "", STB_LOCAL, STT_NOTYPE, 16},
        {"$x", "", STB_LOCAL, STT_NOTYPE, 16},
        {"data", "", STB_GLOBAL, STT_OBJECT, 16},
        {"label of data", "", STB_GLOBAL, STT_OBJECT, 0},
        {"section", "", STB_LOCAL, STT_SECTION, 16},
        {"beyond", NULL, STB_GLOBAL, STT_FUNC, 0x100000}, /* as far as its section goes */
    };
    Elf64_Sym table[ARRAY_SIZE(symbols) + 4] = {{0}};
    char names[512] = "";
    size_t at = 1, n = ARRAY_SIZE(symbols);
    struct elf_image e;
    struct symtab t = {0}, objects = {.of_objects = true};
    elf_begin(&e, EM_X86_64);
    unsigned text = add_text(&e);
    for (size_t i = 0; i < n; i++) {
        table[i + 1] = (Elf64_Sym){.st_name = (uint32_t)at, .st_info = ELF64_ST_INFO(symbols[i].bind, symbols[i].type),
                                   .st_shndx = (uint16_t)text, .st_value = TEXT + i * 32, .st_size = symbols[i].size};
        strcpy(names + at, symbols[i].name);
        at += strlen(symbols[i].name) + 1;
    }
    /* Not defined here, not in its section, and without a name. */
    table[n + 1] = table[n + 2] = table[n + 3] = table[1];
    table[n + 1].st_shndx = SHN_UNDEF;
    table[n + 1].st_value = TEXT + 0x180;
    table[n + 2].st_value = TEXT + TEXT_SIZE + 1;
    table[n + 3].st_name = sizeof names;
    table[n + 3].st_value = TEXT + 0x190;
    unsigned strings = elf_section(&e, ".strtab", (Elf64_Shdr){.sh_type = SHT_STRTAB}, names, sizeof names);
    elf_section(&e, ".symtab", (Elf64_Shdr){.sh_type = SHT_SYMTAB, .sh_link = strings}, table, sizeof table);
    struct image *image = elf_end(&e);
    symtab_add_image(&t, image);
    symtab_seal(&t);
    for (size_t i = 0; i < n; i++) {
        const char *want = symbols[i].found ? symbols[i].found : symbols[i].name;
        assert_string_equal(name_at(&t, TEXT + i * 32), want);
        assert_string_equal(name_at(&t, TEXT + i * 32 + 15), want);
        if (symbols[i].size == 16)
            assert_string_equal(name_at(&t, TEXT + i * 32 + 16), "");
    }
    assert_string_equal(name_at(&t, TEXT + 0x190), "beyond");
    assert_string_equal(name_at(&t, TEXT + TEXT_SIZE - 1), "beyond");
    assert_string_equal(name_at(&t, TEXT + TEXT_SIZE), "");
    symtab_add_image(&objects, image);
    symtab_seal(&objects);
    assert_int_equal(objects.n, 2);
    assert_string_equal(name_at(&objects, TEXT + DATA * 32 + 15), "data");
    assert_string_equal(name_at(&objects, TEXT + DATA * 32 + 16), "");
    assert_string_equal(name_at(&objects, TEXT + (DATA + 1) * 32), "label of data");
    assert_string_equal(name_at(&objects, TEXT + (DATA + 1) * 32 + 1), "");
    symtab_free(&objects);
    symtab_free(&t);
    elf_free(&e);
}

/* --- stubs -------------------------------------------------------------------------------------------------------- */

enum { GOT = 0x4000, STUBS = 3 };
static const char *const targets[STUBS] = {"puts", "exit", "malloc"};

/* Relocations that fill the slots GOT, GOT + 8 …; a last one that has no symbol. */
static void add_slots(struct elf_image *e, const char *section)
{
    char names[64] = "";
    Elf64_Sym symbols[STUBS + 1] = {{0}};
    Elf64_Rela relocations[STUBS + 1];
    size_t at = 1;
    for (size_t i = 0; i < STUBS; i++) {
        symbols[i + 1].st_name = (uint32_t)at;
        strcpy(names + at, targets[i]);
        at += strlen(targets[i]) + 1;
    }
    for (size_t i = 0; i <= STUBS; i++)
        relocations[i] = (Elf64_Rela){.r_offset = GOT + (STUBS - i) * 8, .r_info = ELF64_R_INFO((STUBS - i + 1) % 4, 7)};
    unsigned strings = elf_section(e, ".dynstr", (Elf64_Shdr){.sh_type = SHT_STRTAB}, names, sizeof names);
    unsigned table = elf_section(e, ".dynsym", (Elf64_Shdr){.sh_type = SHT_DYNSYM, .sh_link = strings}, symbols,
                                 sizeof symbols);
    elf_section(e, section, (Elf64_Shdr){.sh_type = SHT_RELA, .sh_link = table}, relocations, sizeof relocations);
}

static void add_stubs(struct elf_image *e, const char *name, uint64_t addr, uint64_t entsize, const uint8_t *code,
                      size_t len)
{
    elf_section(e, name, (Elf64_Shdr){.sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR, .sh_addr = addr,
                                      .sh_entsize = entsize}, code, len);
}

/* What stands before a jmp *slot(%rip), in stubs of so many bytes. */
static void stubs_are_named(const char *section, uint64_t size, const char *before, size_t nbefore)
{
    uint8_t code[STUBS * 16] = {0};
    struct elf_image e;
    struct symtab t = {0};
    for (size_t i = 0; i < STUBS; i++) {
        uint8_t *p = code + i * size + nbefore;
        int32_t to = (int32_t)(GOT + i * 8 - (TEXT + i * size + nbefore + 6));
        memcpy(code + i * size, before, nbefore);
        p[0] = 0xff;
        p[1] = 0x25;
        memcpy(p + 2, &to, sizeof to);
    }
    elf_begin(&e, EM_X86_64);
    add_slots(&e, strcmp(section, ".plt.got") ? ".rela.plt" : ".rela.dyn");
    add_stubs(&e, section, TEXT, size, code, STUBS * size);
    plt_add_image(&t, elf_end(&e));
    symtab_seal(&t);
    assert_int_equal(t.n, STUBS);
    for (size_t i = 0; i < STUBS; i++) {
        assert_string_equal(name_at(&t, TEXT + i * size), targets[i]);
        assert_string_equal(name_at(&t, TEXT + (i + 1) * size - 1), targets[i]);
    }
    assert_string_equal(name_at(&t, TEXT + STUBS * size), "");
    symtab_free(&t);
    elf_free(&e);
}

static void stubs_of_all_kinds_are_named(void **state)
{
    stubs_are_named(".plt.got", 8, "", 0);
    stubs_are_named(".plt.got", 16, "\xf3\x0f\x1e\xfa", 4);
    stubs_are_named(".plt.sec", 16, "\xf3\x0f\x1e\xfa", 4);
    stubs_are_named(".plt.sec", 16, "\xf3\x0f\x1e\xfa\xf2", 5);
    stubs_are_named(".plt", 16, "", 0);
    stubs_are_named(".iplt", 16, "\xf2", 1);
}

/* endbr64; push $number; jmp .plt, behind a header that is no stub. */
static void stubs_that_push_a_number_are_named(void **state)
{
    uint8_t code[(1 + STUBS) * 16] = {0xff, 0x35};
    struct elf_image e;
    struct symtab t = {0};
    for (uint32_t i = 0; i < STUBS; i++) {
        static const uint8_t push[] = {0xf3, 0x0f, 0x1e, 0xfa, 0x68};
        uint32_t number = i + 1; /* relocation 0 has no symbol */
        memcpy(code + (1 + i) * 16, push, sizeof push);
        memcpy(code + (1 + i) * 16 + 5, &number, sizeof number);
    }
    elf_begin(&e, EM_X86_64);
    add_slots(&e, ".rela.plt");
    add_stubs(&e, ".plt", TEXT, 16, code, sizeof code);
    plt_add_image(&t, elf_end(&e));
    symtab_seal(&t);
    assert_int_equal(t.n, STUBS);
    for (size_t i = 0; i < STUBS; i++)
        assert_string_equal(name_at(&t, TEXT + (1 + i) * 16), targets[STUBS - 1 - i]);
    assert_string_equal(name_at(&t, TEXT + 15), "");
    symtab_free(&t);
    elf_free(&e);
}

/*
 * [bti c]; adrp x16, page; ldr x17, [x16, #offset]; and the jump, in stubs of that many instructions behind a header of
 * as many words more than 4.
 */
static void aarch64_stubs_are_named(uint32_t bti, uint32_t words, uint64_t start)
{
    uint32_t header = 4 + words, code[10 + STUBS * 6] = {0xd503245f, 0xa9bf7bf0, 0x90000010, 0xf9400211};
    struct elf_image e;
    struct symtab t = {0};
    for (uint32_t i = 0; i < STUBS; i++) {
        uint32_t *p = code + header + i * words;
        uint64_t slot = GOT + i * 8, page = (slot >> 12) - ((start + (header + i * words + bti) * 4) >> 12);
        p[0] = 0xd503245f;
        p[bti] = 0x90000010 | (uint32_t)(page & 3) << 29 | (uint32_t)(page >> 2 & 0x7ffff) << 5;
        p[bti + 1] = 0xf9400211 | (uint32_t)((slot & 0xfff) / 8) << 10;
    }
    elf_begin(&e, EM_AARCH64);
    add_slots(&e, ".rela.plt");
    add_stubs(&e, ".plt", start, 16, (const uint8_t *)code, (header + STUBS * words) * 4);
    plt_add_image(&t, elf_end(&e));
    symtab_seal(&t);
    assert_int_equal(t.n, STUBS);
    assert_string_equal(name_at(&t, start + header * 4 - 1), "");
    for (size_t i = 0; i < STUBS; i++) {
        assert_string_equal(name_at(&t, start + (header + i * words) * 4), targets[i]);
        assert_string_equal(name_at(&t, start + (header + (i + 1) * words) * 4 - 1), targets[i]);
    }
    assert_string_equal(name_at(&t, start + (header + STUBS * words) * 4), "");
    symtab_free(&t);
    elf_free(&e);
}

static void stubs_of_aarch64_are_named(void **state)
{
    for (uint32_t bti = 0; bti < 2; bti++)
        for (uint32_t words = 4; words <= 6; words += 2)
            for (int down = 0; down < 2; down++)
                aarch64_stubs_are_named(bti, words, down ? 0x40000000 : TEXT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_symbol_ends_where_it_says),
        cmocka_unit_test(what_has_no_size_goes_on_to_the_next),
        cmocka_unit_test(of_several_names_the_best_is_taken),
        cmocka_unit_test(functions_of_a_file_are_found_by_plain_names),
        cmocka_unit_test(stubs_of_all_kinds_are_named),
        cmocka_unit_test(stubs_that_push_a_number_are_named),
        cmocka_unit_test(stubs_of_aarch64_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
