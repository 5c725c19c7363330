/* What is said of USDT probes: mappings by the user, notes and operands by files that nobody vouches for. */
#include "tests/unit/unit.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/options/probes.h"
#include "preload/moved.h"
#include "preload/probes/notes.h"
#include "preload/probes/operands.h"
#include "preload/recorder.h"
#include "preload/thread.h"
#include "tests/unit/random.h"

struct recorder recorder;
__thread struct thread *self;

/* --- mappings ----------------------------------------------------------------------------------------------------- */

static bool matches(const char *mapping, const char *provider, const char *name)
{
    struct piece text = piece_of(mapping);
    struct probe_mapping m;
    assert_true(probe_mapping_take(&text, &m));
    return probe_mapping_matches(&m, provider, name);
}

static void patterns_match(void **state)
{
    assert_true(matches("a:b=log", "a", "b"));
    assert_false(matches("a:b=log", "a", "bb"));
    assert_false(matches("a:b=log", "a", ""));
    assert_true(matches("a*:*=log", "a", "anything"));
    assert_true(matches("*b*d:x?z=log", "abbcbd", "xyz"));
    assert_false(matches("*b*d:x?z=log", "abbcbde", "xyz"));
    assert_false(matches("a:x?z=log", "a", "xz"));
    assert_true(matches("*b:x=log", "ab", "x"));
    assert_true(matches("sdt_a:query-*-done=log", "a", "query__plan__done"));
    assert_true(matches("a:b-c=log", "a", "b-c"));
    assert_false(matches("a:b-c=log", "a", "b_c"));
    assert_false(matches("a:b-c=log", "a", "b_xc"));
    assert_true(matches("sdt_:b=log", "sdt_", "b"));
}

static void mappings_have_their_parts(void **state)
{
    struct piece text = piece_of(" a:b = log( arg1 ,str(arg12) ) # c:d=log\n;; a:c=task-begin(arg2, \"x;, (\")\n"
                                 "a:d=region-begin(arg3);a:e=region-begin(word)");
    struct probe_mapping m;
    assert_true(probe_mapping_take(&text, &m));
    assert_int_equal(m.action, PROBE_LOG);
    assert_int_equal(m.n, 2);
    assert_int_equal(m.argument[0].number, 1);
    assert_false(m.argument[0].string);
    assert_int_equal(m.argument[1].number, 12);
    assert_true(m.argument[1].string);
    assert_true(probe_mapping_take(&text, &m));
    assert_int_equal(m.action, PROBE_TASK_BEGIN);
    assert_int_equal(m.n, 1);
    assert_false(m.argument[0].string);
    assert_true(piece_is(m.text, "x;, ("));
    assert_true(probe_mapping_take(&text, &m));
    assert_true(m.argument[0].string);
    assert_true(probe_mapping_take(&text, &m));
    assert_int_equal(m.n, 0);
    assert_true(piece_is(m.text, "word"));
    assert_false(probe_mapping_take(&text, &m));
    assert_int_equal(text.len, 0);
}

static void random_mappings_end(void **state)
{
    static const char signs[] = "ab:=()\",;#\n *?-";
    struct random r = random_seed(17);
    for (int i = 0; i < 20000; i++) {
        char text[64];
        size_t n = random_below(&r, sizeof text - 1);
        for (size_t k = 0; k < n; k++)
            text[k] = signs[random_below(&r, sizeof signs - 1)];
        text[n] = 0;
        struct piece bad;
        if (!probe_mappings_ok(piece_of(text), &bad))
            assert_true(bad.len <= n);
    }
}

/* --- operands ----------------------------------------------------------------------------------------------------- */

static uint64_t data[4] = {UINT64_C(0x1122334455667788), UINT64_C(0xfffffffffffffffe), 3, 4};

static uintptr_t find(const struct operand_symbols *symbols, const char *name, size_t len)
{
    return len == 4 && !memcmp(name, "data", 4) ? (uintptr_t)data : 0;
}
static const struct operand_symbols symbols = {find};

