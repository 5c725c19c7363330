/* The reader's interface: what it says of each kind of event. */
#include "tests/parser/every-kind.h"

static bool is(struct gotrace_str s, const char *want)
{
    return s.len == strlen(want) && !memcmp(s.data, want, s.len);
}

static const struct gotrace_event *find(struct gotrace_reader *r, const char *name)
{
    const struct gotrace_event *ev;
    while ((ev = gotrace_reader_next(r)))
        if (!strcmp(gotrace_event_name(ev), name))
            return ev;
    fail_msg("no %s", name);
    return NULL;
}

static void every_kind_tells_what_it_is(void **state)
{
    struct made m;
    struct gotrace_reader *r = open_made(&m);
    struct gotrace_sync sync;
    const struct gotrace_event *ev = gotrace_reader_next(r);
    assert_true(gotrace_event_sync(ev, &sync));
    assert_int_equal(gotrace_reader_version(r), 26);
    assert_int_equal(sync.n, 1);
    assert_true(sync.has_clock);
    assert_int_equal(sync.clock.trace, 100);
    assert_int_equal(sync.clock.mono, 77);
    assert_int_equal(sync.clock.sec, 88);
    assert_int_equal(sync.clock.nsec, 99);
    assert_int_equal(sync.nbatches, 2);
    struct gotrace_experimental_batch batch;
    assert_true(gotrace_event_sync_batch(ev, 0, &batch));
    assert_string_equal(batch.experiment, "AllocFree");
    assert_int_equal(batch.thread, 5);
    assert_int_equal(batch.size, 4);
    assert_memory_equal(batch.data, "data", 4);
    assert_true(gotrace_event_sync_batch(ev, 1, &batch));
    assert_string_equal(batch.experiment, "");
    assert_int_equal(batch.experiment_id, 9);
    assert_false(gotrace_event_sync_batch(ev, 2, &batch));
    struct gotrace_str string;
    size_t nstrings = 0, unused = 0;
    while (gotrace_event_sync_string(ev, nstrings, &string)) {
        unused += string.len == 11 && !memcmp(string.data, "of no event", 11);
        nstrings++;
    }
    assert_int_equal(unused, 1);
    assert_null(string.data);
    struct gotrace_event *copy = gotrace_event_copy(ev);
    assert_false(gotrace_event_sync_string(copy, 0, &string));
    gotrace_event_free(copy);
    assert_int_equal(gotrace_event_thread(ev), GOTRACE_NONE);
    assert_int_equal(gotrace_event_offset(ev), 0);

    struct gotrace_transition t;
    ev = find(r, "GoStatus");
    assert_int_equal(gotrace_event_kind(ev), GOTRACE_KIND_TRANSITION);
    assert_int_equal(gotrace_event_thread(ev), 5);
    assert_int_equal(gotrace_event_proc(ev), 0);
    assert_int_equal(gotrace_event_goroutine(ev), GOTRACE_NONE);
    assert_int_equal(gotrace_event_generation(ev), 1);
    assert_true(gotrace_event_offset(ev) > TRACE_HEADER_SIZE);
    assert_true(gotrace_event_transition(ev, &t));
    assert_int_equal(t.resource.kind, GOTRACE_RESOURCE_GOROUTINE);
    assert_int_equal(t.resource.id, 1);
    assert_int_equal(t.from, GOTRACE_STATE_UNDETERMINED);
    assert_int_equal(t.to, GOTRACE_STATE_RUNNING);

    struct gotrace_frame frame;
    ev = find(r, "CPUSample");
    assert_int_equal(gotrace_event_kind(ev), GOTRACE_KIND_STACK_SAMPLE);
    assert_int_equal(gotrace_event_goroutine(ev), GOTRACE_NONE);
    assert_int_equal(gotrace_stack_len(gotrace_event_stack(ev)), 2);
    assert_true(gotrace_stack_frame(gotrace_event_stack(ev), 1, &frame));
    assert_int_equal(frame.pc, 32);
    assert_true(is(frame.function, "root"));
    assert_true(is(frame.file, "root.c"));
    assert_int_equal(frame.line, 2);
    assert_false(gotrace_stack_frame(gotrace_event_stack(ev), 2, &frame));
    assert_int_equal(frame.pc, 0);

    struct gotrace_metric metric;
    ev = find(r, "ProcsChange");
    assert_int_equal(gotrace_event_time(ev), 104); /* one after the sample */
    assert_true(gotrace_event_metric(ev, &metric));
    assert_string_equal(metric.name, "/sched/gomaxprocs:threads");
    assert_int_equal(metric.value, 8);
    assert_true(gotrace_event_metric(find(r, "HeapAlloc"), &metric));
    assert_int_equal(metric.value, 4096);
    assert_true(gotrace_event_metric(find(r, "HeapGoal"), &metric));
    assert_string_equal(metric.name, "/gc/heap/goal:bytes");

    struct gotrace_label label;
    assert_true(gotrace_event_label(find(r, "GoLabel"), &label));
    assert_true(is(label.label, "label"));
    assert_int_equal(label.resource.id, 1);

    struct gotrace_range range;
    assert_true(gotrace_event_range(find(r, "STWEnd"), &range));
    assert_string_equal(range.name, "stop-the-world");
    assert_true(is(range.detail, "why"));
    assert_true(gotrace_event_range(find(r, "GCEnd"), &range));
    assert_int_equal(range.scope.kind, GOTRACE_RESOURCE_NONE);
    assert_true(gotrace_event_range(find(r, "GCSweepEnd"), &range));
    assert_int_equal(range.scope.kind, GOTRACE_RESOURCE_PROC);
    assert_int_equal(range.nattributes, 2);
    assert_string_equal(range.attributes[1].name, "bytes reclaimed");
    assert_int_equal(range.attributes[1].value, 20);
    ev = find(r, "GCMarkAssistBegin");
    assert_int_equal(gotrace_event_kind(ev), GOTRACE_KIND_RANGE_BEGIN);
    assert_true(gotrace_event_range(ev, &range));
    assert_int_equal(range.scope.id, 1);

    struct gotrace_task task;
    assert_true(gotrace_event_task(find(r, "UserTaskBegin"), &task));
    assert_int_equal(task.parent, GOTRACE_NONE);
    struct gotrace_region region;
    assert_true(gotrace_event_region(find(r, "UserRegionBegin"), &region));
    assert_int_equal(region.task, 3);
    assert_true(is(region.type, "region"));
    struct gotrace_log log;
    assert_true(gotrace_event_log(find(r, "UserLog"), &log));
    assert_true(is(log.category, "key"));
    assert_true(is(log.message, "value"));
    assert_true(gotrace_event_task(find(r, "UserTaskEnd"), &task));
    assert_int_equal(task.id, 3);
    assert_true(is(task.type, "task"));

    struct gotrace_experimental e;
    assert_true(gotrace_event_experimental(find(r, "Span"), &e));
    assert_string_equal(e.experiment, "AllocFree");
    assert_int_equal(e.nargs, 3);
    assert_string_equal(e.args[2], "kindclass");
    assert_int_equal(e.values[2], 3);

    assert_true(gotrace_event_transition(find(r, "GoCreate"), &t));
    assert_int_equal(t.from, GOTRACE_STATE_NOT_EXIST);
    assert_int_equal(gotrace_stack_len(t.stack), 2);
    ev = find(r, "GoBlock");
    assert_true(gotrace_event_transition(ev, &t));
    assert_true(is(t.reason, "reason"));
    assert_int_equal(t.stack.id, gotrace_event_stack(ev).id);
    assert_true(gotrace_event_sync(gotrace_reader_next(r), &sync));
    assert_int_equal(sync.n, 2);
    assert_false(sync.has_clock);
    assert_null(gotrace_reader_next(r));
    assert_null(gotrace_reader_next(r));
    assert_null(gotrace_reader_error(r));
    gotrace_reader_free(r);
    gotrace_builder_free(m.b);
}

