/* What thrace stat and status print: columns, times of three digits, and texts that are fit for a terminal. */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd/lines.h"
#include "cmd/table.h"
#include "parser/analyze/stat_text.h"

static const char *printed(const struct table *t)
{
    static char text[4096];
    FILE *f = fmemopen(text, sizeof text, "w");
    memset(text, 0, sizeof text);
    table_print(t, f);
    fclose(f);
    return text;
}

static void times_have_three_digits(void **state)
{
    static const struct {
        uint64_t ns;
        const char *text;
    } wanted[] = {{0, "0 ns"}, {999, "999 ns"}, {1000, "1.00 µs"}, {1004, "1.00 µs"}, {1005, "1.01 µs"},
                  {9994, "9.99 µs"}, {9995, "10.0 µs"}, {12345, "12.3 µs"}, {99950, "100 µs"}, {999499, "999 µs"},
                  {999500, "1.00 ms"}, {59994999, "60.0 ms"}, {999499999, "999 ms"}, {999500000, "1.00 s"},
                  {86400000000000, "86400 s"}};
    char text[TABLE_TIME_SIZE];
    for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
        assert_string_equal(table_format_time(text, wanted[i].ns), wanted[i].text);
}

static void columns_are_as_wide_as_their_widest(void **state)
{
    static const struct table_column columns[] = {{NULL, "<a"}, {NULL, "long"}, {NULL, "<last"}, {NULL, NULL}};
    struct table t;
    table_init(&t, "", columns);
    table_cell(&t, "%s", "äöü");
    table_cell(&t, "%d", 1);
    table_cell(&t, "x");
    table_cell(&t, "b");
    table_cell(&t, "%d", 12345);
    table_cell(&t, "more than the title");
    assert_string_equal(printed(&t), "  a     long  last\n"
                                     "  äöü      1  x\n"
                                     "  b    12345  more than the title\n");
    table_free(&t);
}

static const char *text_of(struct stat_texts *t, const char *data, size_t len)
{
    return t->list.v[stat_text(t, (struct gotrace_str){data, len})];
}
#define TEXT_OF(t, literal) text_of(t, literal, sizeof literal - 1)

static void texts_are_fit_for_a_terminal(void **state)
{
    struct stat_texts t;
    stat_texts_init(&t);
    assert_string_equal(TEXT_OF(&t, ""), "");
    assert_string_equal(TEXT_OF(&t, "a\xc2\x9b" "31m"), "a\xef\xbf\xbd" "31m"); /* a C1 code begins a sequence, too */
    assert_string_equal(TEXT_OF(&t, "a\x7f\xc2\xa0\n"), "a\xef\xbf\xbd\xc2\xa0\xef\xbf\xbd");
    assert_string_equal(TEXT_OF(&t, "\xff" "b\xc3"), "\xef\xbf\xbd" "b\xef\xbf\xbd");
    assert_string_equal(TEXT_OF(&t, "a\0b"), "a\xef\xbf\xbd" "b");
    stat_texts_free(&t);
}

/* 120 bytes are a name's; of a longer one the dots take three of them. */
static void long_names_end_in_dots(void **state)
{
    char name[128], wanted[128];
    struct stat_texts t;
    stat_texts_init(&t);
    memset(name, 'n', sizeof name);
    memcpy(wanted, name, sizeof name);
    wanted[120] = 0;
    assert_string_equal(text_of(&t, name, 120), wanted);
    strcpy(wanted + 117, "…");
    assert_string_equal(text_of(&t, name, 121), wanted);
    assert_string_equal(text_of(&t, name, 128), wanted);
    for (int i = 0; i < 122; i += 2)
        memcpy(name + i, "ä", 2);
    memcpy(wanted, name, 116);
    strcpy(wanted + 116, "…"); /* no character is cut */
    assert_string_equal(text_of(&t, name, 122), wanted);
    stat_texts_free(&t);
}

static void equal_texts_have_one_number(void **state)
{
    enum { MANY = STAT_NTEXTS + 100 };
    char name[16];
    struct stat_texts t;
    stat_texts_init(&t);
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 1; i < MANY; i++) {
            size_t len = (size_t)snprintf(name, sizeof name, "name %u", (unsigned)i);
            assert_int_equal(stat_text(&t, (struct gotrace_str){name, len}), i < STAT_NTEXTS ? i : 0);
        }
    assert_int_equal(t.list.n, STAT_NTEXTS);
    assert_string_equal(t.list.v[0], "others");
    assert_false(t.failed);
    stat_texts_free(&t);
}

/* Lines are as wide as the terminal, and 40 columns at least; what is no terminal has 120. */
static void lines_fit_the_terminal(void **state)
{
    static const struct {
        unsigned short columns;
        size_t wanted;
    } cases[] = {{60, 60}, {200, 200}, {40, 40}, {39, 40}, {0, 120}};
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) || unlockpt(master))
        skip();
    int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    assert_true(slave >= 0);
    FILE *out = fdopen(slave, "w"), *file = tmpfile();
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct winsize size = {.ws_row = 24, .ws_col = cases[i].columns};
        assert_int_equal(ioctl(master, TIOCSWINSZ, &size), 0);
        assert_int_equal(lines_width(out), cases[i].wanted);
    }
    assert_int_equal(lines_width(file), 120);
    fclose(file);
    fclose(out);
    close(master);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_have_three_digits),      cmocka_unit_test(columns_are_as_wide_as_their_widest),
        cmocka_unit_test(texts_are_fit_for_a_terminal), cmocka_unit_test(long_names_end_in_dots),
        cmocka_unit_test(equal_texts_have_one_number),  cmocka_unit_test(lines_fit_the_terminal),
    };
    return cmocka_run_group_tests_name("tables and texts", tests, NULL, NULL);
}
