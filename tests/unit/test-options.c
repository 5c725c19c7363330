/* The environment variables of the shim: what is understood, and that all else is refused in one line. */
#include "tests/unit/unit.h"

#include <stdbool.h>
#include <stdio.h>

#include "lib/spool.h"
#include "lib/unwind/unwind.h"
#include "preload/options.h"

static char said[256];
static int lines;

/* As in the shim, but to be looked at. */
void say(const char *text, const char *detail);
void say(const char *text, const char *detail)
{
    lines++;
    snprintf(said, sizeof said, "%s%s", text, detail);
}

static bool read_options(struct options *o, char *a, char *b)
{
    char *envp[] = {"PATH=/bin", "THRACE", "THRACE_OUT", "XTHRACE_OUT=x", a, b, NULL};
    said[0] = 0;
    lines = 0;
    bool ok = options_read(o, envp);
    assert_int_equal(lines, !ok);
    return ok;
}

static void nothing_set_records_nothing(void **state)
{
    struct options o;
    memset(&o, 0xff, sizeof o);
    assert_true(read_options(&o, NULL, NULL));
    assert_null(o.out);
    assert_int_equal(o.period_ns, 1000000000);
    assert_int_equal(o.trace_version, 22);
    assert_int_equal(o.verbose, 0);
    assert_int_equal(o.launcher, 0);
    assert_true(options_read(&o, NULL));
    assert_null(o.out);
}

static void durations_have_units(void **state)
{
    static const struct {
        const char *text;
        uint64_t ns;
    } good[] = {{"0", 0},         {"0ms", 0},           {"7ns", 7},
                {"250us", 250000}, {"1ms", 1000000},     {"30s", UINT64_C(30000000000)},
                {"3600s", UINT64_C(3600000000000)},      {"3600000ms", UINT64_C(3600000000000)}};
    static const char *const bad[] = {"",      "1",     "ms",     "-1ms",  "1 ms", "1m",      "1.5ms", "3601s", " 1ms",
                                      "1ms ", "0x1ms", "3600001ms", "18446744073709551615s", "18446744073709551616ns",
                                      "99999999999999999999999999s", "1MS"};
    struct options o;
    char entry[128];
    for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
        snprintf(entry, sizeof entry, "THRACE_PERIOD=%s", good[i].text);
        assert_true(read_options(&o, entry, NULL));
        assert_int_equal(o.period_ns, good[i].ns);
    }
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        snprintf(entry, sizeof entry, "THRACE_PERIOD=%s", bad[i]);
        if (read_options(&o, entry, NULL))
            fail_msg("%s was taken for %llu ns", entry, (unsigned long long)o.period_ns);
        assert_non_null(strstr(said, entry));
    }
}

static void versions_are_those_we_write(void **state)
{
    static char *const bad[] = {"THRACE_TRACE_VERSION=1.21", "THRACE_TRACE_VERSION=1.24", "THRACE_TRACE_VERSION=22",
                                "THRACE_TRACE_VERSION=1.",   "THRACE_TRACE_VERSION=1.22 ", "THRACE_TRACE_VERSION=",
                                "THRACE_TRACE_VERSION=1.022x", "THRACE_TRACE_VERSION=2.22"};
    struct options o;
    for (uint64_t v = 22; v <= 26; v++) {
        char entry[64];
        snprintf(entry, sizeof entry, "THRACE_TRACE_VERSION=1.%d", (int)v);
        assert_int_equal(read_options(&o, entry, NULL), v != 24);
        assert_int_equal(o.trace_version, v);
    }
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        assert_false(read_options(&o, bad[i], NULL));
}

static void flags_and_numbers_are_plain(void **state)
{
    static char *const bad[] = {"THRACE_VERBOSE=2",  "THRACE_VERBOSE=",       "THRACE_VERBOSE=yes", "THRACE_VERBOSE=-1",
                                "THRACE_LAUNCHER=x", "THRACE_LAUNCHER=12 34", "THRACE_LAUNCHER=+1", "THRACE_LAUNCHER="};
    struct options o;
    assert_true(read_options(&o, "THRACE_VERBOSE=1", "THRACE_LAUNCHER=4194304"));
    assert_int_equal(o.verbose, 1);
    assert_int_equal(o.launcher, 4194304);
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        assert_false(read_options(&o, bad[i], NULL));
}