static void is_operand(const char *text, uint64_t wanted)
{
    struct operand o[OPERANDS_MAX];
    struct probe_regs regs;
    uint64_t value;
    for (int i = 0; i < OPERAND_REGISTERS; i++)
        regs.r[i] = 0x8182838485868700u + (unsigned)i;
    regs.r[3] = (uintptr_t)data; /* rbx */
    regs.r[9] = 1;
    assert_int_equal(operands_read(text, &symbols, o), 1);
    assert_true(operand_value(&o[0], &regs, &value));
    assert_int_equal(value, wanted);
}

static void operands_have_values(void **state)
{
    is_operand("4@$12", 12);
    is_operand("-4@$-12", (uint64_t)-12);
    is_operand("1@$-1", 0xff);
    is_operand("8@%rcx", UINT64_C(0x8182838485868701));
    is_operand("-4@%edx", UINT64_C(0xffffffff85868702));
    is_operand("2@%r15w", 0x870f);
    is_operand("-2@%r10d", UINT64_C(0xffffffffffff870a));
    is_operand("1@%ch", 0x87);
    is_operand("1@%sil", 0x06);
    is_operand("-1@%r8b", 0x08);
    is_operand("8@(%rbx)", data[0]);
    is_operand("-2@0x8(%rbx)", (uint64_t)-2);
    is_operand("8@8+16-8(%rbx)", 3);
    is_operand("8@-8(%rbx,%r9,8)", data[0]);
    is_operand("8@data(%rip)", data[0]);
    is_operand("8@data+24(%rip)", 4);
}

static void other_operands_are_unknown(void **state)
{
    static const char *const bad[] = {"8f@%xmm0", "8@", "@%rax", "3@%rax", "16@%rax", "8@%rip", "8@%r16", "8@%r7",
                                      "8@%", "8@$", "8@8", "8@(%rbx", "8@(%rbx,%rcx,3)", "8@(%rbx,%rcx,16)",
                                      "8@other(%rip)", "8@data", "8@data(%rax)", "8@%raxx", "8@(rbx)", "-@%rax",
                                      "4@$12x", "8@(%rbx)8"};
    struct operand o[OPERANDS_MAX];
    struct probe_regs regs = {{0}};
    uint64_t value;
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(operands_read(bad[i], &symbols, o), 1);
        assert_int_equal(o[0].kind, OPERAND_UNKNOWN);
        assert_false(operand_value(&o[0], &regs, &value));
    }
    assert_int_equal(operands_read("", &symbols, o), 0);
    assert_int_equal(operands_read("  4@%eax   8@ 8@%rbx ", &symbols, o), 3);
    assert_int_equal(o[1].kind, OPERAND_UNKNOWN);
    assert_int_equal(o[2].kind, OPERAND_REGISTER);
    assert_int_equal(operands_read("1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@", &symbols, o), 12);
}

static void nothing_is_read_where_nothing_is(void **state)
{
    struct operand o[OPERANDS_MAX];
    struct probe_regs regs = {{0}};
    uint64_t value;
    char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), bytes[64];
    assert_true(page != MAP_FAILED && !munmap(page + 4096, 4096));
    memcpy(page + 4092, "last", 4);
    assert_int_equal(safe_read((uintptr_t)page + 4092, bytes, sizeof bytes), 4);
    assert_memory_equal(bytes, "last", 4);
    assert_int_equal(safe_read((uintptr_t)page + 4096, bytes, sizeof bytes), 0);
    assert_int_equal(safe_read(UINTPTR_MAX - 3, bytes, sizeof bytes), 0);
    assert_int_equal(operands_read("8@4092(%rax) 8@(%rbx)", &symbols, o), 2);
    regs.r[0] = (uintptr_t)page;
    assert_false(operand_value(&o[0], &regs, &value));
    assert_false(operand_value(&o[1], &regs, &value));
    munmap(page, 4096);
}

