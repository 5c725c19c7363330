/* One table, as text, as JSON and as CSV. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "cmd/report.h"

static const struct table_column inner_columns[] = {{"of", NULL}, {"share", NULL}, {NULL, NULL}};
static const struct table_column columns[] = {{"total_ns", "time"}, {"name", "<name"}, {NULL, "<both"},
                                              {"stack", NULL},      {"inside", NULL},  {NULL, NULL}};

static void row(struct table *t, uint64_t ns, const char *name, const char *stack)
{
    table_time(t, ns);
    table_text(t, name);
    table_cell(t, "%s in text", name ? name : "nobody");
    table_stack(t, stack);
    struct table *inside = table_rows(t, inner_columns);
    table_text(inside, "all");
    table_share(inside, ns, 3000);
}

/* What a report with two tables of one name and an empty one looks like. */
static char *reported(enum report_format format, bool one_table)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct report r;
    struct table t;
    report_init(&r, format, out, REPORT_ALL);
    r.one_table = one_table;
    report_begin(&r, "test", 7);
    table_init(&t, "things", columns);
    row(&t, 1000, "a \"quoted\", b", "f(int) (x.c:12)\ng");
    assert_true(report_table(&r, &t, "The first"));
    report_note(&r, "noted\n");
    table_init(&t, "things", columns);
    row(&t, 3000, NULL, "say\"x\"");
    assert_true(report_table(&r, &t, "The second"));
    if (!one_table) {
        table_init(&t, "nothing", columns);
        assert_true(report_table(&r, &t, "The third"));
    }
    report_end(&r);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void assert_reported(enum report_format format, bool one_table, const char *wanted)
{
    char *text = reported(format, one_table);
    assert_string_equal(text, wanted);
    free(text);
}

static void text_has_titles_and_notes(void **state)
{
    assert_reported(REPORT_TEXT, false,
                    "\nThe first\n"
                    "     time  name           both\n"
                    "  1.00 µs  a \"quoted\", b  a \"quoted\", b in text\n"
                    "noted\n"
                    "\nThe second\n"
                    "     time  name  both\n"
                    "  3.00 µs  -     nobody in text\n");
}

static void json_is_one_document(void **state)
{
    assert_reported(REPORT_JSON, false,
                    "{\n"
                    "  \"schema\": \"test\",\n"
                    "  \"version\": 7,\n"
                    "  \"things\": [\n"
                    "    {\"total_ns\": 1000, \"name\": \"a \\\"quoted\\\", b\", \"stack\": [{\"function\": \"f(int)\", "
                    "\"file\": \"x.c\", \"line\": 12}, {\"function\": \"g\"}], \"inside\": [{\"of\": \"all\", "
                    "\"share\": 0.3333333333333333}]},\n"
                    "    {\"total_ns\": 3000, \"name\": null, \"stack\": [{\"function\": \"say\\\"x\\\"\"}], "
                    "\"inside\": [{\"of\": \"all\", \"share\": 1}]}\n"
                    "  ],\n"
                    "  \"nothing\": []\n"
                    "}\n");
}

static void csv_has_a_header_for_each_table(void **state)
{
    static const char rows[] = "total_ns,name,stack,inside\n"
                               "1000,\"a \"\"quoted\"\", b\",\"f(int) (x.c:12)\ng\","
                               "\"[{\"\"of\"\": \"\"all\"\", \"\"share\"\": 0.3333333333333333}]\"\n"
                               "3000,,\"say\"\"x\"\"\",\"[{\"\"of\"\": \"\"all\"\", \"\"share\"\": 1}]\"\n";
    char wanted[1024];
    snprintf(wanted, sizeof wanted, "# things\n%s\n# nothing\ntotal_ns,name,stack,inside\n", rows);
    assert_reported(REPORT_CSV, false, wanted);
    assert_reported(REPORT_CSV, true, rows);
}

static char *json_of(const char *text, size_t len)
{
    char *json = NULL;
    size_t size;
    struct json j;
    FILE *out = open_memstream(&json, &size);
    json_init(&j, out, 0);
    json_string(&j, text, len);
    assert_int_equal(fclose(out), 0);
    return json;
}
#define JSON_OF(literal) json_of(literal, sizeof literal - 1)

static void strings_are_valid_whatever_they_are(void **state)
{
    char *texts[] = {JSON_OF("a\\b\"c\n\t\x1f\x7f"), JSON_OF("a\0b"), JSON_OF("\xff\xc3(ä\xed\xa0\x80"), JSON_OF("")};
    const char *wanted[] = {"\"a\\\\b\\\"c\\n\\u0009\\u001f\\u007f\"", "\"a\\u0000b\"", "\"��(ä���\"", "\"\""};
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        assert_string_equal(texts[i], wanted[i]);
        free(texts[i]);
    }
}

/* The stack of one frame as JSON. */
static void assert_frame(const char *frame, const char *wanted)
{
    static const struct table_column stack_columns[] = {{"stack", NULL}, {NULL, NULL}};
    char *text = NULL, all[256];
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct report r;
    struct table t;
    report_init(&r, REPORT_JSON, out, REPORT_ALL);
    json_init(&r.json, out, 0);
    report_begin(&r, "x", 1);
    table_init(&t, "t", stack_columns);
    table_stack(&t, frame);
    assert_true(report_table(&r, &t, ""));
    report_end(&r);
    assert_int_equal(fclose(out), 0);
    snprintf(all, sizeof all, "{\"schema\": \"x\", \"version\": 1, \"t\": [{\"stack\": [{%s}]}]}\n", wanted);
    assert_string_equal(text, all);
    free(text);
}

static void frames_are_taken_apart(void **state)
{
    assert_frame("f (x.c:1)", "\"function\": \"f\", \"file\": \"x.c\", \"line\": 1");
    assert_frame("f (libc.so.6)", "\"function\": \"f\", \"file\": \"libc.so.6\"");
    assert_frame("f (a:b)", "\"function\": \"f\", \"file\": \"a:b\"");
    assert_frame("f (my file.c:20)", "\"function\": \"f\", \"file\": \"my file.c\", \"line\": 20");
    assert_frame("f(int (*)(int)) (x.c:3)", "\"function\": \"f(int (*)(int))\", \"file\": \"x.c\", \"line\": 3");
    assert_frame("f(int (*)(int))", "\"function\": \"f(int (*)(int))\"");
    assert_frame("f(int (*))", "\"function\": \"f(int (*))\"");
    assert_frame("f()", "\"function\": \"f()\"");
    assert_frame(" (x)", "\"function\": \" (x)\"");
    assert_frame("f ()", "\"function\": \"f ()\"");
    assert_frame("f (x.c:99999999999999999999)", "\"function\": \"f\", \"file\": \"x.c:99999999999999999999\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_has_titles_and_notes),           cmocka_unit_test(json_is_one_document),
        cmocka_unit_test(csv_has_a_header_for_each_table),     cmocka_unit_test(frames_are_taken_apart),
        cmocka_unit_test(strings_are_valid_whatever_they_are),
    };
    return cmocka_run_group_tests_name("reports", tests, NULL, NULL);
}
