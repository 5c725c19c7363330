/* What the kernel says of threads and processors, in traces of a few events: what becomes of each. */
#include "parser/rewrite/switches.h" /* before cmocka has a macro of a name that is in there */

#include "tests/parser/waits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "gotrace/validate.h"
#include "parser/event.h"

static struct gotrace_reader *reader_of(struct made *m)
{
    size_t size;
    const void *bytes = gotrace_builder_bytes(m->b, &size);
    return gotrace_reader_open_memory(bytes, size);
}

static void broken(void *arg, const struct gotrace_error *violation)
{
    (void)arg;
    fail_msg("%s", violation->message);
}

static const char *reason_of(const struct gotrace_event *ev)
{
    static char text[64];
    struct gotrace_str s = {"", 0};
    if (ev->type == EV_GoStop || ev->type == EV_GoBlock)
        s = generation_string(ev->tables, ev->args[0]);
    if (ev->type == EV_UserLog)
        s = generation_string(ev->tables, ev->args[2]);
    snprintf(text, sizeof text, "(%.*s)", (int)s.len, s.data);
    return s.len ? text : "";
}

enum { ALL_HAVE_BEGUN = 100 };
static bool show_cpus;

static void write_notes(const struct gotrace_event *sync, FILE *out)
{
    struct gotrace_str s;
    for (size_t i = 0; gotrace_event_sync_string(sync, i, &s); i++)
        if (s.len > 7 && !memcmp(s.data, "thrace ", 7))
            fprintf(out, "%s%.*s", ftello(out) ? ", " : "", (int)s.len - 7, s.data + 7);
}

/* The events "thread.time name" of a trace that must be valid, without statuses and how all begin to run. */
static char *written(const void *bytes, size_t size)
{
    struct gotrace_reader *r = gotrace_reader_open_memory(bytes, size);
    struct gotrace_validator *v = gotrace_validator_new(22, broken, NULL);
    const struct gotrace_event *ev;
    char *text;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    while ((ev = gotrace_reader_next(r))) {
        assert_true(gotrace_validator_event(v, ev) >= 0);
        if (ev->type == EV_SYNC_POINT && show_cpus)
            write_notes(ev, out);
        if (ev->time < ALL_HAVE_BEGUN || ev->type == EV_SYNC_POINT || ev->type == EV_GoStatus ||
            ev->type == EV_ProcStatus)
            continue;
        fprintf(out, "%s%" PRIu64 ".%" PRId64 " %s%s", ftello(out) ? ", " : "", ev->thread, ev->time,
                gotrace_event_name(ev), reason_of(ev));
    }
    if (gotrace_reader_error(r))
        fail_msg("%s", gotrace_reader_error(r)->message);
    fclose(out);
    gotrace_validator_free(v);
    gotrace_reader_free(r);
    return text;
}

static char *merged(struct made *m, uint64_t max_procs, struct thread_switch *v, size_t n)
{
    struct thread_switches switches = {v, n};
    struct switches_result result;
    struct failure f = {0};
    struct switches_known known = {.moves.lost = 5, .show_cpus = show_cpus};
    char *bytes;
    size_t size;
    assert_int_equal(gotrace_builder_finish(m->b), 0);
    struct gotrace_reader *r = reader_of(m);
    assert_true(switches_learn(r, &switches, &known));
    known.max_procs = max_procs;
    gotrace_reader_free(r);
    FILE *out = open_memstream(&bytes, &size);
    r = reader_of(m);
    if (!switches_merge(r, &switches, &known, false, out, &result, &f))
        fail_msg("%s", f.message);
    gotrace_reader_free(r);
    fclose(out);
    moves_free(&known.moves);
    gotrace_builder_free(m->b);
    char *text = written(bytes, size);
    free(bytes);
    return text;
}

