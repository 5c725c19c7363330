/* A recording that begins in mid-run: what its first generation says of each goroutine, and the generation in front. */
#include "tests/unit/unit.h"

#include <stdio.h>

#include "cmd/finish/opening.h"
#include "gotrace/validate.h"
#include "lib/meta.h"
#include "lib/wire/events.h"
#include "lib/wire/varint.h"

enum { NBATCHES = 10, FIRST = 1000, PID = 100 };

static struct spool_header header;
static struct spool_batch batches[NBATCHES];
static uint8_t bytes[NBATCHES][128];
static struct spool_file file;
static struct events_seen seen;

static void begin(uint64_t last_g)
{
    memset(&file, 0, sizeof file);
    header.last_g = last_g;
    file.header = &header;
    file.events = (struct spool_batches){batches, 0, NBATCHES};
}

static void batch(uint64_t generation, uint64_t m, uint64_t time)
{
    size_t i = file.events.n++;
    batches[i] = (struct spool_batch){.generation = generation, .m = m, .time = time, .data = bytes[i]};
}

static void put(unsigned id, const uint64_t *args, size_t nargs)
{
    struct spool_batch *b = &batches[file.events.n - 1];
    uint8_t *p = bytes[file.events.n - 1] + b->size;
    assert_int_equal(nargs, event_table[id].nargs);
    *p++ = (uint8_t)id;
    for (size_t i = 0; i < nargs; i++)
        p = varint_put(p, args[i]);
    b->size = (size_t)(p - b->data);
    assert_in_range(b->size, 1, sizeof bytes[0]);
}
#define PUT(name, ...)                                                                                                 \
    put(EV_##name, (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static const char *see(void) { return events_see(&seen, &file); }

static void forget(void)
{
    free(seen.first);
    free(seen.statuses);
    heap_types_free(&seen.types);
}

/* --- what the first generation says ------------------------------------------------------------------------------- */

/* 1 runs on a P, 2 is in a system call without one, 3 waits, 4 could run, 5 is in a system call with the other P. */
static void all_sorts_of_goroutines(void)
{
    begin(6);
    batch(2, 101, FIRST);
    PUT(ProcStatus, 1, 1, PROC_RUNNING);
    PUT(GoStatus, 1, 1, 101, GO_RUNNING);
    batch(2, ID_NONE, FIRST + 1);
    PUT(GoStatus, 1, 3, ID_NONE, GO_WAITING);
    PUT(GoStatus, 1, 2, 102, GO_SYSCALL);
    PUT(GoStatus, 1, 4, ID_NONE, GO_RUNNABLE);
    batch(2, 105, FIRST + 2);
    PUT(ProcStatus, 1, 2, PROC_SYSCALL);
    PUT(GoStatus, 1, 5, 105, GO_SYSCALL);
}

static void statuses_are_those_of_the_first_generation(void **state)
{
    static const struct first_status wanted[] = {{1, 101, 1, GO_RUNNING, true},
                                                 {2, 102, 0, GO_SYSCALL, false},
                                                 {3, ID_NONE, 0, GO_WAITING, false},
                                                 {4, ID_NONE, 0, GO_RUNNABLE, false},
                                                 {5, 105, 2, GO_SYSCALL, true}};
    all_sorts_of_goroutines();
    batch(3, 101, FIRST + 100);
    PUT(ProcStatus, 1, 1, PROC_RUNNING);
    PUT(GoStatus, 1, 6, 101, GO_RUNNING);
    assert_null(see());
    assert_int_equal(seen.events, 9);
    assert_int_equal(seen.nstatuses, ARRAY_SIZE(wanted));
    for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
        const struct first_status *s = &seen.statuses[i], *w = &wanted[i];
        assert_true(s->g == w->g && s->m == w->m && s->status == w->status);
        assert_int_equal(s->has_proc, w->has_proc);
        assert_true(!w->has_proc || s->p == w->p);
    }
    forget();

    /* An idle P is nobody's; neither is one whose thread has a goroutine that waits or could run. */
    begin(6);
    batch(2, 101, FIRST);
    PUT(ProcStatus, 1, 1, PROC_IDLE);
    PUT(GoStatus, 1, 1, 101, GO_SYSCALL);
    batch(2, 102, FIRST);
    PUT(ProcStatus, 1, 2, PROC_RUNNING);
    PUT(GoStatus, 1, 2, ID_NONE, GO_WAITING);
    PUT(GoStatus, 1, 3, ID_NONE, GO_RUNNABLE);
    PUT(GoStatus, 1, 3, ID_NONE, GO_RUNNABLE); /* said twice, it is one */
    assert_null(see());
    assert_int_equal(seen.nstatuses, 3);
    for (size_t i = 0; i < 3; i++)
        assert_false(seen.statuses[i].has_proc);
    forget();
}