/* Each accessor on each event: exactly those of its kind succeed, the others zero what they were given. */
static void no_accessor_takes_another_kind(void **state)
{
    struct made m;
    struct gotrace_reader *r = open_made(&m);
    const struct gotrace_event *ev;
    union {
        struct gotrace_transition transition;
        struct gotrace_metric metric;
        struct gotrace_label label;
        struct gotrace_range range;
        struct gotrace_task task;
        struct gotrace_region region;
        struct gotrace_log log;
        struct gotrace_sync sync;
        struct gotrace_experimental experimental;
        struct gotrace_experimental_batch batch;
    } u;
    const unsigned char *bytes = (const unsigned char *)&u;
#define CHECK(field, right)                                                                                            \
    do {                                                                                                               \
        memset(&u, 0xaa, sizeof u);                                                                                    \
        bool ok = gotrace_event_##field(ev, &u.field);                                                                 \
        assert_int_equal(ok, right);                                                                                   \
        for (size_t i = 0; !ok && i < sizeof u.field; i++)                                                             \
            assert_int_equal(bytes[i], 0);                                                                           \
    } while (0)
    while ((ev = gotrace_reader_next(r))) {
        enum gotrace_kind k = gotrace_event_kind(ev);
        CHECK(transition, k == GOTRACE_KIND_TRANSITION);
        CHECK(metric, k == GOTRACE_KIND_METRIC);
        CHECK(label, k == GOTRACE_KIND_LABEL);
        CHECK(range, k == GOTRACE_KIND_RANGE_BEGIN || k == GOTRACE_KIND_RANGE_ACTIVE || k == GOTRACE_KIND_RANGE_END);
        CHECK(task, k == GOTRACE_KIND_TASK_BEGIN || k == GOTRACE_KIND_TASK_END);
        CHECK(region, k == GOTRACE_KIND_REGION_BEGIN || k == GOTRACE_KIND_REGION_END);
        CHECK(log, k == GOTRACE_KIND_LOG);
        CHECK(sync, k == GOTRACE_KIND_SYNC);
        CHECK(experimental, k == GOTRACE_KIND_EXPERIMENTAL);
        assert_false(gotrace_event_sync_batch(ev, 7, &u.batch));
        assert_string_not_equal(gotrace_kind_name(k), "Bad");
    }
    assert_string_equal(gotrace_kind_name((enum gotrace_kind)99), "Bad");
    assert_string_equal(gotrace_state_name((enum gotrace_state)99), "Bad");
    assert_string_equal(gotrace_state_name(GOTRACE_STATE_SYSCALL), "Syscall");
    gotrace_reader_free(r);
    gotrace_builder_free(m.b);
}

static void validator_counts(void *arg, const struct gotrace_error *e)
{
    ++*(int *)arg;
    assert_int_equal(e->status, GOTRACE_EBROKEN);
}

/* The validator by hand, on events that are fine one by one, of a version that does not have them. */
static void the_validator_takes_events_one_by_one(void **state)
{
    struct made m;
    struct gotrace_reader *r = open_made(&m);
    int reported = 0, returned = 0;
    struct gotrace_validator *v = gotrace_validator_new(22, validator_counts, &reported);
    const struct gotrace_event *ev, *last = NULL;
    while ((ev = gotrace_reader_next(r))) {
        int n = gotrace_validator_event(v, ev);
        assert_int_equal(n, !strcmp(gotrace_event_name(ev), "Span"));
        returned += n;
        last = ev;
    }
    assert_int_equal(reported, 1);
    assert_int_equal(returned, 1);
    assert_int_equal(gotrace_validator_event(v, last), 2); /* not later, and a Sync that was counted already */
    gotrace_validator_free(v);
    gotrace_reader_free(r);
    gotrace_builder_free(m.b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_tells_what_it_is),
        cmocka_unit_test(no_accessor_takes_another_kind),
        cmocka_unit_test(the_validator_takes_events_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
