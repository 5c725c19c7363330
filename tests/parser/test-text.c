/* The text form: Go's own quoting and white space, and errors that name the line. */
#include <stdbool.h>

#include "tests/parser/raw-events.h"

#include "lib/wire/events.h"
#include "parser/utf8.h"

static struct converted to_text(const char *text)
{
    return convert(GOTRACE_RAW_TEXT, text, strlen(text), GOTRACE_RAW_TEXT);
}

static void expect_text(const char *text, const char *want)
{
    struct converted c = to_text(text);
    assert_string_equal(c.error, "");
    assert_string_equal((char *)c.at, want);
    free(c.at);
}

/* The string that a quoted literal stands for, in hexadecimal, or what is wrong with it. */
static void expect_literal(const char *literal, const char *want)
{
    char text[256], got[64] = "", *p = got;
    snprintf(text, sizeof text, "Trace Go1.22\nString id=1\n\tdata=%s\n", literal);
    struct gotrace_raw_reader *r = gotrace_raw_reader_open_memory(GOTRACE_RAW_TEXT, text, strlen(text));
    struct gotrace_raw_event ev;
    if (gotrace_raw_reader_next(r, &ev) == 1)
        for (size_t i = 0; i < ev.size; i++)
            p += sprintf(p, "%02x", ev.data[i]);
    else
        strcpy(got, "refused");
    assert_string_equal(got, want);
    gotrace_raw_reader_free(r);
}