#define IN_ON(cpu, thread, at) {at, thread, cpu, SWITCH_IN, false}
#define BLOCKS_ON(cpu, thread, at) {at, thread, cpu, SWITCH_BLOCKS, false}
#define PREEMPTED_ON(cpu, thread, at) {at, thread, cpu, SWITCH_PREEMPTED, false}
#define IN(thread, at) IN_ON(0, thread, at)
#define BLOCKS(thread, at) BLOCKS_ON(0, thread, at)
#define PREEMPTED(thread, at) PREEMPTED_ON(0, thread, at)
#define LOST(at) {at, 0, 0, SWITCHES_LOST, false}

#define BECOMES(m, max_procs, expected, ...)                                                                           \
    do {                                                                                                               \
        struct thread_switch v[] = {__VA_ARGS__};                                                                      \
        char *text = merged(m, max_procs, v, ARRAY_SIZE(v));                                                           \
        assert_string_equal(text, expected);                                                                           \
        free(text);                                                                                                    \
    } while (0)

/* A wait of goroutine 1, which 2 ends, or nobody. */
static struct made wait_of_1(uint64_t woken, uint64_t back)
{
    struct made m = begin(2);
    block(&m, 1, 1000, "sync", 0);
    EVENT(&m, 1, 1001, ProcStop);
    if (woken) {
        wake(&m, 2, 1, woken, 0);
    } else {
        EVENT(&m, 1, back - 2, GoUnblock, 1, ++m.seq[1], 0);
    }
    EVENT(&m, 1, back - 1, ProcStart, 1, 1);
    start(&m, 1, back);
    return m;
}

static void test_preempted(void **state)
{
    (void)state;
    struct made m = begin(1);
    block(&m, 1, 3000, "sync", 0);
    BECOMES(&m, 2,
            "1.1000 GoStop(preempted), 1.1001 ProcStop, 1.2000 ProcStart, 1.2001 GoStart, 1.2002 ProcsChange, "
            "1.3000 GoBlock(sync)",
            PREEMPTED(1, 1000), IN(1, 2000));
}

static void test_blocked_unseen(void **state)
{
    (void)state;
    struct made m = begin(1);
    block(&m, 1, 3000, "sync", 0);
    BECOMES(&m, 2,
            "1.1000 GoBlock(unspecified), 1.1001 ProcStop, 1.2000 GoUnblock, 1.2001 ProcStart, 1.2002 GoStart, "
            "1.2003 ProcsChange, 1.3000 GoBlock(sync)",
            BLOCKS(1, 1000), IN(1, 2000));
}

static void test_end_of_wait(void **state)
{
    (void)state;
    struct made m = wait_of_1(2000, 3000);
    BECOMES(&m, 2,
            "1.1000 GoBlock(sync), 1.1001 ProcStop, 2.2000 GoUnblock, 1.2500 ProcStart, 1.2501 GoStart, "
            "1.2502 ProcsChange",
            BLOCKS(1, 1100), IN(1, 2500));
}

static void test_woken_in_vain(void **state)
{
    (void)state;
    struct made m = wait_of_1(2000, 3000);
    BECOMES(&m, 2,
            "1.1000 GoBlock(sync), 1.1001 ProcStop, 2.2000 GoUnblock, 1.2500 ProcStart, 1.2501 GoStart, "
            "1.2502 ProcsChange",
            BLOCKS(1, 1100), IN(1, 2100), BLOCKS(1, 2200), IN(1, 2500));
    m = wait_of_1(2000, 3000);
    BECOMES(&m, 2,
            "1.1000 GoBlock(sync), 1.1001 ProcStop, 2.2000 GoUnblock, 1.3000 ProcStart, 1.3001 GoStart, "
            "1.3002 ProcsChange",
            BLOCKS(1, 1100), IN(1, 2100), BLOCKS(1, 2200));
}

/* What brought it back before it was woken cannot be what that was for. */
static void test_back_before_it_was_woken(void **state)
{
    (void)state;
    struct made m = wait_of_1(2000, 3000);
    BECOMES(&m, 2,
            "1.1000 GoBlock(sync), 1.1001 ProcStop, 2.2000 GoUnblock, 1.3000 ProcStart, 1.3001 GoStart, "
            "1.3002 ProcsChange",
            BLOCKS(1, 1100), IN(1, 1500));
}