static void random_operands_end(void **state)
{
    static const char signs[] = "0148-+@$%(), raxbpidt\x80";
    struct random r = random_seed(23);
    struct probe_regs regs = {{0}};
    for (int i = 0; i < 50000; i++) {
        struct operand o[OPERANDS_MAX];
        char text[48];
        size_t n = random_below(&r, sizeof text - 1);
        for (size_t k = 0; k < n; k++)
            text[k] = signs[random_below(&r, sizeof signs - 1)];
        text[n] = 0;
        unsigned count = operands_read(text, &symbols, o);
        assert_true(count <= OPERANDS_MAX);
        for (unsigned k = 0; k < count; k++) {
            uint64_t value;
            if (o[k].kind == OPERAND_CONSTANT || o[k].kind == OPERAND_REGISTER)
                assert_true(operand_value(&o[k], &regs, &value));
        }
    }
}

/* --- notes -------------------------------------------------------------------------------------------------------- */

struct image {
    Elf64_Ehdr head;
    Elf64_Phdr segment;
    Elf64_Shdr section[6];
    Elf64_Sym symbol[2];
    uint8_t note[2][80];
    char names[64], strings[16];
};

static size_t put_note(uint8_t *to, uint64_t pc, uint64_t semaphore, const char *texts, size_t n)
{
    const Elf64_Nhdr head = {sizeof "stapsdt", (uint32_t)(24 + n), 3};
    const uint64_t words[3] = {pc, 0x5000, semaphore};
    memcpy(to, &head, sizeof head);
    memcpy(to + sizeof head, "stapsdt", sizeof "stapsdt");
    memcpy(to + 20, words, sizeof words);
    memcpy(to + 44, texts, n);
    return (44 + n + 3) & ~(size_t)3;
}

static struct image image_of(void)
{
    struct image im = {.head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64},
                                .e_phoff = offsetof(struct image, segment),
                                .e_shoff = offsetof(struct image, section), .e_phentsize = sizeof(Elf64_Phdr),
                                .e_phnum = 1, .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 6, .e_shstrndx = 1},
                       .segment = {.p_type = PT_LOAD, .p_memsz = 0x10000}};
    static const char names[] = "\0.shstrtab\0.note.stapsdt\0.stapsdt.base\0.symtab\0.strtab";
    memcpy(im.names, names, sizeof names);
    memcpy(im.strings, "\0here\0there", 12);
    size_t first = put_note(im.note[0], 0x1234, 0, "p\0one\0-4@%edi", 14);
    size_t second = put_note(im.note[0] + first, 0x2345, 0x6000, "p\0two\0", 7);
    im.section[1] = (Elf64_Shdr){.sh_name = 1, .sh_offset = offsetof(struct image, names), .sh_size = sizeof im.names};
    im.section[2] = (Elf64_Shdr){.sh_name = 11, .sh_type = SHT_NOTE, .sh_offset = offsetof(struct image, note),
                                 .sh_size = first + second};
    im.section[3] = (Elf64_Shdr){.sh_name = 25, .sh_type = SHT_PROGBITS, .sh_addr = 0x5010};
    im.section[4] = (Elf64_Shdr){.sh_name = 39, .sh_type = SHT_SYMTAB, .sh_link = 5,
                                 .sh_offset = offsetof(struct image, symbol), .sh_size = sizeof im.symbol};
    im.section[5] = (Elf64_Shdr){.sh_name = 47, .sh_type = SHT_STRTAB, .sh_offset = offsetof(struct image, strings),
                                 .sh_size = sizeof im.strings};
    im.symbol[1] = (Elf64_Sym){.st_name = 6, .st_value = 0x7000, .st_shndx = 3};
    return im;
}

struct seen {
    unsigned n;
    uintptr_t pc, semaphore;
    char last[64];
};

static void see(const struct probe_note *note, void *arg)
{
    struct seen *s = arg;
    s->n++;
    s->pc = note->pc;
    s->semaphore = note->semaphore;
    snprintf(s->last, sizeof s->last, "%s:%s %s", note->provider, note->name, note->arguments);
}

