/* Golden tests taken apart, and Go's regular expressions in POSIX syntax. */
#include <stdio.h>

#include "tests/unit/unit.h"
#include "cmd/golden/golden.h"

#define TRACE "-- trace --\nTrace Go1.22\nStacks\n"

static void expect_malformed(const char *test, const char *why)
{
    struct golden g;
    assert_false(golden_parse(&g, test, strlen(test)));
    assert_string_equal(g.error, why);
    golden_free(&g);
}

static void a_test_is_an_expectation_and_a_trace(void **state)
{
    static const char test[] = "a comment\r\n-- expect --\r\nFAILURE \"a.c\"\r\n" TRACE;
    struct golden g;
    assert_true(golden_parse(&g, test, sizeof test - 1));
    assert_true(g.expect.failure);
    assert_string_equal(g.expect.pattern, "a.c");
    assert_int_equal(g.bytes.size, 17);
    assert_memory_equal(g.bytes.at, "go 1.22 trace\0\0\0\x02", 17);
    golden_free(&g);

    static const char nameless[] = "--  --\n-- expect --\nSUCCESS\n--  --\n" TRACE; /* is no file's beginning */
    assert_true(golden_parse(&g, nameless, sizeof nameless - 1));
    assert_false(g.expect.failure);
    golden_free(&g);
}

static void malformed_tests_are_refused(void **state)
{
    expect_malformed("", "the archive has no file \"expect\"");
    expect_malformed("only a comment\n", "the archive has no file \"expect\"");
    expect_malformed("-- expect --\nSUCCESS\n", "the archive has no file \"trace\"");
    expect_malformed("-- trace --\n", "expected the file \"expect\", but got \"trace\"");
    expect_malformed("-- expect --\nSUCCESS\n-- expect --\n", "expected the file \"trace\", but got \"expect\"");
    expect_malformed("-- expect --\nSUCCESS\n" TRACE "-- more --\n",
                     "the archive has more than the files \"expect\", \"trace\", \"events\" and \"v1\"");
    expect_malformed("-- expect --\nSUCCESS\n-- trace --\n",
                     "the trace: line 1: not a trace: no line \"Trace Go1.NN\"");
    expect_malformed("-- expect --\nSUCCESS\n" TRACE "Bad\n",
                     "the trace: line 3: no event of a Go 1.22 trace: \"Bad\"");
    expect_malformed("-- expect --\n" TRACE, "the expectation is neither SUCCESS nor FAILURE \"pattern\"");
    expect_malformed("-- expect --\nFAILURE\n" TRACE, "the expectation is neither SUCCESS nor FAILURE \"pattern\"");
    expect_malformed("-- expect --\nFAILURE x\n" TRACE, "the pattern is not a quoted string");
    expect_malformed("-- expect --\nFAILURE \"x\" y\n" TRACE, "the pattern is not a quoted string");
    expect_malformed("-- expect --\nFAILURE \"\\x00\"\n" TRACE, "cannot match the pattern \"\": it contains a NUL");
    expect_malformed("-- expect --\nFAILURE \"a\\\\b\"\n" TRACE,
                     "cannot match the pattern \"a\\b\": it has an escape without an equal");
    expect_malformed("-- expect --\nFAILURE \"(a\"\n" TRACE, "cannot match the pattern \"(a\": Unmatched ( or \\(");
}

static void expect_lines(struct golden *g, const struct golden_text *wanted, const char *got, const char *why)
{
    struct raw_buffer lines = {.at = (uint8_t *)got, .size = strlen(got)};
    g->error[0] = 0;
    assert_int_equal(golden_check_lines(g, "events", wanted, &lines), !why);
    assert_string_equal(g->error, why ? why : "");
}

