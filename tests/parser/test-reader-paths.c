/* Places where a reader is easily wrong by one, or right only by the long way round. */
#include <stdio.h>
#include <stdlib.h>

#include "gotrace/gotrace.h"
#include "lib/wire/events.h"
#include "parser/reader.h"
#include "parser/unplaced.h"
#include "tests/unit/unit.h" /* after the parser: cmocka has a macro named fail */
#include "tests/parser/made.h"

static struct gotrace_builder *begin(uint64_t *at)
{
    uint64_t now = *at;
    struct gotrace_builder *b = gotrace_builder_new_memory(22);
    gotrace_builder_generation(b, 1);
    gotrace_builder_sync(b, 1000000000, 1, 1, 1, 1);
    gotrace_builder_batch(b, 5, now);
    ADD(ProcStatus, 0, PROC_RUNNING);
    ADD(GoStatus, 1, 5, GO_RUNNING);
    *at = now;
    return b;
}

/* So many that the short way is the way. */
static void take_turns(struct gotrace_builder *b, uint64_t *now, uint64_t turns)
{
    for (uint64_t i = 0; i < turns; i++) {
        *now += 100;
        assert_int_equal(gotrace_builder_event(b, *now, EV_GoStop, (const uint64_t[]){0, 0}, 2), 0);
        *now += 100;
        assert_int_equal(gotrace_builder_event(b, *now, EV_GoStart, (const uint64_t[]){1, i + 1}, 2), 0);
    }
}

static void a_sample_comes_between_two_events(void **state)
{
    uint64_t now = 1;
    struct gotrace_builder *b = begin(&now);
    for (uint64_t time = 250; time < 5000; time += 500)
        gotrace_builder_cpu_sample(b, time + now, 5, 0, 1, 0);
    take_turns(b, &now, 40);
    struct gotrace_reader *r = finish_and_open(b);
    const struct gotrace_event *ev;
    int64_t last = 0, after_sample = 0;
    int samples = 0;
    next(r, "GoStop");
    while ((ev = gotrace_reader_next(r)) && gotrace_event_kind(ev) != GOTRACE_KIND_SYNC) {
        int64_t time = gotrace_event_time(ev);
        bool sample = gotrace_event_kind(ev) == GOTRACE_KIND_STACK_SAMPLE;
        /* Nothing had to be moved: each is at its own time, and a sample in the middle of its neighbours. */
        assert_int_equal(time - last, last == 0 ? time : sample || after_sample ? 50 : 100);
        samples += sample;
        after_sample = sample;
        last = time;
    }
    assert_int_equal(samples, 10);
    assert_null(gotrace_reader_error(r));
    gotrace_reader_free(r);
    gotrace_builder_free(b);
}

/* The last event of a long batch lacks its end, but what comes behind the batch reads as such. */
static void no_event_reaches_into_the_next_batch(void **state)
{
    for (unsigned cut = 1; cut <= 2; cut++) {
        uint64_t now = 1;
        size_t size, events = 0, left = 0;
        const struct gotrace_raw_frame frame = {16, 1, 1, 1};
        const struct gotrace_event *ev;
        struct gotrace_builder *b = begin(&now);
        gotrace_builder_string_as(b, EV_EventBatch, "a string", 8);
        gotrace_builder_stack_as(b, EV_EventBatch, &frame, 1);
        take_turns(b, &now, 100);
        ADD(GoStop, 0, 0);
        const uint8_t *bytes = finish(b, &size), *end = NULL;
        struct gotrace_reader *r = gotrace_reader_open_memory(bytes, size);
        for (; (ev = gotrace_reader_next(r)); events++)
            if (!strcmp(gotrace_event_name(ev), "GoStop"))
                end = bytes + gotrace_event_offset(ev) + 4;
        gotrace_reader_free(r);
        assert_non_null(end);
        assert_int_equal(*end, EV_EventBatch);
        assert_int_equal(end[1], 1);
        /* The size is the integer of two bytes or more before the data, whose first event is the ProcStatus. */
        uint8_t *shorter = malloc(size), *at = shorter + (end - bytes) - cut;
        memcpy(shorter, bytes, (size_t)(end - bytes) - cut);
        memcpy(at, end, size - (size_t)(end - bytes));
        static const uint8_t first[] = {EV_ProcStatus, 1, 0, PROC_RUNNING};
        uint8_t *data = memmem(shorter, size - cut, first, sizeof first), *p = data - 2;
        assert_non_null(data);
        while (p[-1] & 0x80)
            p--;
        assert_in_range(*p & 0x7f, cut, 0x7f);
        *p -= cut;
        r = gotrace_reader_open_memory(shorter, size - cut);
        while (gotrace_reader_next(r))
            left++;
        assert_non_null(gotrace_reader_error(r));
        assert_non_null(strstr(gotrace_reader_error(r)->message, "is cut off"));
        assert_int_equal(left, events - 2); /* without it, and without the last Sync */
        gotrace_reader_free(r);
        free(shorter);
        gotrace_builder_free(b);
    }
}

