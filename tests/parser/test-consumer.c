/* A consumer gets all events of a trace, in order, and nothing more once it has failed. */
#include "tests/unit/unit.h"

#include "gotrace/builder.h"
#include "lib/wire/events.h"
#include "parser/analyze/consumer.h"

enum { EVENTS = 5 }; /* a Sync, a status of a proc and of a goroutine, a block, a Sync */

static struct gotrace_builder *short_trace(void)
{
    struct gotrace_builder *b = gotrace_builder_new_memory(23);
    assert_int_equal(gotrace_builder_generation(b, 1), 0);
    assert_int_equal(gotrace_builder_sync(b, 1000000000, 1, 0, 0, 0), 0);
    assert_int_equal(gotrace_builder_batch(b, 1, 10), 0);
    assert_int_equal(gotrace_builder_event(b, 10, EV_ProcStatus, (uint64_t[]){0, PROC_RUNNING}, 2), 0);
    assert_int_equal(gotrace_builder_event(b, 11, EV_GoStatus, (uint64_t[]){1, 1, GO_RUNNING}, 3), 0);
    assert_int_equal(gotrace_builder_event(b, 12, EV_GoBlock, (uint64_t[]){0, 0}, 2), 0);
    assert_int_equal(gotrace_builder_finish(b), 0);
    return b;
}

enum { NEVER = -1, AT_BEGIN = -2, AT_END = -3 };

struct diary {
    int fails; /* which event, or one of the above */
    int begins, events, ends, version;
    int64_t last;
};

static bool begin(void *state, const struct gotrace_reader *r)
{
    struct diary *d = state;
    assert_int_equal(d->events, 0);
    d->begins++;
    d->version = gotrace_reader_version(r);
    return d->fails != AT_BEGIN;
}

static bool event(void *state, const struct gotrace_event *ev)
{
    struct diary *d = state;
    assert_true(!d->events || gotrace_event_time(ev) > d->last);
    d->last = gotrace_event_time(ev);
    return d->events++ != d->fails;
}

static bool end(void *state)
{
    struct diary *d = state;
    d->ends++;
    return d->fails != AT_END;
}

static const struct event_consumer writer = {begin, event, end};

/* The size is that of the trace, less what is missing at its end. */
static bool show(struct diary *d, int fails, const struct event_consumer *c, size_t missing)
{
    struct gotrace_builder *b = short_trace();
    size_t size;
    const void *bytes = gotrace_builder_bytes(b, &size);
    struct gotrace_reader *r = gotrace_reader_open_memory(bytes, size - missing);
    *d = (struct diary){.fails = fails};
    bool ok = consume_events(r, c, d);
    assert_int_equal(gotrace_reader_error(r) != NULL, missing > 0);
    gotrace_reader_free(r);
    gotrace_builder_free(b);
    return ok;
}

static void it_sees_begin_events_and_end(void **state)
{
    struct diary d;
    assert_true(show(&d, NEVER, &writer, 0));
    assert_int_equal(d.begins, 1);
    assert_int_equal(d.version, 23);
    assert_int_equal(d.events, EVENTS);
    assert_int_equal(d.ends, 1);
}

static void what_failed_sees_nothing_more(void **state)
{
    struct diary d;
    assert_false(show(&d, AT_BEGIN, &writer, 0));
    assert_int_equal(d.events + d.ends, 0);
    assert_false(show(&d, 1, &writer, 0));
    assert_int_equal(d.events, 2);
    assert_int_equal(d.ends, 0);
    assert_false(show(&d, AT_END, &writer, 0));
    assert_int_equal(d.events, EVENTS);
    assert_int_equal(d.ends, 1);
}

/* A trace that is cut off is consumed up to the cut. */
static void a_broken_trace_has_an_end(void **state)
{
    struct diary d;
    assert_true(show(&d, NEVER, &writer, 1));
    assert_true(d.events < EVENTS);
    assert_int_equal(d.ends, 1);
}

static void none_of_the_three_need_be(void **state)
{
    struct diary d;
    assert_true(show(&d, NEVER, &(struct event_consumer){.end = end}, 0));
    assert_int_equal(d.ends, 1);
    assert_true(show(&d, NEVER, &(struct event_consumer){.event = event}, 0));
    assert_int_equal(d.events, EVENTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_sees_begin_events_and_end),
        cmocka_unit_test(what_failed_sees_nothing_more),
        cmocka_unit_test(a_broken_trace_has_an_end),
        cmocka_unit_test(none_of_the_three_need_be),
    };
    return cmocka_run_group_tests_name("consumer", tests, NULL, NULL);
}