static void a_test_may_have_events(void **state)
{
    static const char test[] = "-- expect --\nSUCCESS\n" TRACE "-- events --\none\ntwo\n";
    struct golden g;
    assert_true(golden_parse(&g, test, sizeof test - 1));
    assert_int_equal(g.bytes.size, 17);
    assert_false(g.is_v1);
    expect_lines(&g, &g.events, "one\ntwo\n", NULL);
    expect_lines(&g, &g.events, "one\ntwo", NULL);
    expect_lines(&g, &g.events, "one\nsix\n", "events, line 2: expected \"two\", but got \"six\"");
    expect_lines(&g, &g.events, "one\ntwo\nsix\n", "events, line 3: expected \"\", but got \"six\"");
    expect_lines(&g, &g.events, "one\n", "events, line 2: expected \"two\", but got \"\"");
    expect_lines(&g, &g.events, "", "events, line 1: expected \"one\", but got \"\"");
    expect_lines(&g, &g.v1_events, "one\n", NULL);
    golden_free(&g);
}

#define TRACE_OF_V1 "-- trace --\nTrace Go1.21\nGoEnd dt=1\n"

static void a_trace_may_be_of_v1(void **state)
{
    static const char events[] = "-- expect --\nSUCCESS\n" TRACE_OF_V1 "-- events --\n-- v1 --\none\n",
                      error[] = "-- expect --\nSUCCESS\n" TRACE_OF_V1 "-- v1 --\nFAILURE \"a.c\"\n",
                      plain[] = "-- expect --\nFAILURE \"x\"\n" TRACE_OF_V1;
    struct golden g;
    assert_true(golden_parse(&g, events, sizeof events - 1));
    assert_true(g.is_v1 && g.v1_differs && !g.v1.failure);
    assert_int_equal(g.bytes.size, 18);
    assert_memory_equal(g.bytes.at, "go 1.21 trace\0\0\0\x0f\x01", 18);
    expect_lines(&g, &g.v1_events, "one\n", NULL);
    expect_lines(&g, &g.events, "one\n", "events, line 1: expected \"\", but got \"one\"");
    golden_free(&g);
    assert_true(golden_parse(&g, error, sizeof error - 1));
    assert_true(g.v1_differs && g.v1.failure && !g.expect.failure && !g.v1_events.p);
    assert_string_equal(g.v1.pattern, "a.c");
    golden_free(&g);
    assert_true(golden_parse(&g, plain, sizeof plain - 1));
    assert_true(g.is_v1 && !g.v1_differs);
    golden_free(&g);
    expect_malformed("-- expect --\nSUCCESS\n" TRACE "-- v1 --\n",
                     "the archive has a file \"v1\", but the trace is of v2");
    expect_malformed("-- expect --\nSUCCESS\n" TRACE_OF_V1 "-- v1 --\nFAILURE x\n",
                     "the pattern is not a quoted string");
    expect_malformed("-- expect --\nSUCCESS\n" TRACE_OF_V1 "-- v1 --\n-- events --\n",
                     "the archive has more than the files \"expect\", \"trace\", \"events\" and \"v1\"");
    expect_malformed("-- expect --\nSUCCESS\n-- trace --\nTrace Go1.21\nGoEnd\n",
                     "the trace: line 2: argument \"dt\" is missing");
    expect_malformed("-- expect --\nSUCCESS\n-- trace --\nTrace Go1.6\n",
                     "the trace: line 1: unsupported trace version 1.6");
}

static void expect_outcome(const char *expectation, const char *message, const char *why)
{
    char test[300];
    snprintf(test, sizeof test, "-- expect --\n%s\n" TRACE, expectation);
    struct golden g;
    assert_true(golden_parse(&g, test, strlen(test)));
    assert_int_equal(golden_check(&g, &g.expect, message), !why);
    assert_string_equal(g.error, why ? why : "");
    golden_free(&g);
}

static void the_outcome_is_held_against_the_expectation(void **state)
{
    expect_outcome("SUCCESS", NULL, NULL);
    expect_outcome("SUCCESS", "broken", "unexpected error: broken");
    expect_outcome("FAILURE \"bro.en\"", "it is broken", NULL);
    expect_outcome("FAILURE \"bro.en\"", "it is bent",
                   "expected an error that matches \"bro.en\", but got: it is bent");
    expect_outcome("FAILURE \"bro.en\"", NULL, "expected an error that matches \"bro.en\", but there was none");
}