static void literals_are_what_go_reads(void **state)
{
    static const struct {
        const char *literal, *want;
    } cases[] = {
        {"\"\"", ""},
        {"\"a\"", "61"},
        {"  \"a\"  # comment", "61"},
        {"\"\\a\\b\\f\\n\\r\\t\\v\\\\\\\"\"", "07080c0a0d090b5c22"},
        {"\"\\x00\\xfF\"", "00ff"},
        {"\"\\000\\377\"", "00ff"},
        {"\"\\u00e9\\U0001F600\"", "c3a9f09f9880"},
        {"\"é\"", "c3a9"},
        {"\"\xff\"", "efbfbd"},
        {"\"\xc3\"", "efbfbd"},
        {"\"\xe0\x9f\xbf\"", "efbfbdefbfbdefbfbd"}, /* overlong */
        {"\"\xed\xa0\x80\"", "efbfbdefbfbdefbfbd"}, /* a surrogate */
        {"`a\\n`", "615c6e"},
        {"`a\rb`", "6162"},
        {"'x'", "78"},
        {"'\\''", "27"},
        {"'\\xff'", "ff"},
        {"\"'\"", "27"},
        {"\"\\'\"", "refused"},
        {"'\"'", "22"},
        {"'\\\"'", "refused"},
        {"'xy'", "refused"},
        {"''", "refused"},
        {"\"\\400\"", "refused"},
        {"\"\\08\"", "refused"},
        {"\"\\x1\"", "refused"},
        {"\"\\xg0\"", "refused"},
        {"\"\\ud7ff\\ue000\\U0010ffff\"", "ed9fbfee8080f48fbfbf"},
        {"\"\\ud800\"", "refused"},
        {"\"\\udfff\"", "refused"},
        {"\"\\U00110000\"", "refused"},
        {"\"\\q\"", "refused"},
        {"\"\\", "refused"},
        {"\"", "refused"},
        {"`", "refused"},
        {"a", "refused"},
        {"", "refused"},
        {"\"a\" b", "refused"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        expect_literal(cases[i].literal, cases[i].want);
}

static void quoting_is_gos(void **state)
{
    static const struct {
        const char *bytes, *want;
        size_t size;
    } cases[] = {
#define CASE(bytes, want) {bytes, want, sizeof bytes - 1}
        CASE("", "\"\""),
        CASE("plain 'text'", "\"plain 'text'\""),
        CASE("\"\\\a\b\f\n\r\t\v", "\"\\\"\\\\\\a\\b\\f\\n\\r\\t\\v\""),
        CASE("\0\x01\x1f\x7f", "\"\\x00\\x01\\x1f\\x7f\""),
        CASE("\x80\xff\xc0\x80", "\"\\x80\\xff\\xc0\\x80\""),
        CASE("\xed\xa0\x80", "\"\\xed\\xa0\\x80\""),         /* a surrogate */
        CASE("\xf4\x90\x80\x80", "\"\\xf4\\x90\\x80\\x80\""), /* beyond the last character */
        CASE("\xe0\x9f\xbf\xf0\x8f\xbf\xbf", "\"\\xe0\\x9f\\xbf\\xf0\\x8f\\xbf\\xbf\""), /* overlong */
        CASE("\xc3\xa9\xe4\xbd\xa0\xf0\x9f\x98\x80", "\"\xc3\xa9\xe4\xbd\xa0\xf0\x9f\x98\x80\""),
        CASE("\xc2\xa0\xc2\xad\xe2\x80\xa8", "\"\\u00a0\\u00ad\\u2028\""),
        CASE("\xc2\xac\xc2\xae", "\"\xc2\xac\xc2\xae\""), /* on both sides of U+00AD */
        CASE("\xef\xbf\xbd\xef\xbf\xbf", "\"\xef\xbf\xbd\\uffff\""),
        CASE("\xf3\xa0\x80\x81\xf4\x8f\xbf\xbf", "\"\\U000e0001\\U0010ffff\""),
#undef CASE
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct gotrace_raw_event ev = {
            .id = EV_String, .args = {7}, .data = (const uint8_t *)cases[i].bytes, .size = cases[i].size};
        char want[128];
        size_t size;
        snprintf(want, sizeof want, "String id=7\n\tdata=%s", cases[i].want);
        char *text = gotrace_raw_event_text(22, &ev, &size);
        assert_string_equal(text, want);
        assert_int_equal(size, strlen(want));
        free(text);
    }
    errno = 0;
    assert_null(gotrace_raw_event_text(22, &(struct gotrace_raw_event){.id = EV_Sync}, NULL));
    assert_int_equal(errno, EINVAL);
}

static void every_byte_and_character_comes_back(void **state)
{
    for (uint32_t c = 0; c < 0x30000; c++) {
        uint8_t data[3] = {(uint8_t)(c >> 16), (uint8_t)(c >> 8), (uint8_t)c};
        struct gotrace_raw_event got, ev = {.id = EV_String, .data = data, .size = 3};
        if (c > 0x1000 && c % 7)
            continue;
        char text[128] = "Trace Go1.22\n", *line = gotrace_raw_event_text(22, &ev, NULL);
        strcat(text, line);
        struct gotrace_raw_reader *r = gotrace_raw_reader_open_memory(GOTRACE_RAW_TEXT, text, strlen(text));
        assert_int_equal(gotrace_raw_reader_next(r, &got), 1);
        assert_int_equal(got.size, 3);
        assert_memory_equal(got.data, data, 3);
        gotrace_raw_reader_free(r);
        free(line);
    }
}

static void white_space_and_comments_are_free(void **state)
{
    expect_text("\n# first\n  Trace\tGo1.22 # header\n\n \t# more\n\xc2\x85 \xe2\x80\x89Stack\v id=1\xc2\xa0 "
                "nframes=1#x\n"
                "#between\n pc=1 func=2 file=3 line=4\r\n\nString id=9\n data =\"#\" # no\nStacks",
                "Trace Go1.22\nStack id=1 nframes=1\n\tpc=1 func=2 file=3 line=4\nString id=9\n\tdata=\"#\"\nStacks\n");
}

static void white_space_is_unicodes(void **state)
{
    static const struct {
        uint32_t first, last;
        bool space;
    } ranges[] = {
        {0x0b, 0x0d, true}, {0x0e, 0x1f, false}, {0x20, 0x20, true}, {0x84, 0x84, false},
        {0x85, 0x85, true}, {0x86, 0x86, false}, {0xa0, 0xa0, true}, {0x1680, 0x1680, true},
        {0x180e, 0x180e, false}, {0x1fff, 0x1fff, false}, {0x2000, 0x200a, true}, {0x200b, 0x2027, false},
        {0x2028, 0x2029, true}, {0x202a, 0x202e, false}, {0x202f, 0x202f, true}, {0x2030, 0x205e, false},
        {0x205f, 0x205f, true}, {0x2060, 0x2060, false}, {0x3000, 0x3000, true}, {0x3001, 0xfeff, false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(ranges); i++)
        for (uint32_t c = ranges[i].first; c <= ranges[i].last; c++) {
            char text[32] = "Trace";
            if (c >= 0xd800 && c < 0xe000)
                continue;
            strcpy((char *)utf8_put((uint8_t *)text + 5, c), "Go1.22\n");
            struct gotrace_raw_reader *r = gotrace_raw_reader_open_memory(GOTRACE_RAW_TEXT, text, strlen(text));
            assert_int_equal(gotrace_raw_reader_version(r), ranges[i].space ? 22 : -1);
            gotrace_raw_reader_free(r);
        }
}

static void an_empty_string_has_its_line(void **state)
{
    static const char text[] = "Trace Go1.22\nString id=1\n\tdata=\"\"\nStack id=1 nframes=0\n";
    expect_text(text, text);
}

static void errors_name_the_line(void **state)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"", "line 1: not a trace: no line \"Trace Go1.NN\""},
        {"# only\n", "line 2: not a trace: no line \"Trace Go1.NN\""},
        {"trace Go1.22", "line 1: the first line is not \"Trace Go1.NN\": \"trace Go1.22\""},
        {"trace Go1.22\r\n", "line 1: the first line is not \"Trace Go1.NN\": \"trace Go1.22\""},
        {"Trace", "line 1: not a Go version: \"\""},
        {"Trace 1.22", "line 1: not a Go version: \"1.22\""},
        {"Trace Go1.", "line 1: not a Go version: \"Go1.\""},
        {"Trace Go1.2x", "line 1: not a Go version: \"Go1.2x\""},
        {"Trace Go1.21", "line 1: unsupported trace version 1.21"},
        {"Trace Go1.4294967318", "line 1: unsupported trace version 1.4294967318"},
        {"Trace Go1.22 now", "line 1: unexpected after the header: \"now\""},
        {"Trace Go1.22\nSync", "line 2: no event of a Go 1.22 trace: \"Sync\""},
        {"Trace Go1.22\n\nFrequency", "line 3: argument \"freq\" is missing"},
        {"Trace Go1.22\nFrequency freq", "line 2: not an argument of the form name=value: \"freq\""},
        {"Trace Go1.22\nFrequency f=1", "line 2: expected argument \"freq\", but got: \"f\""},
        {"Trace Go1.22\nFrequency freq=", "line 2: not an unsigned 64-bit integer: \"\""},
        {"Trace Go1.22\nFrequency freq=+1", "line 2: not an unsigned 64-bit integer: \"+1\""},
        {"Trace Go1.22\nFrequency freq=18446744073709551616",
         "line 2: not an unsigned 64-bit integer: \"18446744073709551616\""},
        {"Trace Go1.22\nFrequency freq=99999999999999999999999999999999999999999999",
         "line 2: not an unsigned 64-bit integer: \"9999999999999999999999999999999999999999\"…"},
        {"Trace Go1.22\nFrequency freq=1 x", "line 2: unexpected after the event: \"x\""},
        {"Trace Go1.22\nString id=1", "line 2: the trace ends inside String"},
        {"Trace Go1.22\nString id=1\nStacks", "line 3: expected data=\"…\", but got: \"Stacks\""},
        {"Trace Go1.22\nString id=1\nda ta=\"\"", "line 3: expected data=\"…\", but got: \"da ta=\\\"\\\"\""},
        {"Trace Go1.22\nString id=1\n\tdata=x", "line 3: not a quoted string: \"x\""},
        {"Trace Go1.22\nStack id=1 nframes=1", "line 2: the trace ends inside a stack"},
        {"Trace Go1.22\nStack id=1 nframes=99999", "line 2: a stack of 99999 frames is beyond any limit"},
        {"Trace Go1.22\nStack id=1 nframes=2\n pc=1 func=2 file=3 line=4\n pc=1 func=2",
         "line 4: argument \"file\" is missing"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct converted c = to_text(cases[i].text);
        assert_string_equal(c.error, cases[i].error);
        free(c.at);
    }
}

static void the_position_is_the_events_line(void **state)
{
    static const char text[] = "Trace Go1.22\n\nString id=1\n\n data=\"\"\nStacks\n";
    struct gotrace_raw_reader *r = gotrace_raw_reader_open_memory(GOTRACE_RAW_TEXT, text, sizeof text - 1);
    struct gotrace_raw_event ev;
    assert_int_equal(gotrace_raw_reader_next(r, &ev), 1);
    assert_int_equal(gotrace_raw_reader_position(r), 3);
    assert_int_equal(gotrace_raw_reader_next(r, &ev), 1);
    assert_int_equal(gotrace_raw_reader_position(r), 6);
    assert_int_equal(gotrace_raw_reader_next(r, &ev), 0);
    gotrace_raw_reader_free(r);
}

/* An endless line, a piece a call. */
static ssize_t endless(void *arg, void *buf, size_t size)
{
    memset(buf, 'x', size);
    return (ssize_t)size;
}

static void an_endless_line_is_refused_in_bounded_memory(void **state)
{
    struct gotrace_raw_reader *r = gotrace_raw_reader_open_callback(GOTRACE_RAW_TEXT, endless, NULL);
    assert_int_equal(gotrace_raw_reader_version(r), -1);
    assert_string_equal(gotrace_raw_reader_error(r)->message, "line 1: the line is longer than any event");
    gotrace_raw_reader_free(r);
}

static void data_beyond_any_limit_is_refused(void **state)
{
    size_t n = GOTRACE_RAW_MAX_DATA;
    for (int extra = 0; extra <= 1; extra++) {
        char *text = malloc(n + 64), *p = text + sprintf(text, "Trace Go1.22\nString id=1\n\tdata=\"");
        memset(p, 'x', n + (size_t)extra);
        strcpy(p + n + extra, "\"\n");
        struct converted c = to_text(text);
        assert_string_equal(c.error, extra ? "line 3: 1048577 bytes of data after String are beyond any limit" : "");
        free(c.at);
        free(text);
    }
}

static ssize_t broken(void *arg, void *buf, size_t size)
{
    errno = EIO;
    return -1;
}

static void a_failed_read_is_no_end_of_the_text(void **state)
{
    struct gotrace_raw_reader *r = gotrace_raw_reader_open_callback(GOTRACE_RAW_TEXT, broken, NULL);
    struct gotrace_raw_event ev;
    assert_int_equal(gotrace_raw_reader_next(r, &ev), -1);
    assert_string_equal(gotrace_raw_reader_error(r)->message, "line 1: cannot read a line: Input/output error");
    assert_int_equal(gotrace_raw_reader_error(r)->sys_errno, EIO);
    gotrace_raw_reader_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(literals_are_what_go_reads),
        cmocka_unit_test(quoting_is_gos),
        cmocka_unit_test(every_byte_and_character_comes_back),
        cmocka_unit_test(white_space_and_comments_are_free),
        cmocka_unit_test(white_space_is_unicodes),
        cmocka_unit_test(an_empty_string_has_its_line),
        cmocka_unit_test(errors_name_the_line),
        cmocka_unit_test(the_position_is_the_events_line),
        cmocka_unit_test(an_endless_line_is_refused_in_bounded_memory),
        cmocka_unit_test(data_beyond_any_limit_is_refused),
        cmocka_unit_test(a_failed_read_is_no_end_of_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
