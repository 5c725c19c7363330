/* The symbol table of Go programs, made by hand, and broken in each way. */
#include "tests/unit/unit.h"

#include <stdio.h>

#include "lib/symbolize/go_table.h"

enum { WORD = 8, ROOM = 512 };

struct made {
    uint8_t b[ROOM];
    size_t n;
};

static void put(struct made *m, uint64_t v, size_t size)
{
    assert_true(m->n + size <= ROOM);
    for (size_t i = 0; i < size; i++)
        m->b[m->n++] = (uint8_t)(v >> 8 * i);
}

static void poke(struct made *m, size_t at, uint64_t v, size_t size)
{
    struct made value = {.n = 0};
    put(&value, v, size);
    memcpy(m->b + at, value.b, size);
}

static size_t text(struct made *m, const char *s)
{
    size_t at = m->n;
    assert_true(m->n + strlen(s) + 1 <= ROOM);
    memcpy(m->b + m->n, s, strlen(s) + 1);
    m->n += strlen(s) + 1;
    return at;
}

/* Where things stand in the table below. */
enum { NFUNCS = 8, FUNCS = 16, FILES_AT = FUNCS + 5 * WORD, AFTER_HEADER = FILES_AT + 4 };

/* A program: changes of the value, and for how many PCs each holds. */
static size_t program(struct made *m, const uint8_t *bytes, size_t n)
{
    size_t at = m->n;
    for (size_t i = 0; i < n; i++)
        put(m, bytes[i], 1);
    return at;
}
#define PROGRAM(m, ...) program(m, (const uint8_t[]){__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__}))

static size_t function(struct made *m, uint64_t entry, size_t name, size_t files, size_t lines)
{
    size_t at = m->n;
    put(m, entry, WORD);
    put(m, name, 4);
    for (int i = 0; i < 3; i++)
        put(m, 0, 4);
    put(m, files, 4);
    put(m, lines, 4);
    return at;
}

/* main.main at 0x1000, a.go:10 for 16 bytes and b.go:8 for 16 more; start at 0x1020, which has no lines, to 0x1040. */
static struct made table(void)
{
    struct made m = {.n = 0};
    put(&m, 0xfffffffb, 4);
    put(&m, 0, 2);
    put(&m, 1, 1);
    put(&m, WORD, 1);
    put(&m, 2, WORD);
    m.n = AFTER_HEADER;
    size_t main_name = text(&m, "main.main"), start_name = text(&m, "start"), a = text(&m, "/src/a.go"),
           b = text(&m, "/src/b.go");
    size_t files = PROGRAM(&m, 4, 16, 2, 16, 0), lines = PROGRAM(&m, 22, 16, 3, 16, 0); /* from -1: +2, +1; +11, -2 */
    size_t first = function(&m, 0x1000, main_name, files, lines), second = function(&m, 0x1020, start_name, 0, 0);
    poke(&m, FILES_AT, m.n, 4);
    put(&m, 3, 4); /* number 0 is none */
    put(&m, a, 4);
    put(&m, b, 4);
    const uint64_t words[] = {0x1000, first, 0x1020, second, 0x1040};
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        poke(&m, FUNCS + i * WORD, words[i], WORD);
    return m;
}

/* In memory of its own size, so that a sanitizer sees who reads on. */
static enum go_table_status look_up(const struct made *m, size_t size, uint64_t pc, char got[200])
{
    struct go_table t;
    struct go_line line;
    uint8_t *data = malloc(size ? size : 1);
    memcpy(data, m->b, size);
    enum go_table_status status = go_table_open(&t, data, size);
    strcpy(got, "none");
    if (status == GO_TABLE_OK && go_table_find(&t, pc, &line))
        snprintf(got, 200, "%s %s:%u%s", line.function, line.file ? line.file : "?", line.line,
                 line.is_first ? " first" : "");
    free(data);
    return status;
}

static void wants(const struct made *m, uint64_t pc, const char *wanted)
{
    char got[200];
    assert_int_equal(look_up(m, m->n, pc, got), GO_TABLE_OK);
    assert_string_equal(got, wanted);
}

static void an_instruction_has_its_function_file_and_line(void **state)
{
    struct made m = table();
    wants(&m, 0x1000, "main.main /src/a.go:10 first");
    wants(&m, 0x100f, "main.main /src/a.go:10");
    wants(&m, 0x1010, "main.main /src/b.go:8");
    wants(&m, 0x101f, "main.main /src/b.go:8");
    wants(&m, 0x1020, "start ?:0 first");
    wants(&m, 0x103f, "start ?:0");
    wants(&m, 0x0fff, "none");
    wants(&m, 0x1040, "none");
    wants(&m, UINT64_MAX, "none");
}