static void regular_expressions_are_gos(void **state)
{
    static const struct {
        const char *go, *yes, *no;
    } cases[] = {
        {"a.*b", "xaxxb", "ba"},
        {"^proc \\d+$", "proc 12", "proc x"},
        {"\\Aproc\\z", "proc", "procs"},
        {"\\D\\S\\W", "a_-", "1 a"},
        {"\\w\\s\\w", "a b", "a-b"},
        {"^\\w$", "_", "-"},
        {"^\\s$", "\f", "\v"},
        {"(?:a|b)+?c", "abc", "c"},
        {"a*?b??c{1,2}?d{2}e{3,}", "ccddeee", "ccddee"},
        {"(?i)PROC", "proc", "prc"},
        {"a{b}", "a{b}", "ab"},
        {"a{,2}", "a{,2}", "aa"},
        {"x]", "x]", "x"},
        {"\\.\\*\\\\\\[\\{", ".*\\[{", "x*\\[{"},
        {"\\t\\x", NULL, NULL},
        {"\\ta", "\ta", "ta"},
        {"\\Qa.b\\E.", "a.bc", "axbc"},
        {"\\Qa(", "a(", "a"},
        {"[a-cx]y", "by", "dy"},
        {"[^a-c]y", "dy", "by"},
        {"^[]a^-]+$", "a]^-", "b"},
        {"^[\\]\\\\\\t]+$", "]\\\t", "b"},
        {"^[\\^]$", "^", "x"},
        {"^[\\^\\-]+$", "^-", "x"},
        {"^[^\\^\\-]+$", "x", "-"},
        {"^[^^]$", "x", "^"},
        {"^[\\d_]+$", "1_", "a"},
        {"^[\\D]+$", "ab", "1"},
        {"^[\\w.]+$", "a.b", "-"},
        {"[a\\-z]$", "-", "b"},
        {"[+-]", "-", "a"},
        {"[!-\\/]", "+", "a"},
        {"proc ü", "proc ü", "proc u"},
        {"a|b", "b", "c"},
        {"", "anything", NULL},
        {"*a", NULL, NULL},
        {"(+a)", NULL, NULL},
        {"a|?", NULL, NULL},
        {"{2}", NULL, NULL},
        {"[b-a]", NULL, NULL},
        {"[a", NULL, NULL},
        {"[ü]", NULL, NULL},
        {"[a-ü]", NULL, NULL},
        {"[[:alpha:]]", NULL, NULL},
        {"[\\x]", NULL, NULL},
        {"[a-\\x]", NULL, NULL},
        {"a\\", NULL, NULL},
        {"\\b", NULL, NULL},
        {"\\ü", NULL, NULL},
        {"(?P<n>a)", NULL, NULL},
        {"(?", NULL, NULL},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct raw_buffer posix = {0};
        int flags;
        const char *why;
        bool ok = golden_regex(cases[i].go, strlen(cases[i].go), &posix, &flags, &why);
        if (ok != !!cases[i].yes)
            fail_msg("%s: %s", cases[i].go, ok ? "accepted" : why);
        if (ok) {
            regex_t re;
            raw_buffer_add(&posix, "", 1);
            if (regcomp(&re, (const char *)posix.at, flags | REG_EXTENDED | REG_NOSUB))
                fail_msg("%s became %s", cases[i].go, (const char *)posix.at);
            if (regexec(&re, cases[i].yes, 0, NULL, 0))
                fail_msg("%s became %s and does not match %s", cases[i].go, (const char *)posix.at, cases[i].yes);
            if (cases[i].no && !regexec(&re, cases[i].no, 0, NULL, 0))
                fail_msg("%s became %s and matches %s", cases[i].go, (const char *)posix.at, cases[i].no);
            regfree(&re);
        }
        raw_buffer_free(&posix);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_test_is_an_expectation_and_a_trace),
        cmocka_unit_test(malformed_tests_are_refused),
        cmocka_unit_test(a_test_may_have_events),
        cmocka_unit_test(a_trace_may_be_of_v1),
        cmocka_unit_test(the_outcome_is_held_against_the_expectation),
        cmocka_unit_test(regular_expressions_are_gos),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
