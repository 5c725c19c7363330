/* The options of a recording: good values are understood, and all others refused. */
#include "tests/unit/unit.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

#include "lib/options/classes.h"
#include "lib/options/options.h"
#include "lib/options/out_path.h"
#include "lib/options/spelling.h"
#include "lib/spool.h"
#include "lib/unwind/unwind.h"

static struct option_fault fault;

static bool read_options(struct options *o, char *a, char *b)
{
    char *envp[] = {"PATH=/bin", "THRACE", "THRACE_OUT", "XTHRACE_OUT=x", a, b, NULL};
    bool ok = options_read(o, envp, &fault);
    assert_int_equal(!fault.kind, ok);
    return ok;
}

static void assert_refused(char *const bad[], size_t n)
{
    struct options o;
    for (size_t i = 0; i < n; i++)
        assert_false(read_options(&o, bad[i], NULL));
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
    assert_true(options_read(&o, NULL, &fault));
    assert_null(o.out);
}

static void durations_have_units(void **state)
{
    static const struct {
        const char *text;
        uint64_t ns;
    } good[] = {{"0", 0},         {"0ms", 0},           {"7ns", 7},
                {"250us", 250000}, {"1ms", 1000000},     {"30s", UINT64_C(30000000000)},
                {"1.5s", 1500000000}, {"0.000000001s", 1}, {"2.50ms", 2500000},
                {"3600s", UINT64_C(3600000000000)},      {"3600000ms", UINT64_C(3600000000000)}};
    static const char *const bad[] = {"1",     "ms",     "-1ms",  "1 ms", "1m",      "1.5ns", "3601s", " 1ms",
                                      "1.5",   "0.0",    "1.ms",  ".5s",  "1.5.5s",  "3600.1s", "0.0000000001s",
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
        assert_string_equal(fault.kind->variable, "THRACE_PERIOD");
        assert_string_equal(fault.value, bad[i]);
    }
}

static void versions_are_those_we_write(void **state)
{
    static char *const bad[] = {"THRACE_TRACE_VERSION=1.20", "THRACE_TRACE_VERSION=1.24", "THRACE_TRACE_VERSION=22",
                                "THRACE_TRACE_VERSION=1.", "THRACE_TRACE_VERSION=1.22 ",
                                "THRACE_TRACE_VERSION=1.022x", "THRACE_TRACE_VERSION=2.22"};
    struct options o;
    for (uint64_t v = 22; v <= 26; v++) {
        char entry[64];
        snprintf(entry, sizeof entry, "THRACE_TRACE_VERSION=1.%d", (int)v);
        assert_int_equal(read_options(&o, entry, NULL), v != 24);
        assert_int_equal(o.trace_version, v != 24 ? v : 22);
    }
    assert_refused(bad, ARRAY_SIZE(bad));
    assert_true(read_options(&o, "THRACE_TRACE_VERSION=1.5", NULL));
    assert_int_equal(o.trace_version, 5);
    assert_true(read_options(&o, "THRACE_HEAP_EVENTS=1", NULL));
    assert_int_equal(o.trace_version, 23);
    assert_true(read_options(&o, "THRACE_TRACE_VERSION=1.21", "THRACE_HEAP_EVENTS=1"));
    assert_int_equal(o.trace_version, 21);
}

static void flags_and_numbers_are_plain(void **state)
{
    static char *const bad[] = {"THRACE_VERBOSE=2", "THRACE_VERBOSE=yes", "THRACE_VERBOSE=-1", "THRACE_LAUNCHER=x",
                                "THRACE_LAUNCHER=12 34", "THRACE_LAUNCHER=+1"};
    struct options o;
    assert_true(read_options(&o, "THRACE_VERBOSE=1", "THRACE_LAUNCHER=4194304"));
    assert_int_equal(o.verbose, 1);
    assert_int_equal(o.launcher, 4194304);
    assert_refused(bad, ARRAY_SIZE(bad));
}

static void the_output_is_any_path_that_fits(void **state)
{
    static char entry[2 * SPOOL_PATH_MAX];
    struct options o;
    assert_true(read_options(&o, "THRACE_OUT=/tmp/a b=c.trace", NULL));
    assert_string_equal(o.out, "/tmp/a b=c.trace");
    strcpy(entry, "THRACE_OUT=");
    memset(entry + strlen(entry), 'x', SPOOL_PATH_MAX);
    assert_false(read_options(&o, entry, NULL));
    entry[strlen("THRACE_OUT=") + SPOOL_PATH_MAX - 100] = 0;
    assert_true(read_options(&o, entry, NULL));
    assert_true(read_options(&o, "THRACE_OUT=x.%p.trace", NULL));
    assert_false(read_options(&o, "THRACE_OUT=x.%x.trace", NULL));
}

