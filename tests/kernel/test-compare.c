/* The comparison on made-up accounts of two threads: it accepts those that agree, and finds each kind of lie. */
#include "tests/unit/unit.h"

#include <inttypes.h>
#include <stdlib.h>

#include "gotrace/builder.h"
#include "lib/wire/events.h"
#include "tests/kernel/compare.h"

enum {
    SLEEPER = 101,
    WAKER = 102,
    STRANGER = 103, /* of another process */
    START_MONO = 7, /* seconds: what CLOCK_MONOTONIC showed when the trace began, at ORIGIN */
    ORIGIN = 1000,
    MAX = 16,
};

/* Times are microseconds since the trace began. */
struct scripted_wait {
    int begin, woken, end;
    uint64_t waker;
    const char *call;
};

struct scripted_sleep {
    int begin, woken, end;
    uint64_t waker;
    char state;
};

struct scene {
    struct scripted_wait waits[MAX];
    struct scripted_sleep sleeps[MAX];
    bool perf_tells_return; /* the kernel does not say that the thread was switched in, perf does */
    int unreported;             /* of the returns: the last so many */
    int version;
    struct trace trace;
    struct kernel kernel;
    struct comparison result;
};

/* Six waits of 500 us that both sides report alike, but for the microseconds between the two. */
static struct scene agreeing(void)
{
    static const char *const calls[] = {"pthread_mutex_lock", "pthread_cond_wait", "sem_wait",
                                        "read",               "cnd_wait",          "mtx_lock"};
    struct scene s = {.version = 25};
    for (int i = 0; i < 6; i++) {
        int at = 1000 * (i + 1);
        s.waits[i] = (struct scripted_wait){at, at + 480, at + 500, WAKER, calls[i]};
        s.sleeps[i] = (struct scripted_sleep){at + 3, at + 482, at + 497, WAKER, 'S'};
    }
    return s;
}

/* ---- the trace ------------------------------------------------------------------------------------------------- */

static uint64_t ticks(int us) { return ORIGIN + (uint64_t)us * 1000; }