static bool look(const struct image *im, const Elf64_Phdr *mapped, struct seen *s, uintptr_t *symbol)
{
    static int fd;
    char path[64];
    if (!fd)
        fd = memfd_create("image", 0);
    assert_int_equal(pwrite(fd, im, sizeof *im, 0), sizeof *im);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct dl_phdr_info info = {.dlpi_addr = 0x100000, .dlpi_phdr = mapped, .dlpi_phnum = 1};
    struct notes_file f;
    *s = (struct seen){0};
    if (!notes_open(&f, path, &info))
        return false;
    notes_visit(&f, &info, see, s);
    *symbol = notes_symbol(&f, &info, "there", 5);
    notes_close(&f);
    return true;
}

static void notes_are_found(void **state)
{
    struct image im = image_of();
    struct seen s;
    uintptr_t symbol;
    assert_true(look(&im, &im.segment, &s, &symbol));
    assert_int_equal(s.n, 2);
    assert_int_equal(s.pc, 0x102355); /* where it was linked, where it is, and what the base has moved */
    assert_int_equal(s.semaphore, 0x106010);
    assert_string_equal(s.last, "p:two ");
    assert_int_equal(symbol, 0x107000);
    Elf64_Phdr other = im.segment;
    other.p_memsz++;
    assert_false(look(&im, &other, &s, &symbol));
}

static void damaged_notes_do_no_harm(void **state)
{
    struct random r = random_seed(31);
    for (int i = 0; i < 30000; i++) {
        struct image im = image_of();
        struct seen s;
        uintptr_t symbol;
        const Elf64_Phdr segment = im.segment;
        for (unsigned k = random_below(&r, 4) + 1; k-- > 0;) {
            uint8_t *byte = (uint8_t *)&im + random_below(&r, sizeof im);
            *byte = random_one_in(&r, 2) ? (uint8_t)random_below(&r, 256) : (uint8_t)(*byte + 1);
        }
        if (look(&im, &segment, &s, &symbol))
            assert_true(s.n <= sizeof im / 20);
    }
}

/* --- moved code --------------------------------------------------------------------------------------------------- */

static void moved_code_is_where_it_was(void **state)
{
    struct unwind_regs regs = {.r[UNWIND_PC] = 0x2005, .r[UNWIND_SP] = 0x9000};
    moved_back(&regs);
    assert_int_equal(regs.r[UNWIND_PC], 0x2005);
    moved_add(0x5000, 0x70, 0);
    moved_add(0x5008, 0, 0);
    moved_add(0x2000, 0x40, 0);
    moved_add(0x2004, 0x44, 128);
    moved_add(0x2008, 0, 0);
    for (unsigned i = 0; i < 40; i++) /* in no order */
        moved_add(0x100000 + i * 29 % 40 * 16, 0x200 + i * 29 % 40, 0);
    moved_publish();
    moved_back(&regs);
    assert_int_equal(regs.r[UNWIND_PC], 0x44);
    assert_int_equal(regs.r[UNWIND_SP], 0x9080);
    for (unsigned i = 0; i < 40; i++) {
        regs.r[UNWIND_PC] = 0x100008 + i * 16;
        moved_back(&regs);
        assert_int_equal(regs.r[UNWIND_PC], 0x200 + i);
    }
    static const uintptr_t pcs[][2] = {{0x1fff, 0x1fff}, {0x2000, 0x40}, {0x2003, 0x40}, {0x2008, 0x2008},
                                       {0x4fff, 0x4fff}, {0x5007, 0x70}, {0x5008, 0x5008}};
    for (unsigned i = 0; i < sizeof pcs / sizeof pcs[0]; i++) {
        regs.r[UNWIND_PC] = pcs[i][0];
        moved_back(&regs);
        assert_int_equal(regs.r[UNWIND_PC], pcs[i][1]);
    }
}

int main(void)
{
    recorder.pid = getpid();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_match),
        cmocka_unit_test(mappings_have_their_parts),
        cmocka_unit_test(random_mappings_end),
        cmocka_unit_test(operands_have_values),
        cmocka_unit_test(other_operands_are_unknown),
        cmocka_unit_test(nothing_is_read_where_nothing_is),
        cmocka_unit_test(random_operands_end),
        cmocka_unit_test(notes_are_found),
        cmocka_unit_test(damaged_notes_do_no_harm),
        cmocka_unit_test(moved_code_is_where_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