/* Of equal options all is equal but the padding, which is in three members and has any value. */
static void assert_same_options(struct options a, struct options b)
{
    assert_int_equal(a.start.when, b.start.when);
    assert_int_equal(a.start.delay_ns, b.start.delay_ns);
    assert_int_equal(a.start.signal, b.start.signal);
    assert_int_equal(a.stop.after_ns, b.stop.after_ns);
    assert_int_equal(a.stop.size, b.stop.size);
    assert_int_equal(a.stop.signal, b.stop.signal);
    assert_int_equal(a.snapshot.signal, b.snapshot.signal);
    assert_int_equal(a.snapshot.wait_ns, b.snapshot.wait_ns);
    assert_ptr_equal(a.snapshot.function.text, b.snapshot.function.text);
    assert_int_equal(a.snapshot.function.len, b.snapshot.function.len);
    assert_int_equal(a.snapshot.exit, b.snapshot.exit);
    memset(&a.start, 0, sizeof a.start);
    memset(&b.start, 0, sizeof b.start);
    memset(&a.stop, 0, sizeof a.stop);
    memset(&b.stop, 0, sizeof b.stop);
    memset(&a.snapshot, 0, sizeof a.snapshot);
    memset(&b.snapshot, 0, sizeof b.snapshot);
    assert_memory_equal(&a, &b, sizeof a);
}

/* However it came to be empty: a shell, a unit file or a container's description unsets variables like that. */
static void an_empty_value_is_none(void **state)
{
    struct options plain, o;
    const struct option_kind *kind;
    assert_true(read_options(&plain, "PATH=/bin", NULL));
    for (unsigned i = 0; (kind = option_kind(i)); i++) {
        char entry[64];
        snprintf(entry, sizeof entry, "%s=", kind->variable);
        assert_true(read_options(&o, entry, NULL));
        assert_same_options(o, plain);
    }
}

static void a_pattern_is_expanded_in_the_name_of_the_file(void **state)
{
    static const struct {
        const char *pattern, *first, *third;
    } good[] = {{"/tmp/x.trace", "/tmp/x.trace", "/tmp/x.trace.3"},
                {"x.%n.trace", "x.0.trace", "x.3.trace"},
                {"%p-%n%%", "77-0%", "77-3%"},
                {"/a%x/%p", "/a%x/77", "/a%x/77.3"}};
    char path[32];
    for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
        assert_true(out_pattern_ok(good[i].pattern));
        assert_true(out_path(path, sizeof path, good[i].pattern, 77, 0));
        assert_string_equal(path, good[i].first);
        assert_true(out_path(path, sizeof path, good[i].pattern, 77, 3));
        assert_string_equal(path, good[i].third);
    }
    assert_false(out_pattern_ok("x%"));
    assert_false(out_pattern_ok("/tmp/x%d.trace"));
    assert_false(out_path(path, 5, "12345", 1, 0));
    assert_true(out_path(path, 6, "12345", 1, 0));
    assert_false(out_path(path, 7, "12345", 1, 1));
}

static void recordings_start_when_told(void **state)
{
    static char *const bad[] = {"THRACE_START=soon", "THRACE_START=delay:", "THRACE_START=delay:2",
                                "THRACE_START=delay", "THRACE_START=signal:FOO", "THRACE_START=signal:9",
                                "THRACE_START=now,off", "THRACE_START=signal:19", "THRACE_START=signal:0"};
    struct options o;
    assert_true(read_options(&o, "THRACE_START=delay:2s", NULL));
    assert_int_equal(o.start.when, START_DELAYED);
    assert_int_equal(o.start.delay_ns, 2000000000);
    assert_true(read_options(&o, "THRACE_START=signal:SIGUSR2", NULL));
    assert_int_equal(o.start.when, START_OFF);
    assert_int_equal(o.start.signal, SIGUSR2);
    assert_true(read_options(&o, "THRACE_START=off", NULL));
    assert_int_equal(o.start.when, START_OFF);
    assert_true(read_options(&o, "THRACE_START=now", NULL));
    assert_int_equal(o.start.when, START_NOW);
    assert_refused(bad, ARRAY_SIZE(bad));
}

static void recordings_stop_for_several_reasons(void **state)
{
    static char *const bad[] = {"THRACE_STOP=after", "THRACE_STOP=size:0", "THRACE_STOP=size:5T",
                                "THRACE_STOP=size:M", "THRACE_STOP=now", "THRACE_STOP=,size:1",
                                "THRACE_STOP=size:99999999999G", "THRACE_STOP=size:16777216G"};
    struct options o;
    assert_true(read_options(&o, "THRACE_STOP=after:10s,size:64M,signal:USR1", NULL));
    assert_int_equal(o.stop.after_ns, UINT64_C(10000000000));
    assert_int_equal(o.stop.size, 64 << 20);
    assert_int_equal(o.stop.signal, SIGUSR1);
    assert_true(read_options(&o, "THRACE_STOP=size:1000", NULL));
    assert_int_equal(o.stop.size, 1000);
    assert_true(read_options(&o, "THRACE_STOP=size:16777215G", NULL)); /* sums of sizes stay below 2^64 */
    assert_refused(bad, ARRAY_SIZE(bad));
}