static void event(struct gotrace_builder *b, int us, unsigned id, const uint64_t *args, size_t n)
{
    assert_int_equal(gotrace_builder_event(b, ticks(us), id, args, n), 0);
}
#define EVENT(b, us, id, ...)                                                                                          \
    event(b, us, id, (const uint64_t[]){__VA_ARGS__}, sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static uint64_t stack(struct gotrace_builder *b, const char *call)
{
    struct gotrace_builder_frame frames[] = {
        {3, "mutex journal.lock", "work.c", 3}, {(uintptr_t)call, call, "libc.so", 1}, {2, "work", "work.c", 7}};
    bool no_object = strcmp(call, "pthread_mutex_lock") != 0;
    return gotrace_builder_stack(b, frames + no_object, 3 - no_object);
}

static void write_sleeper(struct gotrace_builder *b, const struct scene *s)
{
    uint64_t reason = gotrace_builder_string(b, "sync", 4), p_seq = 0, g_seq = 0;
    gotrace_builder_batch(b, SLEEPER, ticks(0));
    EVENT(b, 0, EV_ProcStatus, 0, 1);
    EVENT(b, 0, EV_GoStatus, 1, SLEEPER, 2);
    for (const struct scripted_wait *w = s->waits; w->call; w++) {
        EVENT(b, w->begin, EV_GoBlock, reason, stack(b, w->call));
        gotrace_builder_event(b, ticks(w->begin), EV_ProcStop, NULL, 0);
        g_seq++;
        if (w->waker == SLEEPER)
            EVENT(b, w->woken, EV_GoUnblock, 1, g_seq, 0);
        EVENT(b, w->end, EV_ProcStart, 0, ++p_seq);
        EVENT(b, w->end, EV_GoStart, 1, ++g_seq);
    }
}

static void write_waker(struct gotrace_builder *b, const struct scene *s)
{
    uint64_t g_seq = 0;
    gotrace_builder_batch(b, WAKER, ticks(1));
    EVENT(b, 1, EV_ProcStatus, 1, 1);
    EVENT(b, 1, EV_GoStatus, 2, WAKER, 2);
    for (const struct scripted_wait *w = s->waits; w->call; w++, g_seq += 2)
        if (w->waker == WAKER)
            EVENT(b, w->woken, EV_GoUnblock, 1, g_seq + 1, 0);
    EVENT(b, 20000, EV_HeapAlloc, 1);
}

static bool read_trace(struct scene *s)
{
    size_t size;
    struct gotrace_builder *b = gotrace_builder_new_memory(s->version);
    gotrace_builder_generation(b, 1);
    gotrace_builder_sync(b, 1000000000, ORIGIN, START_MONO * UINT64_C(1000000000), 1, 1);
    write_sleeper(b, s);
    write_waker(b, s);
    if (gotrace_builder_finish(b))
        fail_msg("%s", gotrace_builder_error(b)->message);
    const void *bytes = gotrace_builder_bytes(b, &size);
    struct gotrace_reader *r = gotrace_reader_open_memory(bytes, size);
    bool ok = trace_read(&s->trace, r);
    gotrace_reader_free(r);
    gotrace_builder_free(b);
    return ok;
}

/* ---- the kernel ------------------------------------------------------------------------------------------------ */

static void stamp(FILE *f, uint64_t by, int us, const char *event)
{
    fprintf(f, "%7" PRIu64 " %d.%06d000: %s", by, START_MONO + us / 1000000, us % 1000000, event);
}

static void write_switch(FILE *f, int us, uint64_t prev, char state, uint64_t next)
{
    stamp(f, prev, us, "    sched:sched_switch: ");
    fprintf(f,
            "prev_comm=a prev_pid=9 b prev_pid=%" PRIu64
            " prev_prio=120 prev_state=%c%s ==> next_comm=work next_pid=%" PRIu64 " next_prio=120\n",
            prev, state, state == 'R' ? "+" : "", next);
}

static void write_sched(FILE *f, const struct scene *s)
{
    fputs("what is no event is passed over\n\n 12 x\n 7 7.5: sched:sched_switch: prev_pid=101\n", f);
    write_switch(f, 0, STRANGER, 'S', WAKER);
    write_switch(f, 0, 0, 'R', SLEEPER);
    int n = 0;
    for (const struct scripted_sleep *a = s->sleeps; a->state; a++)
        n++;
    for (const struct scripted_sleep *a = s->sleeps; a->state; a++) {
        write_switch(f, a->begin, SLEEPER, a->state, STRANGER);
        if (a->woken) {
            stamp(f, a->waker, a->woken, "    sched:sched_waking: ");
            fprintf(f, "comm=work pid=%d prio=120 target_cpu=001\n", SLEEPER);
            stamp(f, STRANGER, a->woken + 1, "    sched:sched_wakeup: ");
            fprintf(f, "comm=work pid=%d prio=120 target_cpu=001\n", SLEEPER);
        }
        if (n-- <= s->unreported)
            continue;
        if (s->perf_tells_return) {
            stamp(f, SLEEPER, a->end, "PERF_RECORD_SWITCH_CPU_WIDE IN          ");
            fprintf(f, "prev pid/tid: %d/%d\n", STRANGER, STRANGER);
        } else {
            write_switch(f, a->end, STRANGER, 'S', SLEEPER);
        }
    }
}

static bool read_kernel(struct scene *s)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    write_sched(f, s);
    fclose(f);
    f = fmemopen(text, size, "r");
    bool ok = kernel_read(&s->kernel, &s->trace, f);
    fclose(f);
    free(text);
    return ok;
}

static struct comparison compared(struct scene s)
{
    assert_true(read_trace(&s));
    assert_true(read_kernel(&s));
    compare(&s.result, &s.trace, &s.kernel, NULL);
    kernel_free(&s.kernel);
    trace_free(&s.trace);
    return s.result;
}

static void assert_tally(struct tally t, uint64_t good, uint64_t n)
{
    assert_int_equal(t.good, good);
    assert_int_equal(t.n, n);
}

/* ---- agreement ------------------------------------------------------------------------------------------------- */

