#include "config.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "lib/symbolize/answer.h"
#include "lib/symbolize/line_program.h"
#include "lib/symbolize/symbolize.h"

static const char *the_message(const struct symbolizer *s)
{
    const struct symbolize_message *m = symbolize_message(s, 0);
    assert_non_null(m);
    assert_null(symbolize_message(s, 1));
    return m->text;
}

static void assert_one_frame(const struct symbolizer *s, int64_t pc, const char *function, const char *file)
{
    size_t n;
    const struct symbolize_frame *f = symbolize_frames(s, pc, &n);
    assert_int_equal(n, 1);
    assert_string_equal(f->function, function);
    assert_string_equal(f->file, file);
    assert_int_equal(f->line, 1);
}

static void a_pc_in_no_module_is_named_by_its_address(void **state)
{
    struct symbolizer *s = symbolize_new();
    int64_t pc = symbolize_add_pc(s, SYMBOLIZE_BY_ADDRESS, 0x1235), again = symbolize_add_pc(s, 7, 0x1235);
    assert_int_equal(symbolize_run(s), 0);
    assert_one_frame(s, pc, "[unknown] 0x1234", "[unknown]");
    assert_one_frame(s, again, "[unknown] 0x1234", "[unknown]");
    assert_one_frame(s, 99, "[unknown]", "[unknown]");
    assert_null(symbolize_message(s, 0));
    symbolize_free(s);
}

static void a_missing_file_gives_offsets_and_one_message(void **state)
{
    struct symbolizer *s = symbolize_new();
    const struct symbolize_range range = {0x10000, 0x20000, 0};
    const struct symbolize_module m = {.path = "/nowhere/libx.so.1", .bias = 0x10000, .ranges = &range, .nranges = 1};
    assert_int_equal(symbolize_add_module(s, &m), 0);
    assert_int_equal(symbolize_add_module(s, &m), 1);
    int64_t a = symbolize_add_pc(s, SYMBOLIZE_BY_ADDRESS, 0x11001), b = symbolize_add_pc(s, 0, 0x12001);
    int64_t outside = symbolize_add_pc(s, SYMBOLIZE_BY_ADDRESS, 0x20001);
    assert_int_equal(symbolize_run(s), 0);
    assert_one_frame(s, a, "libx.so.1+0x1000", "/nowhere/libx.so.1");
    assert_one_frame(s, b, "libx.so.1+0x2000", "/nowhere/libx.so.1");
    assert_one_frame(s, outside, "[unknown] 0x20000", "[unknown]");
    assert_non_null(strstr(the_message(s), "/nowhere/libx.so.1: No such file"));
    symbolize_free(s);
}

static void an_object_in_no_module_has_no_frames(void **state)
{
    struct symbolizer *s = symbolize_new();
    const struct symbolize_module missing = {.path = "/nowhere/libx.so.1", .bias = 0x10000};
    int module = symbolize_add_module(s, &missing);
    const int64_t objects[] = {
        symbolize_add_object(s, SYMBOLIZE_BY_ADDRESS, 0x1234), symbolize_add_object(s, 7, 0x1234),
        symbolize_add_object(s, module, 0x11234), symbolize_add_object(s, module, UINT64_MAX)};
    /* The same addresses are PCs as well; one is not in the file, and one that no file has. */
    int64_t unknown = symbolize_add_pc(s, SYMBOLIZE_BY_ADDRESS, 0x1235), pc = symbolize_add_pc(s, module, 0x11235);
    int64_t high = symbolize_add_pc(s, module, 0xffffffffff600001);
    assert_int_equal(symbolize_run(s), 0);
    for (size_t i = 0; i < ARRAY_SIZE(objects); i++) {
        size_t n = 1;
        symbolize_frames(s, objects[i], &n);
        assert_int_equal(n, 0);
    }
    assert_one_frame(s, unknown, "[unknown] 0x1234", "[unknown]");
    assert_one_frame(s, pc, "libx.so.1+0x1234", "/nowhere/libx.so.1");
    assert_one_frame(s, high, "[unknown] 0xffffffffff600000", "[unknown]");
    symbolize_free(s);
}