static void a_flight_recorder_keeps_time_or_bytes(void **state)
{
    static char *const bad[] = {"THRACE_FLIGHT_RECORDER=0", "THRACE_FLIGHT_RECORDER=10", "THRACE_FLIGHT_RECORDER=4K",
                                "THRACE_FLIGHT_RECORDER=4M,x", "THRACE_SNAPSHOT=wait:", "THRACE_SNAPSHOT=wait:0",
                                "THRACE_SNAPSHOT=wait:f:", "THRACE_SNAPSHOT=never",
                                "THRACE_FLIGHT_RECORDER=1s,generations:1", "THRACE_FLIGHT_RECORDER=generations:129",
                                "THRACE_FLIGHT_RECORDER=generations:"};
    struct options o;
    assert_true(read_options(&o, NULL, NULL));
    assert_int_equal(o.flight.bytes, 0);
    assert_true(read_options(&o, "THRACE_FLIGHT_RECORDER=10s,4M", NULL));
    assert_int_equal(o.flight.window_ns, UINT64_C(10000000000));
    assert_int_equal(o.flight.bytes, 4 << 20);
    assert_true(
        read_options(&o, "THRACE_FLIGHT_RECORDER=2G", "THRACE_SNAPSHOT=wait:pthread_join:30ms,exit,signal:USR1"));
    assert_int_equal(o.flight.window_ns, 0);
    assert_true(o.snapshot.exit);
    assert_int_equal(o.snapshot.signal, SIGUSR1);
    assert_int_equal(o.snapshot.wait_ns, 30000000);
    assert_true(piece_is(o.snapshot.function, "pthread_join"));
    assert_int_equal(o.flight.generations, 128);
    assert_true(read_options(&o, "THRACE_FLIGHT_RECORDER=generations:2,10s", NULL));
    assert_int_equal(o.flight.generations, 2);
    assert_true(read_options(&o, "THRACE_FLIGHT_RECORDER=1ms", "THRACE_SNAPSHOT=wait:1s"));
    assert_int_equal(o.flight.bytes, 64 << 20);
    assert_int_equal(o.snapshot.function.len, 0);
    assert_true(read_options(&o, "THRACE_FLIGHT_RECORDER=1ms", "THRACE_SNAPSHOT=wait:any:1s"));
    assert_true(piece_is(o.snapshot.function, "any"));
    assert_refused(bad, ARRAY_SIZE(bad));
}