static void what_agrees_agrees(void **state)
{
    struct comparison c = compared(agreeing());
    assert_tally(c.sleeps, 6, 6);
    assert_tally(c.by_clock, 6, 6);
    assert_tally(c.mutex, 2, 2);
    assert_tally(c.cond, 2, 2);
    assert_tally(c.sem, 1, 1);
    assert_int_equal(c.ncalls, 6);
    assert_int_equal(c.waits, 6);
    assert_int_equal(c.missing + c.twice + c.begins_off + c.ends_off + c.chained + c.unslept, 0);
    assert_true(holds(in_trace(&c)));
    assert_true(in_place(c.sleeps));
}

static void a_return_that_only_perf_tells_counts(void **state)
{
    struct scene s = agreeing();
    s.perf_tells_return = true;
    assert_tally(compared(s).by_clock, 6, 6);
}

static void a_return_that_nobody_tells_is_not_held_against_the_trace(void **state)
{
    struct scene s = agreeing();
    s.unreported = 3;
    assert_tally(compared(s).by_clock, 3, 3);
}

static void short_sleeps_and_a_cpu_taken_away_are_not_asked_for(void **state)
{
    struct scene s = agreeing();
    s.sleeps[6] = (struct scripted_sleep){8000, 0, 9000, 0, 'R'};
    s.sleeps[7] = (struct scripted_sleep){9100, 9120, 9149, WAKER, 'S'};
    assert_tally(compared(s).sleeps, 6, 6);
}

/* The thread is in the wait by its own word when the CPU is taken from it; then it sleeps, and sleeps again. */
static void a_call_may_sleep_twice_and_wait_for_a_cpu(void **state)
{
    struct scene s = agreeing();
    s.sleeps[6] = (struct scripted_sleep){8005, 0, 8400, 0, 'R'};
    s.sleeps[7] = (struct scripted_sleep){8410, 8600, 8610, WAKER, 'S'};
    s.sleeps[8] = (struct scripted_sleep){8620, 8800, 8810, STRANGER, 'D'};
    s.waits[6] = (struct scripted_wait){8000, 8590, 8815, WAKER, "pthread_mutex_lock"};
    struct comparison c = compared(s);
    assert_tally(c.sleeps, 8, 8);
    assert_tally(c.by_clock, 6, 8);
    assert_tally(c.mutex, 3, 3);
    assert_int_equal(c.chained, 2);
}

/* ---- lies ------------------------------------------------------------------------------------------------------ */

static void a_sleep_that_the_trace_lacks_is_missed(void **state)
{
    struct scene s = agreeing();
    memset(&s.waits[5], 0, sizeof s.waits[5]);
    struct comparison c = compared(s);
    assert_tally(c.sleeps, 5, 6);
    assert_int_equal(c.missing, 1);
    assert_false(holds(in_trace(&c)));
}

/* As in a page fault: then the thread was in no call. */
static void an_uninterruptible_sleep_outside_of_calls_is_not_asked_for(void **state)
{
    struct scene s = agreeing();
    s.sleeps[6] = (struct scripted_sleep){8100, 8390, 8400, STRANGER, 'D'};
    struct comparison c = compared(s);
    assert_tally(c.sleeps, 6, 6);
    assert_int_equal(c.missing, 0);
    assert_int_equal(c.faults, 1);
    s.sleeps[6].state = 'S';
    c = compared(s);
    assert_tally(c.sleeps, 6, 7);
    assert_int_equal(c.faults, 0);
}

static void a_sleep_told_elsewhere_is_found(void **state)
{
    static const struct {
        int begin, end; /* by how much the trace is off */
        int begins_off, ends_off;
    } lies[] = {{-40, 40, 0, 0}, {-60, 0, 1, 0}, {60, 0, 1, 0}, {0, 60, 0, 1}, {0, -60, 0, 1}};
    for (size_t i = 0; i < ARRAY_SIZE(lies); i++) {
        struct scene s = agreeing();
        s.waits[3].begin += lies[i].begin;
        s.waits[3].end += lies[i].end;
        s.waits[3].woken += lies[i].end;
        struct comparison c = compared(s);
        assert_int_equal(c.begins_off, lies[i].begins_off);
        assert_int_equal(c.ends_off, lies[i].ends_off);
        assert_int_equal(c.sleeps.good, 6 - lies[i].begins_off - lies[i].ends_off);
    }
}