/* Times are those of floating point, as Go's are, wherever that shows. */
static void long_waits_are_as_inexact_as_go_has_them(void **state)
{
    const uint64_t far = (UINT64_C(1) << 54) + 1;
    uint64_t now = 1;
    struct gotrace_builder *b = begin(&now);
    take_turns(b, &now, 20);
    const uint64_t before = now;
    assert_int_equal(gotrace_builder_event(b, now += far, EV_GoStop, (const uint64_t[]){0, 0}, 2), 0);
    for (int i = 0; i < 40; i++)
        ADD(GoUnblock, 1, 1, 0);
    struct gotrace_reader *r = finish_and_open(b);
    const struct gotrace_event *ev;
    int64_t last = 0;
    for (int i = 0; i < 21; i++) {
        assert_non_null(ev = next(r, "GoStop"));
        last = gotrace_event_time(ev);
    }
    assert_int_equal(last - (int64_t)before, far - 1);
    gotrace_reader_free(r);
    gotrace_builder_free(b);
}

static void a_batch_may_have_64_kib(void **state)
{
    for (size_t more = 0; more <= 1; more++) {
        size_t size = BATCH_MAX_SIZE + more;
        uint8_t *bytes = calloc(1, TRACE_HEADER_SIZE + size + 100), *p = bytes + TRACE_HEADER_SIZE;
        static const uint8_t frequency[] = {EV_EventBatch, 1, 1, 1, 2, EV_Frequency, 5};
        memcpy(bytes, "go 1.22 trace", 13);
        memcpy(p, frequency, sizeof frequency);
        p += sizeof frequency;
        *p++ = EV_EventBatch;
        *p++ = 1;
        *p++ = 7;
        *p++ = 1;
        *p++ = (uint8_t)(size | 0x80);
        *p++ = (uint8_t)(size >> 7 | 0x80);
        *p++ = (uint8_t)(size >> 14);
        uint8_t *end = p + size;
        *p++ = EV_Span;
        *p++ = 0x80; /* a first event of 6 bytes: 64 KiB is no multiple of 5 */
        for (p += 4; p + 5 <= end; p += 5)
            *p = EV_Span;
        struct gotrace_reader *r = gotrace_reader_open_memory(bytes, (size_t)(end - bytes));
        size_t events = 0;
        while (gotrace_reader_next(r))
            events++;
        const struct gotrace_error *e = gotrace_reader_error(r);
        if (more) {
            assert_non_null(e);
            assert_non_null(strstr(e->message, "invalid batch size 65537"));
        } else {
            assert_null(e);
            assert_int_equal(events, 2 + (BATCH_MAX_SIZE - 6) / 5 + 1);
        }
        gotrace_reader_free(r);
        free(bytes);
    }
}

/* An error on one thread leaves the others as they are. */
static void only_the_thread_with_the_error_is_cut(void *arg, uint64_t thread, size_t n)
{
    unsigned *times = arg;
    assert_int_equal(thread, 5);
    assert_int_equal(n, 3); /* the event itself and two behind it */
    ++*times;
}