/* On other machines PCs are multiples of four. */
static void programs_count_in_quanta(void **state)
{
    struct made m = table();
    m.b[6] = 4;
    wants(&m, 0x101f, "main.main /src/a.go:10");
}

static void a_program_may_end_before_its_function(void **state)
{
    struct made m = table();
    m.b[AFTER_HEADER + 38] = 0; /* the file is the same for no PC more */
    wants(&m, 0x1010, "main.main ?:0");
}

static void what_is_no_table_is_refused(void **state)
{
    static const struct {
        size_t at, size;
        uint64_t v;
        enum go_table_status status;
    } cases[] = {
        {0, 4, 0xfffffffa, GO_TABLE_UNKNOWN}, {0, 4, 0xfffffff0, GO_TABLE_UNKNOWN}, {0, 4, 0xfffffff1, GO_TABLE_UNKNOWN},
        {0, 4, 0xfbffffff, GO_TABLE_UNKNOWN}, {0, 4, 0xfffffffc, GO_TABLE_NONE},    {4, 1, 1, GO_TABLE_NONE},
        {5, 1, 1, GO_TABLE_NONE},             {6, 1, 3, GO_TABLE_NONE},             {7, 1, 2, GO_TABLE_NONE},
        {NFUNCS, WORD, 1000, GO_TABLE_NONE},  {NFUNCS, WORD, UINT64_MAX, GO_TABLE_NONE},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct made m = table();
        char got[200];
        poke(&m, cases[i].at, cases[i].v, cases[i].size);
        assert_int_equal(look_up(&m, m.n, 0x1000, got), cases[i].status);
    }
}

static void offsets_may_be_anything(void **state)
{
    static const struct {
        size_t at, size;
        uint64_t v;
        const char *wanted;
    } cases[] = {
        {FUNCS + WORD, WORD, UINT64_MAX, "none"},
        {FUNCS + WORD, WORD, ROOM - 8, "none"},
        {FILES_AT, 4, UINT32_MAX, "main.main ?:0"},
        {FILES_AT, 4, 0, "main.main ?:0"}, /* a table of as many files, whose second one is beyond the end */
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct made m = table();
        poke(&m, cases[i].at, cases[i].v, cases[i].size);
        wants(&m, 0x1004, cases[i].wanted);
    }
}

static void a_name_ends_in_the_table(void **state)
{
    struct made m = table();
    size_t first = m.b[FUNCS + WORD] | (size_t)m.b[FUNCS + WORD + 1] << 8;
    put(&m, 'x', 1);
    poke(&m, first + WORD, m.n - 1, 4);
    wants(&m, 0x1000, "none");
    put(&m, 0, 1);
    wants(&m, 0x1000, "x /src/a.go:10 first");
    poke(&m, first + WORD, m.n - 1, 4);
    wants(&m, 0x1000, "none");
}

/* Whatever byte is another one, and wherever the table ends, nothing is read that is not there. */
static void damage_is_survived(void **state)
{
    char got[200];
    struct made whole = table();
    for (size_t size = 0; size < whole.n; size++)
        for (uint64_t pc = 0xff8; pc < 0x1048; pc += 8)
            look_up(&whole, size, pc, got);
    for (size_t at = 0; at < whole.n; at++)
        for (unsigned bit = 0; bit < 8; bit++) {
            struct made m = whole;
            m.b[at] ^= (uint8_t)(1u << bit);
            for (uint64_t pc = 0xff8; pc < 0x1048; pc += 8)
                look_up(&m, m.n, pc, got);
        }
}

static void no_table_takes_for_ever(void **state)
{
    struct made m = table();
    struct go_table t;
    struct go_line line;
    assert_int_equal(go_table_open(&t, m.b, m.n), GO_TABLE_OK);
    t.left = 1;
    assert_true(go_table_find(&t, 0x1000, &line));
    assert_string_equal(line.file, "/src/a.go");
    assert_int_equal(line.line, 0);
    assert_true(go_table_find(&t, 0x1000, &line));
    assert_null(line.file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_instruction_has_its_function_file_and_line),
        cmocka_unit_test(programs_count_in_quanta),
        cmocka_unit_test(a_program_may_end_before_its_function),
        cmocka_unit_test(what_is_no_table_is_refused),
        cmocka_unit_test(offsets_may_be_anything),
        cmocka_unit_test(a_name_ends_in_the_table),
        cmocka_unit_test(damage_is_survived),
        cmocka_unit_test(no_table_takes_for_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