static void classes_are_words_with_commas_between(void **state)
{
    static char *const bad[] = {"THRACE_WRAP=sync,", "THRACE_WRAP=,sync", "THRACE_WRAP=sync,,net", "THRACE_WRAP=syn",
                                "THRACE_WRAP=-", "THRACE_WRAP=sync,none"};
    struct options o;
    assert_true(read_options(&o, "THRACE_WRAP=sync,net", NULL));
    assert_int_equal(o.classes, CLASS_SYNC | CLASS_NET);
    assert_true(read_options(&o, "THRACE_WRAP=-sync", NULL));
    assert_int_equal(o.classes, CLASS_EVERY & ~(uint64_t)CLASS_SYNC);
    assert_true(read_options(&o, "THRACE_WRAP=none", NULL));
    assert_int_equal(o.classes, CLASS_NONE);
    assert_refused(bad, ARRAY_SIZE(bad));
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
    static char *const bad[] = {"THRACE_CPU_HZ=10001", "THRACE_CPU_HZ=-1", "THRACE_CPU_HZ=99Hz",
                                "THRACE_STACK_DEPTH=0", "THRACE_STACK_DEPTH=129", "THRACE_UNWIND=dwarf",
                                "THRACE_UNWIND=AUTO", "THRACE_UNWIND=fpx", "THRACE_STACKS=wait,",
                                "THRACE_STACKS=,wait", "THRACE_STACKS=wait,,sample", "THRACE_STACKS=waits",
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
    assert_refused(bad, ARRAY_SIZE(bad));
}

static void annotations_are_words(void **state)
{
    static char *const bad[] = {"THRACE_ANNOTATIONS=ITT", "THRACE_ANNOTATIONS=itt,", "THRACE_ANNOTATIONS=it",
                                "THRACE_ANNOTATIONS=wait"};
    struct options o;
    assert_true(read_options(&o, NULL, NULL));
    assert_int_equal(o.annotations, ANNOTATIONS_ALL);
    assert_true(read_options(&o, "THRACE_ANNOTATIONS=none", NULL));
    assert_int_equal(o.annotations, 0);
    assert_true(read_options(&o, "THRACE_ANNOTATIONS=itt", NULL));
    assert_int_equal(o.annotations, ANNOTATIONS_ITT);
    assert_true(read_options(&o, "THRACE_ANNOTATIONS=nvtx,itt", NULL));
    assert_int_equal(o.annotations, ANNOTATIONS_ITT | ANNOTATIONS_NVTX);
    assert_refused(bad, ARRAY_SIZE(bad));
}

static const char *meant(const char *given, const char *const *words)
{
    struct spelling s = spelling_of(piece_of(given));
    for (; *words; words++)
        spelling_try(&s, *words);
    return s.nearest;
}

static void the_nearest_word_is_meant(void **state)
{
    static const char *const words[] = {"start", "stop", "status", "stat", "record", "validate", "snapshot", NULL};
    static const char *const cases[][2] = {
        {"recrod", "record"},     {"rcord", "record"},  {"recorded", "record"}, {"stpo", "stop"},
        {"sta", "stat"},          {"stats", "stat"},    {"snap", "snapshot"},   {"validte", "validate"},
        {"xecord", "record"},     {"recor", "record"},  {"validator", "validate"},
    };
    static const char *const none[] = {"", "a", "st", "bogus", "Z", "play", "drocer", "sxxxxxxxx",
                                       "a word that is longer than any word that there is, by far"};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const char *word = meant(cases[i][0], words);
        if (!word || strcmp(word, cases[i][1]) != 0)
            fail_msg("%s: %s", cases[i][0], word ? word : "none");
    }
    for (size_t i = 0; i < ARRAY_SIZE(none); i++)
        if (meant(none[i], words))
            fail_msg("%s: %s", none[i], meant(none[i], words));
}

static void only_what_is_misspelt_is_named(void **state)
{
    static const char *const right[] = {"THRACE_OUT=x",  "THRACE_SYMBOL_CACHE=0", "THRACE_HOME=/", "THRACE=1",
                                        "THRACE_=1",
                                        "XTHRACE_OUTT=1", "PATH=THRACE_OUTT=1",    "THRACE_OUT",    ""};
    struct piece name;
    assert_string_equal(option_meant("THRACE_OUTPUT=x", &name), "THRACE_OUT");
    assert_true(piece_is(name, "THRACE_OUTPUT"));
    assert_string_equal(option_meant("THRACE_STACK=all", &name), "THRACE_STACKS");
    assert_string_equal(option_meant("THRACE_TRACEVERSION", &name), "THRACE_TRACE_VERSION");
    for (size_t i = 0; i < ARRAY_SIZE(right); i++)
        assert_null(option_meant(right[i], &name));
}

static void the_fault_tells_the_option(void **state)
{
    struct options o;
    assert_false(read_options(&o, "THRACE_WRAP=foo", "THRACE_PERIOD=x"));
    assert_string_equal(fault.kind->variable, "THRACE_WRAP");
    assert_string_equal(fault.kind->flag, "wrap");
    assert_string_equal(fault.value, "foo");
    assert_true(strlen(fault.kind->takes) > 0);
    for (unsigned i = 0; option_kind(i); i++) {
        assert_memory_equal(option_kind(i)->variable, "THRACE_", 7);
        assert_false(option_is_switch(option_kind(i)) && strcmp(option_kind(i)->takes, "0 or 1") != 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_set_records_nothing),
        cmocka_unit_test(durations_have_units),
        cmocka_unit_test(versions_are_those_we_write),
        cmocka_unit_test(flags_and_numbers_are_plain),
        cmocka_unit_test(the_output_is_any_path_that_fits),
        cmocka_unit_test(an_empty_value_is_none),
        cmocka_unit_test(a_pattern_is_expanded_in_the_name_of_the_file),
        cmocka_unit_test(recordings_start_when_told),
        cmocka_unit_test(recordings_stop_for_several_reasons),
        cmocka_unit_test(a_flight_recorder_keeps_time_or_bytes),
        cmocka_unit_test(classes_are_words_with_commas_between),
        cmocka_unit_test(the_last_of_two_counts),
        cmocka_unit_test(names_are_whole_words),
        cmocka_unit_test(samples_and_stacks_have_bounds),
        cmocka_unit_test(annotations_are_words),
        cmocka_unit_test(the_nearest_word_is_meant),
        cmocka_unit_test(only_what_is_misspelt_is_named),
        cmocka_unit_test(the_fault_tells_the_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