static void an_error_is_of_one_thread(void **state)
{
    uint64_t now = 1;
    unsigned times = 0;
    struct gotrace_builder *b = begin(&now);
    ADD(GoLabel, 99);
    ADD(GoStop, 0, 0);
    ADD(GoStart, 1, 1);
    gotrace_builder_batch(b, 6, now);
    now += 100;
    ADD(ProcStatus, 1, PROC_RUNNING);
    ADD_BARE(ProcStop);
    struct gotrace_reader *r = finish_and_open(b);
    assert_null(next(r, "GoStop"));
    assert_non_null(gotrace_reader_error(r));
    assert_int_equal(reader_unplaced(r, only_the_thread_with_the_error_is_cut, &times), 1);
    assert_int_equal(times, 1);
    gotrace_reader_free(r);
    gotrace_builder_free(b);
}

/* A status that comes from the thread that is about to steal the proc is of the one that has it. */
static void a_promoted_status_is_of_the_holder(void **state)
{
    uint64_t now = 1;
    struct gotrace_builder *b = begin(&now);
    ADD(GoSyscallBegin, 1, 0);
    gotrace_builder_generation(b, 2);
    gotrace_builder_batch(b, 6, ++now);
    ADD(GoCreateSyscall, 9);
    ADD(ProcStatus, 0, PROC_SYSCALL_ABANDONED);
    struct gotrace_reader *r = finish_and_open(b);
    next(r, "GoCreateSyscall");
    const struct gotrace_event *ev = next(r, "ProcStatus");
    assert_non_null(ev);
    assert_int_equal(gotrace_event_thread(ev), 5);
    assert_int_equal(gotrace_event_proc(ev), 0);
    assert_int_equal(gotrace_event_goroutine(ev), 1);
    gotrace_reader_free(r);
    gotrace_builder_free(b);
}

static void given_ids_are_not_given_again(void **state)
{
    uint64_t now = 1;
    struct gotrace_builder *b = begin(&now);
    const struct gotrace_raw_frame frame = {16, 1, 1, 1};
    assert_int_equal(gotrace_builder_string_as(b, 1, "one", 3), 0);
    assert_int_equal(gotrace_builder_string(b, "two", 3), 2);
    assert_int_equal(gotrace_builder_string_as(b, 3, "three", 5), 0);
    assert_int_equal(gotrace_builder_string(b, "four", 4), 4);
    assert_int_equal(gotrace_builder_stack_as(b, 1, &frame, 1), 0);
    assert_int_equal(gotrace_builder_stack_of_ids(b, &(struct gotrace_raw_frame){17, 1, 1, 1}, 1), 2);
    ADD(GoLabel, 2);
    struct gotrace_reader *r = finish_and_open(b);
    assert_non_null(next(r, "GoLabel"));
    assert_null(next(r, "GoLabel"));
    assert_null(gotrace_reader_error(r));
    gotrace_reader_free(r);
    gotrace_builder_free(b);
}

/* Nanoseconds of any size, as time.Unix takes them. */
static void nanoseconds_carry(void **state)
{
    static const struct {
        uint64_t sec, nsec;
        int64_t want_sec, want_nsec;
    } cases[] = {
        {100, 999999999, 100, 999999999},
        {100, 1000000000, 101, 0},
        {100, (uint64_t)-1, 99, 999999999},
        {100, (uint64_t)-1000000000, 99, 0},
        {100, (uint64_t)-1000000001, 98, 999999999},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct gotrace_builder *b = gotrace_builder_new_memory(26);
        struct gotrace_sync sync;
        gotrace_builder_generation(b, 1);
        gotrace_builder_sync(b, 1000000000, 1, 1, cases[i].sec, cases[i].nsec);
        struct gotrace_reader *r = finish_and_open(b);
        assert_true(gotrace_event_sync(gotrace_reader_next(r), &sync));
        assert_int_equal(sync.clock.sec, cases[i].want_sec);
        assert_int_equal(sync.clock.nsec, cases[i].want_nsec);
        gotrace_reader_free(r);
        gotrace_builder_free(b);
    }
}