static void sleeps_that_are_all_told_elsewhere_are_not_in_place(void **state)
{
    struct scene s = agreeing();
    for (int i = 0; i < 3; i++)
        s.waits[i].begin -= 60;
    struct comparison c = compared(s);
    assert_tally(c.sleeps, 3, 6);
    assert_true(holds(in_trace(&c)));
    assert_false(in_place(c.sleeps));
}

static void a_sleep_told_twice_is_found(void **state)
{
    struct scene s = agreeing();
    s.waits[5] = (struct scripted_wait){6000, 6200, 6210, WAKER, "mtx_lock"};
    s.waits[6] = (struct scripted_wait){6215, 6480, 6500, WAKER, "mtx_lock"};
    struct comparison c = compared(s);
    assert_int_equal(c.twice, 1);
    assert_tally(c.sleeps, 5, 6);
    assert_tally(in_trace(&c), 5, 6);
}

static void a_wrong_waker_is_found(void **state)
{
    struct scene s = agreeing();
    s.sleeps[0].waker = STRANGER;
    s.waits[1].waker = SLEEPER;
    s.waits[1].woken = s.waits[1].end - 1;
    struct comparison c = compared(s);
    assert_tally(c.mutex, 1, 2);
    assert_tally(c.cond, 1, 2);
    assert_tally(c.sem, 1, 1);
    assert_tally(c.sleeps, 6, 6);
}

static void a_wait_without_sleep_is_counted(void **state)
{
    struct scene s = agreeing();
    s.waits[6] = (struct scripted_wait){8000, 8400, 8500, WAKER, "read"};
    struct comparison c = compared(s);
    assert_int_equal(c.waits, 7);
    assert_int_equal(c.unslept, 1);
    assert_tally(c.sleeps, 6, 6);
}

/* ---- what cannot be compared ------------------------------------------------------------------------------------ */

static void a_trace_without_clocks_is_refused(void **state)
{
    struct scene s = agreeing();
    s.version = 22;
    assert_false(read_trace(&s));
    trace_free(&s.trace);
}

static void the_account_of_another_run_is_refused(void **state)
{
    struct scene s = agreeing();
    assert_true(read_trace(&s));
    idmap_clear(&s.trace.by_tid);
    assert_false(read_kernel(&s));
    kernel_free(&s.kernel);
    trace_free(&s.trace);
}

static void procs_and_awake_threads_are_counted(void **state)
{
    struct scene s = agreeing();
    assert_true(read_trace(&s));
    assert_true(read_kernel(&s));
    assert_int_equal(s.trace.procs, 2);
    assert_int_equal(s.trace.procs_at_once, 2);
    assert_int_equal(s.kernel.awake_at_once, 2);
    assert_int_equal(s.trace.threads.n, 2);
    kernel_free(&s.kernel);
    trace_free(&s.trace);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_agrees_agrees),
        cmocka_unit_test(a_return_that_only_perf_tells_counts),
        cmocka_unit_test(a_return_that_nobody_tells_is_not_held_against_the_trace),
        cmocka_unit_test(short_sleeps_and_a_cpu_taken_away_are_not_asked_for),
        cmocka_unit_test(a_call_may_sleep_twice_and_wait_for_a_cpu),
        cmocka_unit_test(a_sleep_that_the_trace_lacks_is_missed),
        cmocka_unit_test(an_uninterruptible_sleep_outside_of_calls_is_not_asked_for),
        cmocka_unit_test(a_sleep_told_elsewhere_is_found),
        cmocka_unit_test(sleeps_that_are_all_told_elsewhere_are_not_in_place),
        cmocka_unit_test(a_sleep_told_twice_is_found),
        cmocka_unit_test(a_wrong_waker_is_found),
        cmocka_unit_test(a_wait_without_sleep_is_counted),
        cmocka_unit_test(a_trace_without_clocks_is_refused),
        cmocka_unit_test(the_account_of_another_run_is_refused),
        cmocka_unit_test(procs_and_awake_threads_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