static void test_woken_by_nobody(void **state)
{
    (void)state;
    struct made m = wait_of_1(0, 3000);
    BECOMES(&m, 2,
            "1.1000 GoBlock(sync), 1.1001 ProcStop, 1.2500 GoUnblock, 1.2501 ProcStart, 1.2502 GoStart, "
            "1.2503 ProcsChange",
            BLOCKS(1, 1100), IN(1, 2500));
}

/* It loses the processor between its wait and its word of that. */
static void test_preempted_before_it_says_so(void **state)
{
    (void)state;
    struct made m = wait_of_1(2000, 3000);
    BECOMES(&m, 2,
            "1.1000 GoBlock(sync), 1.1001 ProcStop, 2.2000 GoUnblock, 1.2500 ProcStart, 1.2501 GoStart, "
            "1.2502 ProcsChange, 1.2600 GoStop(preempted), 1.2601 ProcStop, 1.2900 ProcStart, 1.2901 GoStart",
            BLOCKS(1, 1100), IN(1, 2500), PREEMPTED(1, 2600), IN(1, 2900));
}

static void test_preempted_in_a_wait(void **state)
{
    (void)state;
    struct made m = wait_of_1(2000, 3000);
    BECOMES(&m, 2,
            "1.1000 GoBlock(sync), 1.1001 ProcStop, 2.2000 GoUnblock, 1.3000 ProcStart, 1.3001 GoStart, "
            "1.3002 ProcsChange",
            PREEMPTED(1, 1100), IN(1, 2500));
}

/* Who says something has a processor, whatever the clocks say. */
static void test_word_of_one_without_a_processor(void **state)
{
    (void)state;
    struct made m = begin(1);
    block(&m, 1, 1500, "sync", 0);
    BECOMES(&m, 2,
            "1.1000 GoStop(preempted), 1.1001 ProcStop, 1.1500 ProcStart, 1.1501 GoStart, 1.1502 ProcsChange, "
            "1.1503 GoBlock(sync)",
            PREEMPTED(1, 1000), IN(1, 2000));
}

static void test_lost(void **state)
{
    (void)state;
    struct made m = begin(1);
    block(&m, 1, 5000, "sync", 0);
    BECOMES(&m, 2,
            "1.1000 GoStop(preempted), 1.1001 ProcStop, 1.2000 ProcStart, 1.2001 GoStart, 1.2002 ProcsChange, "
            "1.5000 GoBlock(sync)",
            PREEMPTED(1, 1000), LOST(2000), IN(1, 3000));
    m = wait_of_1(2000, 3000);
    BECOMES(&m, 2,
            "1.1000 GoBlock(sync), 1.1001 ProcStop, 2.2000 GoUnblock, 1.3000 ProcStart, 1.3001 GoStart, "
            "1.3002 ProcsChange",
            BLOCKS(1, 1100), LOST(2200), IN(1, 2500));
}

/* A proc that is with a thread in a system call, and without a processor, goes to who needs one. */
static void test_proc_of_a_call(void **state)
{
    (void)state;
    struct made m = begin(2);
    EVENT(&m, 1, 1000, GoSyscallBegin, 1, 0);
    EVENT(&m, 1, 5000, GoSyscallEnd);
    EVENT(&m, 2, 6000, HeapAlloc, 1);
    BECOMES(&m, 2,
            "2.500 GoStop(preempted), 2.501 ProcStop, 1.1000 GoSyscallBegin, 2.2000 ProcStart, 2.2001 GoStart, "
            "2.2002 ProcsChange, 1.5000 GoSyscallEnd, 2.6000 HeapAlloc",
            PREEMPTED(2, 500), BLOCKS(1, 1100), IN(2, 2000), IN(1, 4000));
    m = begin(2);
    EVENT(&m, 1, 1000, GoSyscallBegin, 1, 0);
    EVENT(&m, 1, 5000, GoSyscallEnd);
    EVENT(&m, 2, 6000, HeapAlloc, 1);
    BECOMES(&m, 1,
            "2.500 GoStop(preempted), 2.501 ProcStop, 1.1000 GoSyscallBegin, 2.2000 ProcSteal, 2.2001 ProcStart, "
            "2.2002 GoStart, 2.2003 ProcsChange, 2.2500 GoStop(preempted), 2.2501 ProcStop, 1.5000 ProcStart, "
            "1.5001 GoSyscallEndBlocked, 1.5002 GoStart, 1.6000 HeapAlloc",
            PREEMPTED(2, 500), BLOCKS(1, 1100), IN(2, 2000), PREEMPTED(2, 2500), IN(1, 4000));
}