/* ---- the validator ----------------------------------------------------------------------------------------------- */

/* The ranges of a goroutine that died are not those of the next one. */
static void a_range_dies_with_its_goroutine(void **state)
{
    uint64_t now = 1;
    struct gotrace_builder *b = begin(&now);
    ADD(GCMarkAssistBegin, 0);
    ADD_BARE(GoDestroy);
    ADD(GoCreate, 2, 0, 0);
    ADD(GoStart, 2, 1);
    ADD(GCMarkAssistBegin, 0);
    ADD_BARE(GCMarkAssistEnd);
    ADD_BARE(GoDestroy);
    struct gotrace_reader *r = finish_and_open(b);
    struct gotrace_summary sum;
    assert_true(gotrace_reader_validate(r, NULL, NULL, &sum));
    assert_null(gotrace_reader_error(r));
    assert_int_equal(sum.violations, 1);
    gotrace_reader_free(r);
    gotrace_builder_free(b);
}

/*
 * The reader lets no two goroutines or procs start on one thread, but filtered events may look so. The validator does
 * not get the events named skip, and then finds that many violations in what follows.
 */
static void unshown(const char *skip, int violations)
{
    uint64_t now = 1;
    struct gotrace_builder *b = begin(&now);
    ADD(ProcStatus, 1, PROC_IDLE);
    ADD(GoCreate, 2, 0, 0);
    ADD(GoStop, 0, 0);
    ADD(GoStart, 2, 1);
    ADD(GoBlock, 0, 0);
    ADD_BARE(ProcStop);
    ADD(ProcStart, 1, 1);
    struct gotrace_reader *r = finish_and_open(b);
    struct gotrace_validator *v = gotrace_validator_new(22, NULL, NULL);
    const struct gotrace_event *ev;
    int found = 0;
    while ((ev = gotrace_reader_next(r)))
        if (strcmp(gotrace_event_name(ev), skip))
            found += gotrace_validator_event(v, ev);
    assert_null(gotrace_reader_error(r));
    assert_int_equal(found, violations);
    gotrace_validator_free(v);
    gotrace_reader_free(r);
    gotrace_builder_free(b);
}

static void two_never_start_on_one_thread(void **state)
{
    unshown("", 0);
    unshown("GoStop", 1);
    unshown("ProcStop", 1);
}

/* A stop that comes after the start of another. */
static void none_stops_that_another_has_replaced(void **state)
{
    uint64_t now = 1;
    struct gotrace_builder *b = begin(&now);
    ADD(GoCreate, 2, 0, 0);
    ADD(GoStop, 0, 0);
    ADD(GoStart, 2, 1);
    struct gotrace_reader *r = finish_and_open(b);
    struct gotrace_validator *v = gotrace_validator_new(22, NULL, NULL);
    struct gotrace_event stop, start;
    const struct gotrace_event *ev;
    do
        assert_int_equal(gotrace_validator_event(v, ev = gotrace_reader_next(r)), 0);
    while (strcmp(gotrace_event_name(ev), "GoCreate"));
    stop = *gotrace_reader_next(r);
    start = *gotrace_reader_next(r);
    stop.time = start.time + 1;
    assert_int_equal(gotrace_validator_event(v, &start), 1);
    assert_int_equal(gotrace_validator_event(v, &stop), 1);
    gotrace_validator_free(v);
    gotrace_reader_free(r);
    gotrace_builder_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sample_comes_between_two_events),
        cmocka_unit_test(no_event_reaches_into_the_next_batch),
        cmocka_unit_test(long_waits_are_as_inexact_as_go_has_them),
        cmocka_unit_test(a_batch_may_have_64_kib),
        cmocka_unit_test(an_error_is_of_one_thread),
        cmocka_unit_test(a_promoted_status_is_of_the_holder),
        cmocka_unit_test(given_ids_are_not_given_again),
        cmocka_unit_test(nanoseconds_carry),
        cmocka_unit_test(a_range_dies_with_its_goroutine),
        cmocka_unit_test(two_never_start_on_one_thread),
        cmocka_unit_test(none_stops_that_another_has_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