static void each_goroutine_has_its_first_stack(void **state)
{
    begin(3);
    batch(1, 101, 100);
    PUT(ProcStatus, 1, 1, PROC_RUNNING);
    PUT(GoStatus, 1, 1, 101, GO_RUNNING);
    PUT(GoSyscallBegin, 5, 1, 0); /* no stack */
    PUT(GoCreate, 5, 2, 70, 80);  /* 70 is where the new one starts */
    PUT(GoBlock, 5, 1, 81);
    batch(2, 101, 50);
    PUT(GoStart, 1, 2, 1);
    PUT(GoBlock, 1, 1, 82);
    batch(2, UINT64_C(1) << 40, 300); /* damaged: no thread has such a number, and no goroutine this one */
    PUT(GoStart, 1, 3, 1);
    PUT(GoBlock, 1, 1, 83);
    batch(2, 102, 200);
    PUT(GoStart, 1, UINT64_C(1) << 50, 1);
    PUT(GoBlock, 1, 1, 84);
    assert_null(see());
    assert_int_equal(seen.ngoroutines, 4);
    assert_true(seen.first[1].generation == 1 && seen.first[1].id == 80);
    assert_true(seen.first[2].generation == 2 && seen.first[2].id == 82);
    assert_int_equal(seen.first[3].id, 0);
    assert_int_equal(seen.last, 302);
    forget();
}

static void what_is_no_event_is_damage(void **state)
{
    static const unsigned none[] = {EV_None, EV_EventBatch, EV_Stack, EV_Frequency, 255};
    for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
        begin(1);
        batch(1, 101, 100);
        memset(bytes[0], 0, sizeof bytes[0]);
        bytes[0][0] = (uint8_t)none[i];
        batches[0].size = 1u + event_table[none[i]].nargs; /* and nothing behind it that could be one */
        assert_non_null(see());
        forget();
    }
    begin(1);
    batch(1, 101, 100);
    PUT(GoStatus, 1, 1, 101, GO_RUNNING);
    batches[0].size--;
    assert_non_null(see());
    forget();
}

static void the_heap_is_seen(void **state)
{
    begin(1);
    batch(1, 101, 100);
    PUT(HeapAlloc, 1, 5);
    PUT(HeapGoal, 1, 5);
    PUT(HeapObjectAlloc, 1, 9, 64);
    batch(2, 101, 200);
    PUT(HeapObjectAlloc, 1, 10, 64);
    PUT(HeapObjectAlloc, 1, 11, 64);
    assert_null(see());
    assert_int_equal(seen.events, 5);
    assert_int_equal(seen.of_heap, 2);
    assert_int_equal(seen.types.n, 2);
    forget();
}

/* --- the generation in front -------------------------------------------------------------------------------------- */

/* In place of the recording's own: it is known how 3 waits and where 4 started. */
const struct rec_status *recording_status(const struct recording *r, uint64_t g)
{
    static const struct rec_status waits = {.g = 3, .m = 103, .reason = 7, .stack_id = STATUS_STACK_BASE + 3};
    return g == waits.g ? &waits : NULL;
}

bool recording_has_start(const struct recording *r, uint64_t g) { return g == 4; }

static void tell(void *arg, const struct gotrace_error *violation) { print_message("%s\n", violation->message); }

static void add_tables(struct gotrace_builder *b)
{
    static const struct gotrace_raw_frame frame = {.pc = 1};
    assert_int_equal(gotrace_builder_string_as(b, 7, "sync", 4), 0);
    assert_int_equal(gotrace_builder_stack_as(b, STATUS_STACK_BASE + 3, &frame, 1), 0);
    assert_int_equal(gotrace_builder_stack_as(b, START_STACK_BASE + 4, &frame, 1), 0);
}