/* What is of the process waits until somebody has a proc. */
static void test_metric_without_a_proc(void **state)
{
    (void)state;
    struct made m = begin(1);
    EVENT(&m, 1, 1500, HeapAlloc, 7);
    block(&m, 1, 3000, "sync", 0);
    BECOMES(&m, 2,
            "1.1000 GoStop(preempted), 1.1001 ProcStop, 1.2000 ProcStart, 1.2001 HeapAlloc, 1.2002 GoStart, "
            "1.2003 ProcsChange, 1.3000 GoBlock(sync)",
            PREEMPTED(1, 1000), IN(1, 2000));
}

/* Who is without a processor when a generation begins is so in its statuses. */
static void test_generation(void **state)
{
    (void)state;
    struct made m = begin(1);
    assert_int_equal(gotrace_builder_generation(m.b, 2), 0);
    assert_int_equal(gotrace_builder_sync(m.b, 1000000000, 1500, 0, 0, 0), 0);
    m.on = 0;
    EVENT(&m, 1, 1501, ProcStatus, 1, 1);
    EVENT(&m, 1, 1502, GoStatus, 1, 1, 2);
    block(&m, 1, 3000, "sync", 0);
    BECOMES(&m, 2,
            "1.500 GoStop(preempted), 1.501 ProcStop, 1.600 ProcStart, 1.601 GoStart, 1.602 ProcsChange, "
            "1.1000 GoStop(preempted), 1.1001 ProcStop, 1.2000 ProcStart, 1.2001 GoStart, 1.3000 GoBlock(sync)",
            PREEMPTED(1, 500), IN(1, 600), PREEMPTED(1, 1000), IN(1, 2000));
}

/* Nothing is known of threads before their first event, and of those that have ended. */
static void test_unknown_threads(void **state)
{
    (void)state;
    struct made m = begin(1);
    EVENT(&m, 1, 2000, GoDestroy);
    EVENT(&m, 1, 2001, ProcStop);
    BECOMES(&m, 2, "1.2000 GoDestroy, 1.2001 ProcStop", IN(7, 1000), PREEMPTED(7, 1100), BLOCKS(1, 2100), IN(1, 2200));
}

/* Thread 1 has moved before it says so, and does not say it in a wait; 2 stays. */
static void test_cpus(void **state)
{
    (void)state;
    struct made m = begin(2);
    block(&m, 1, 1000, "sync", 0);
    EVENT(&m, 1, 1001, ProcStop);
    wake(&m, 2, 1, 2000, 0);
    EVENT(&m, 1, 2998, ProcStart, 1, 1);
    start(&m, 1, 3000);
    block(&m, 1, 4000, "sync", 0);
    show_cpus = true;
    BECOMES(&m, 2,
            "switches lost 5, moves threads 1, moves of 1 migrations 3 cpus 2, "
            "1.500 GoStop(preempted), 1.501 ProcStop, 1.600 ProcStart, 1.601 GoStart, 1.602 ProcsChange, "
            "1.603 UserLog(7), 1.1000 GoBlock(sync), 1.1001 ProcStop, "
            "2.1200 GoBlock(unspecified), 2.1201 ProcStop, 2.1300 GoUnblock, 2.1301 ProcStart, 2.1302 GoStart, "
            "2.1303 UserLog(1), 2.2000 GoUnblock, 1.2500 ProcStart, 1.2501 GoStart, 1.2502 UserLog(3), 1.3100 GoStop(preempted), 1.3101 ProcStop, "
            "1.3200 ProcStart, 1.3201 GoStart, 1.3202 UserLog(7), 1.4000 GoBlock(sync)",
            PREEMPTED_ON(3, 1, 500), IN_ON(7, 1, 600), BLOCKS_ON(7, 1, 1100), BLOCKS_ON(1, 2, 1200),
            IN_ON(1, 2, 1300), IN_ON(3, 1, 2500), PREEMPTED_ON(3, 1, 3100), IN_ON(7, 1, 3200));
    show_cpus = false;
}