/* --- this program itself ------------------------------------------------------------------------------------------ */

__attribute__((noinline)) static void *here(int *line)
{
    *line = __LINE__ + 1;
    return __builtin_return_address(0);
}

struct self {
    uint64_t bias;
    const uint8_t *build_id;
};

static int find_self(struct dl_phdr_info *info, size_t size, void *arg)
{
    ((struct self *)arg)->bias = info->dlpi_addr;
    return 1;
}

__attribute__((noinline)) static void *a_known_place(int *line)
{
    int inner;
    *line = __LINE__ + 1;
    void *pc = here(&inner);
    __asm__ volatile("" : "+r"(pc));
    return pc;
}

static char *self_path(char *buf, size_t len)
{
    ssize_t n = readlink("/proc/self/exe", buf, len - 1);
    assert_true(n > 0);
    buf[n] = 0;
    return buf;
}

static void our_own_code_is_found_with_line(void **state)
{
    struct symbolizer *s = symbolize_new();
    char path[4096];
    struct self self;
    int line;
    size_t n;
    dl_iterate_phdr(find_self, &self);
    const struct symbolize_module m = {.path = self_path(path, sizeof path), .bias = self.bias};
    int module = symbolize_add_module(s, &m);
    int64_t pc = symbolize_add_pc(s, module, (uint64_t)(uintptr_t)a_known_place(&line));
    assert_int_equal(symbolize_run(s), 0);
    const struct symbolize_frame *f = symbolize_frames(s, pc, &n);
    assert_int_equal(n, 1);
    assert_string_equal(f->function, "a_known_place");
    if (strstr(f->file, "test-symbolize.c"))
        assert_int_equal(f->line, line);
    symbolize_free(s);
}

static int a_variable[4];

static void our_own_variables_are_found(void **state)
{
    struct symbolizer *s = symbolize_new();
    char path[4096];
    struct self self;
    size_t n;
    dl_iterate_phdr(find_self, &self);
    const struct symbolize_module m = {.path = self_path(path, sizeof path), .bias = self.bias};
    int module = symbolize_add_module(s, &m);
    a_variable[3] = 1;
    __asm__ volatile("" : : "r"(a_variable) : "memory");
    int64_t object = symbolize_add_object(s, module, (uint64_t)(uintptr_t)&a_variable[2]);
    int64_t code = symbolize_add_object(s, module, (uint64_t)(uintptr_t)our_own_variables_are_found);
    assert_int_equal(symbolize_run(s), 0);
    const struct symbolize_frame *f = symbolize_frames(s, object, &n);
    assert_int_equal(n, 1);
    if (strstr(f->file, "test-symbolize.c"))
        assert_string_equal(f->function, "a_variable[2]");
    else
        assert_string_equal(f->function, "a_variable+0x8");
    symbolize_frames(s, code, &n);
    assert_int_equal(n, 0);
    symbolize_free(s);
}

static void another_build_id_is_said_and_not_guessed(void **state)
{
    struct symbolizer *s = symbolize_new();
    char path[4096];
    struct self self;
    int line;
    size_t n;
    dl_iterate_phdr(find_self, &self);
    static const uint8_t id[] = {1, 2, 3, 4};
    const struct symbolize_module m = {
        .path = self_path(path, sizeof path), .bias = self.bias, .build_id = id, .build_id_len = sizeof id};
    int64_t pc = symbolize_add_pc(s, symbolize_add_module(s, &m), (uint64_t)(uintptr_t)a_known_place(&line));
    assert_int_equal(symbolize_run(s), 0);
    assert_non_null(strstr(symbolize_frames(s, pc, &n)->function, "test-symbolize+0x"));
    assert_int_equal(symbolize_message(s, 0)->advice, SYMBOLIZE_CHANGED);
    symbolize_free(s);
}