/* The trace of what was seen, with the generation in front. Returns the number of events in that. */
static uint64_t write_trace(struct gotrace_builder *b, const struct recording *r)
{
    uint64_t events = 0, at = opening_time(r, FIRST);
    assert_int_equal(gotrace_builder_generation(b, 1), 0);
    assert_int_equal(gotrace_builder_sync(b, 1000000000, at, 1, 1, 0), 0);
    assert_int_equal(opening_write(r, b, FIRST, &events), 0);
    add_tables(b);
    assert_int_equal(gotrace_builder_generation(b, 2), 0);
    assert_int_equal(gotrace_builder_sync(b, 1000000000, FIRST, 1 + FIRST - at, 1, FIRST - at), 0);
    for (size_t i = 0; i < file.events.n; i++) {
        const uint8_t *p = batches[i].data, *end = p + batches[i].size;
        uint64_t time = batches[i].time;
        assert_int_equal(gotrace_builder_batch(b, batches[i].m, time), 0);
        while (p < end) {
            uint64_t args[EVENT_MAX_ARGS];
            unsigned id = *p++;
            for (int k = 0; k < event_table[id].nargs; k++)
                p = varint_get(p, end, &args[k]);
            time += args[0];
            assert_int_equal(gotrace_builder_event(b, time, id, args + 1, event_table[id].nargs - 1u), 0);
        }
    }
    assert_int_equal(gotrace_builder_finish(b), 0);
    return events;
}

static void all_come_to_life_and_into_their_states(void **state)
{
    struct gotrace_summary sum;
    struct gotrace_raw_event ev;
    size_t size;
    uint64_t n = 0, created = 0, started = 0, blocked = 0, last = 0;
    all_sorts_of_goroutines();
    assert_null(see());
    struct recording r = {.seen = seen, .first_generation = 2, .pid = PID};
    struct gotrace_builder *b = gotrace_builder_new_memory(22);
    uint64_t events = write_trace(b, &r);
    const void *trace = gotrace_builder_bytes(b, &size);
    struct gotrace_reader *reader = gotrace_reader_open_memory(trace, size);
    assert_true(gotrace_reader_validate(reader, tell, NULL, &sum));
    assert_int_equal(sum.violations, 0);
    assert_int_equal(sum.generations, 2);
    gotrace_reader_free(reader);

    struct gotrace_raw_reader *in = gotrace_raw_reader_open_memory(GOTRACE_RAW_BYTES, trace, size);
    uint64_t generation = 0, m = 0;
    while (gotrace_raw_reader_next(in, &ev) > 0) {
        if (ev.id == EV_EventBatch) {
            generation = ev.args[0];
            m = ev.args[1];
            if (generation == 1 && ev.args[2] > last)
                last = ev.args[2];
        }
        if (generation != 1 || event_table[ev.id].cls != EVENT_TIMED)
            continue;
        n++;
        assert_int_equal(ev.args[0], 0); /* a time of its own for each thread: the order is never in doubt */
        created += ev.id == EV_GoCreate;
        started += ev.id == EV_GoCreate && ev.args[2] == START_STACK_BASE + 4;
        if (ev.id == EV_GoBlock) {
            blocked++;
            assert_true(m == 103 && ev.args[1] == 7 && ev.args[2] == STATUS_STACK_BASE + 3);
        }
    }
    assert_int_equal(n, events);
    assert_int_equal(created, 5);
    assert_int_equal(started, 1);
    assert_int_equal(blocked, 1);
    assert_in_range(last, opening_time(&r, FIRST) + 1, FIRST - 1);
    gotrace_raw_reader_free(in);
    gotrace_builder_free(b);
    forget();
}

static void it_is_there_when_there_is_a_reason(void **state)
{
    all_sorts_of_goroutines();
    assert_null(see());
    struct recording r = {.seen = seen, .first_generation = 2};
    assert_true(opening_needed(&r));
    r.first_generation = 1; /* no number is before that */
    assert_false(opening_needed(&r));
    r = (struct recording){.first_generation = 2};
    assert_false(opening_needed(&r));
    r.seen = seen;
    assert_int_equal(opening_time(&r, FIRST), FIRST - 6);
    assert_int_equal(opening_time(&r, 7), 1);
    assert_int_equal(opening_time(&r, 3), 0); /* there is no time before it */
    forget();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statuses_are_those_of_the_first_generation),
        cmocka_unit_test(each_goroutine_has_its_first_stack),
        cmocka_unit_test(what_is_no_event_is_damage),
        cmocka_unit_test(the_heap_is_seen),
        cmocka_unit_test(all_come_to_life_and_into_their_states),
        cmocka_unit_test(it_is_there_when_there_is_a_reason),
    };
    return cmocka_run_group_tests_name("first stacks and opening", tests, NULL, NULL);
}