/* What is of the whole trace is said once. */
static void test_cpus_in_generations(void **state)
{
    (void)state;
    struct made m = begin(1);
    assert_int_equal(gotrace_builder_generation(m.b, 2), 0);
    assert_int_equal(gotrace_builder_sync(m.b, 1000000000, 1500, 0, 0, 0), 0);
    m.on = 0;
    EVENT(&m, 1, 1501, ProcStatus, 1, 1);
    EVENT(&m, 1, 1502, GoStatus, 1, 1, 2);
    block(&m, 1, 3000, "sync", 0);
    show_cpus = true;
    BECOMES(&m, 2, "switches lost 5, moves threads 0, switches lost 5, 1.3000 GoBlock(sync)", IN(7, 1000));
    show_cpus = false;
}

/* The number of a thread that has ended is given again. */
static void test_cpus_of_two_with_one_number(void **state)
{
    (void)state;
    struct thread_switch v[] = {IN_ON(1, 9, 1), IN_ON(2, 9, 2), IN_ON(1, 9, 3), PREEMPTED_ON(2, 9, 4),
                                IN_ON(5, 9, 5), IN_ON(6, 9, 6)};
    struct moves m = {0};
    assert_true(moves_begin(&m, 9, 1) && moves_switch(&m, &v[0]) && moves_switch(&m, &v[1]));
    assert_true(moves_begin(&m, 9, 1) && moves_switch(&m, &v[2]));
    assert_true(moves_leave(&m, 9) && moves_leave(&m, 8) && moves_switch(&m, &v[3]) && moves_switch(&m, &v[4]));
    assert_true(moves_begin(&m, 9, 2) && moves_switch(&m, &v[5]) && moves_end(&m));
    assert_int_equal(m.list.n, 2);
    assert_int_equal(m.list.v[0].go, 1);
    assert_int_equal(m.list.v[0].migrations, 2);
    assert_int_equal(m.list.v[0].cpus, 2);
    assert_int_equal(m.list.v[1].go, 2);
    assert_int_equal(m.list.v[1].migrations, 1);
    assert_int_equal(m.list.v[1].cpus, 2);
    moves_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_preempted),
        cmocka_unit_test(test_blocked_unseen),
        cmocka_unit_test(test_end_of_wait),
        cmocka_unit_test(test_woken_in_vain),
        cmocka_unit_test(test_back_before_it_was_woken),
        cmocka_unit_test(test_woken_by_nobody),
        cmocka_unit_test(test_preempted_before_it_says_so),
        cmocka_unit_test(test_preempted_in_a_wait),
        cmocka_unit_test(test_word_of_one_without_a_processor),
        cmocka_unit_test(test_lost),
        cmocka_unit_test(test_proc_of_a_call),
        cmocka_unit_test(test_metric_without_a_proc),
        cmocka_unit_test(test_generation),
        cmocka_unit_test(test_unknown_threads),
        cmocka_unit_test(test_cpus),
        cmocka_unit_test(test_cpus_in_generations),
        cmocka_unit_test(test_cpus_of_two_with_one_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