static void the_vdso_has_functions(void **state)
{
    uintptr_t vdso = getauxval(AT_SYSINFO_EHDR);
    if (!vdso)
        SKIP("optional: the kernel maps no vDSO here");
    struct symbolizer *s = symbolize_new();
    const ElfW(Ehdr) *eh = (const ElfW(Ehdr) *)vdso;
    size_t len = eh->e_shoff + (size_t)eh->e_shnum * eh->e_shentsize, n;
    const struct symbolize_module m = {
        .kind = SYMBOLIZE_IMAGE, .path = "[vdso]", .bias = vdso, .image = (const void *)vdso, .image_len = len};
    int module = symbolize_add_module(s, &m);
    int64_t first = -1, last = -1;
    for (uint64_t pc = vdso + 1; pc < vdso + len; pc += 16) {
        last = symbolize_add_pc(s, module, pc);
        first = first < 0 ? last : first;
    }
    assert_int_equal(symbolize_run(s), 0);
    int found = 0;
    for (int64_t pc = first; pc <= last; pc++)
        found += strstr(symbolize_frames(s, pc, &n)->function, "clock_gettime") != NULL;
    assert_true(found > 0);
    assert_null(symbolize_message(s, 0));
    symbolize_free(s);
}

static void a_perf_map_names_jit_code(void **state)
{
    char path[] = "/tmp/thrace-test-perf-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    static const char map[] =
        "1000 100 old name\nnonsense\n1000 40 int Foo::bar (x)\nffffffffffffffff 2 wraps\n2000 10 last";
    assert_int_equal(write(fd, map, sizeof map - 1), sizeof map - 1);
    close(fd);
    struct symbolizer *s = symbolize_new();
    const struct symbolize_range range = {0x1000, 0x3000, 0};
    const struct symbolize_module m = {.kind = SYMBOLIZE_PERF_MAP, .path = path, .ranges = &range, .nranges = 1,
                                        .user = geteuid()};
    symbolize_add_module(s, &m);
    static const uint64_t pcs[] = {0x1001, 0x1040, 0x1041, 0x2001};
    for (size_t i = 0; i < ARRAY_SIZE(pcs); i++)
        assert_int_equal(symbolize_add_pc(s, SYMBOLIZE_BY_ADDRESS, pcs[i]), i);
    symbolize_add_pc(s, SYMBOLIZE_BY_ADDRESS, 0x2801);
    assert_int_equal(symbolize_run(s), 0);
    assert_one_frame(s, 0, "int Foo::bar (x)", path);
    assert_one_frame(s, 1, "int Foo::bar (x)", path);
    assert_one_frame(s, 2, "old name", path);
    assert_one_frame(s, 3, "last", path);
    assert_one_frame(s, 4, "[unknown] 0x2800", "[unknown]");
    symbolize_free(s);
    unlink(path);
}

/* --- parts -------------------------------------------------------------------------------------------------------- */

static size_t written_answer(uint8_t *buf, size_t size)
{
    struct answer a;
    int fds[2];
    assert_true(answer_init(&a, 2));
    uint32_t f = strings_add(&a.strings, "f", 1), g = strings_add(&a.strings, "g", 1);
    answer_add(&a, 1, (struct answer_frame){f, g, 3});
    answer_add(&a, 0, (struct answer_frame){g, f, 4});
    answer_add(&a, 0, (struct answer_frame){g, g, 5});
    answer_say(&a, SYMBOLIZE_CHANGED, "%s\n", "changed");
    assert_int_equal(pipe(fds), 0);
    assert_true(answer_write(&a, fds[1]));
    answer_free(&a);
    ssize_t n = read(fds[0], buf, size);
    assert_true(n > 0 && (size_t)n < size);
    close(fds[0]);
    close(fds[1]);
    return (size_t)n;
}