static void the_output_is_any_path_that_fits(void **state)
{
    static char entry[2 * SPOOL_PATH_MAX];
    struct options o;
    assert_true(read_options(&o, "THRACE_OUT=/tmp/a b=c.trace", NULL));
    assert_string_equal(o.out, "/tmp/a b=c.trace");
    assert_false(read_options(&o, "THRACE_OUT=", NULL));
    strcpy(entry, "THRACE_OUT=");
    memset(entry + strlen(entry), 'x', SPOOL_PATH_MAX);
    assert_false(read_options(&o, entry, NULL));
    entry[strlen("THRACE_OUT=") + SPOOL_PATH_MAX - 100] = 0;
    assert_true(read_options(&o, entry, NULL));
}

static void the_last_of_two_counts(void **state)
{
    struct options o;
    assert_true(read_options(&o, "THRACE_OUT=a", "THRACE_OUT=b"));
    assert_string_equal(o.out, "b");
    assert_false(read_options(&o, "THRACE_VERBOSE=9", "THRACE_VERBOSE=1"));
}

static void names_are_whole_words(void **state)
{
    struct options o;
    assert_true(read_options(&o, "THRACE_OUTPUT=a", "THRACE_PERIODS=x"));
    assert_null(o.out);
    assert_int_equal(o.period_ns, 1000000000);
}

static void samples_and_stacks_have_bounds(void **state)
{
    static char *const bad[] = {
        "THRACE_CPU_HZ=",        "THRACE_CPU_HZ=10001",    "THRACE_CPU_HZ=-1",          "THRACE_CPU_HZ=99Hz",
        "THRACE_STACK_DEPTH=0",  "THRACE_STACK_DEPTH=129", "THRACE_STACK_DEPTH=",       "THRACE_UNWIND=",
        "THRACE_UNWIND=dwarf",   "THRACE_UNWIND=AUTO",     "THRACE_UNWIND=fpx",         "THRACE_STACKS=",
        "THRACE_STACKS=wait,",   "THRACE_STACKS=,wait",    "THRACE_STACKS=wait,,sample", "THRACE_STACKS=waits",
        "THRACE_STACKS=all,wait"};
    struct options o;
    assert_true(read_options(&o, NULL, NULL));
    assert_int_equal(o.cpu_hz, 99);
    assert_int_equal(o.unwind, UNWIND_AUTO);
    assert_int_equal(o.stack_depth, 128);
    assert_int_equal(o.stack_kinds, STACK_OF_ANY);
    assert_true(read_options(&o, "THRACE_CPU_HZ=0", "THRACE_STACK_DEPTH=1"));
    assert_int_equal(o.cpu_hz, 0);
    assert_int_equal(o.stack_depth, 1);
    assert_true(read_options(&o, "THRACE_CPU_HZ=10000", "THRACE_UNWIND=none"));
    assert_int_equal(o.cpu_hz, 10000);
    assert_int_equal(o.unwind, UNWIND_NONE);
    assert_true(read_options(&o, "THRACE_STACKS=sample,wait,wait", "THRACE_UNWIND=fp"));
    assert_int_equal(o.stack_kinds, STACK_OF_SAMPLE | STACK_OF_WAIT);
    assert_int_equal(o.unwind, UNWIND_FP);
    assert_true(read_options(&o, "THRACE_STACKS=none", NULL));
    assert_int_equal(o.stack_kinds, 0);
    assert_true(read_options(&o, "THRACE_STACKS=all", NULL));
    assert_int_equal(o.stack_kinds, STACK_OF_ANY);
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        assert_false(read_options(&o, bad[i], NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_set_records_nothing),
        cmocka_unit_test(durations_have_units),
        cmocka_unit_test(versions_are_those_we_write),
        cmocka_unit_test(flags_and_numbers_are_plain),
        cmocka_unit_test(the_output_is_any_path_that_fits),
        cmocka_unit_test(the_last_of_two_counts),
        cmocka_unit_test(names_are_whole_words),
        cmocka_unit_test(samples_and_stacks_have_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