static void an_answer_survives_the_pipe_and_nothing_else_does(void **state)
{
    uint8_t buf[4096];
    struct answer a;
    size_t len = written_answer(buf, sizeof buf);
    assert_true(answer_parse(&a, 2, buf, len));
    assert_string_equal(strings_get(&a.strings, a.message), "changed?");
    assert_int_equal(a.pcs[0].n, 2);
    assert_int_equal(a.frames[a.pcs[1].first].line, 3);
    answer_free(&a);
    assert_false(answer_parse(&a, 3, buf, len));
    for (size_t cut = 0; cut < len; cut++)
        assert_false(answer_parse(&a, 2, buf, cut));
    for (size_t i = 0; i < len; i++) {
        uint8_t old = buf[i];
        for (int value = 0; value < 256; value++) {
            buf[i] = (uint8_t)value;
            if (answer_parse(&a, 2, buf, len)) {
                for (size_t j = 0; j < a.npcs; j++)
                    assert_true(a.pcs[j].first + a.pcs[j].n <= a.nframes);
                for (size_t j = 0; j < a.nframes; j++)
                    assert_true(a.frames[j].function < a.strings.n && a.frames[j].file < a.strings.n);
                assert_true(a.message < a.strings.n);
                answer_free(&a);
            }
        }
        buf[i] = old;
    }
}

static const uint8_t line_program[] = {
    0,    0,    0, 0,                /* unit_length, set below */
    5,    0,    8, 0,                /* version, address size, segment selector size */
    18,   0,    0, 0,                /* header_length: up to the first opcode */
    1,    1,    1, 0xfb, 14, 13,     /* min length, max ops, default is_stmt, line base -5, line range, opcode base */
    0,    1,    1, 1,    1,  0,  0,  0, 1, 0, 0, 1, /* operands of the standard opcodes */
    0,    9,    2, 0,    16, 0,  0,  0, 0, 0, 0,    /* set_address 0x1000 */
    3,    9,    1,                   /* line 10, copy */
    2,    4,    4, 2,    1,          /* pc + 4, file 2, copy */
    2,    4,    0, 1,    1,          /* pc + 4, end_sequence */
};

struct seen {
    struct line_row rows[8];
    size_t n;
};

static void see(void *arg, const struct line_row *row, uint64_t end)
{
    struct seen *seen = arg;
    if (seen->n < ARRAY_SIZE(seen->rows))
        seen->rows[seen->n++] = *row;
}

static void a_sequence_of_dwarf_5_starts_in_file_1(void **state)
{
    uint8_t p[sizeof line_program];
    struct seen seen = {.n = 0};
    memcpy(p, line_program, sizeof p);
    p[0] = sizeof p - 4;
    assert_true(line_program_run(p, sizeof p, 0, see, &seen));
    assert_int_equal(seen.n, 2);
    assert_int_equal(seen.rows[0].addr, 0x1000);
    assert_int_equal(seen.rows[0].file, 1);
    assert_int_equal(seen.rows[0].line, 10);
    assert_int_equal(seen.rows[1].file, 2);
    for (size_t cut = 0; cut < sizeof p; cut++)
        assert_false(line_program_run(p, cut, 0, see, &seen));
    for (size_t i = 0; i < sizeof p * 256; i++) {
        uint8_t old = p[i / 256];
        p[i / 256] = (uint8_t)i;
        line_program_run(p, sizeof p, 0, see, &seen);
        p[i / 256] = old;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pc_in_no_module_is_named_by_its_address),
        cmocka_unit_test(a_missing_file_gives_offsets_and_one_message),
        cmocka_unit_test(our_own_code_is_found_with_line),
        cmocka_unit_test(our_own_variables_are_found),
        cmocka_unit_test(an_object_in_no_module_has_no_frames),
        cmocka_unit_test(another_build_id_is_said_and_not_guessed),
        cmocka_unit_test(the_vdso_has_functions),
        cmocka_unit_test(a_perf_map_names_jit_code),
        cmocka_unit_test(an_answer_survives_the_pipe_and_nothing_else_does),
        cmocka_unit_test(a_sequence_of_dwarf_5_starts_in_file_1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
