/* The reader's interface: what it says of each kind of event, and of what it cannot read. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "gotrace/gotrace.h"
#include "lib/wire/events.h"

#define S(s) (s), sizeof(s) - 1
#define ARGS(...) ((const uint64_t[]){__VA_ARGS__}), sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)

struct made {
    struct gotrace_builder *b;
    uint64_t now;
};

static void add(struct made *m, unsigned id, const uint64_t *args, size_t n)
{
    assert_int_equal(gotrace_builder_event(m->b, ++m->now, id, args, n), 0);
}

#define ADD(id, ...) add(m, EV_##id, ARGS(__VA_ARGS__))
#define ADD_BARE(id) add(m, EV_##id, NULL, 0)

static uint64_t stack(struct made *m)
{
    const struct gotrace_builder_frame frames[] = {{16, "leaf", "leaf.c", 1}, {32, "root", "root.c", 2}};
    return gotrace_builder_stack(m->b, frames, ARRAY_SIZE(frames));
}

static uint64_t string(struct made *m, const char *s)
{
    return gotrace_builder_string(m->b, s, strlen(s));
}

/* A trace of 1.26 with an event of every kind. */
static void make(struct made *m)
{
    m->b = gotrace_builder_new_memory(26);
    m->now = 100;
    gotrace_builder_generation(m->b, 1);
    gotrace_builder_sync(m->b, 1000000000, 100, 77, 88, 99);
    gotrace_builder_experimental(m->b, 1, 5, 100, "data", 4);
    gotrace_builder_experimental(m->b, 9, ID_NONE, 100, "", 0);
    gotrace_builder_batch(m->b, 5, 100);
    ADD(ProcStatus, 0, PROC_RUNNING);
    ADD(GoStatus, 1, 5, GO_RUNNING);
    ADD(ProcsChange, 8, stack(m));
    ADD(HeapAlloc, 4096);
    ADD(HeapGoal, 8192);
    ADD(GoLabel, string(m, "label"));
    ADD(STWBegin, string(m, "why"), 0);
    ADD_BARE(STWEnd);
    ADD(GCBegin, 1, 0);
    ADD(GCEnd, 2);
    ADD(GCSweepBegin, 0);
    ADD(GCSweepEnd, 10, 20);
    ADD(GCMarkAssistBegin, 0);
    ADD_BARE(GCMarkAssistEnd);
    ADD(UserTaskBegin, 3, 0, string(m, "task"), 0);
    ADD(UserRegionBegin, 3, string(m, "region"), 0);
    ADD(UserLog, 3, string(m, "key"), string(m, "value"), 0);
    ADD(UserRegionEnd, 3, string(m, "region"), 0);
    ADD(UserTaskEnd, 3, 0);
    ADD(Span, 1, 2, 3);
    ADD(GoCreate, 2, stack(m), 0);
    ADD(GoBlock, string(m, "reason"), stack(m));
    gotrace_builder_cpu_sample(m->b, 102, 5, ID_NONE, 0, stack(m));
    assert_int_equal(gotrace_builder_finish(m->b), 0);
}

static struct gotrace_reader *open_made(struct made *m)
{
    size_t size;
    make(m);
    const void *bytes = gotrace_builder_bytes(m->b, &size);
    return gotrace_reader_open_memory(bytes, size);
}

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

static char *print_all(struct gotrace_reader *r)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    const struct gotrace_event *ev;
    while ((ev = gotrace_reader_next(r)))
        assert_int_equal(gotrace_event_print(ev, out), 0);
    fclose(out);
    gotrace_reader_free(r);
    return text;
}

struct dribble {
    const unsigned char *p, *end;
    int interrupts; /* reads that a signal interrupts */
    int error;      /* at the end, instead of the end */
};

/* All of 64 bits, though the C library's years have 32. What Go prints is the measure. */
static void wall_clocks_have_any_year(void **state)
{
    static const struct {
        uint64_t sec;
        const char *wall;
    } known[] = {
        {0, "1970-01-01T00:00:00.000000007Z"},
        {UINT64_MAX, "1969-12-31T23:59:59.000000007Z"},
        {UINT64_C(253402300800), "10000-01-01T00:00:00.000000007Z"},
        {(uint64_t)-INT64_C(62167219201), "-0001-12-31T23:59:59.000000007Z"},
        {UINT64_C(67768036191676800), "2147485548-01-01T00:00:00.000000007Z"},
        {UINT64_C(100000000000000000), "3168875820-09-06T09:46:40.000000007Z"},
        {INT64_MAX, "292277026596-12-04T15:30:07.000000007Z"},
        {UINT64_C(1) << 63, "292277026596-12-04T15:30:08.000000007Z"},
        {(uint64_t)-INT64_C(67768040609740801), "-2147481749-12-31T23:59:59.000000007Z"},
        {(uint64_t)-INT64_C(9223372028715321601), "-292277022400-12-31T23:59:59.000000007Z"},
    };
    assert_int_equal(setenv("TZ", "UTC", 1), 0);
    for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
        struct gotrace_builder *b = gotrace_builder_new_memory(26);
        size_t size;
        gotrace_builder_generation(b, 1);
        gotrace_builder_sync(b, 1000000000, 1, 1, known[i].sec, 7);
        assert_int_equal(gotrace_builder_finish(b), 0);
        const void *bytes = gotrace_builder_bytes(b, &size);
        char *text = print_all(gotrace_reader_open_memory(bytes, size)), *wall = strstr(text, "Wall=");
        assert_non_null(wall);
        *strchrnul(wall, '\n') = '\0';
        assert_string_equal(wall + strlen("Wall="), known[i].wall);
        free(text);
        gotrace_builder_free(b);
    }
    unsetenv("TZ");
}

static ssize_t one_byte(void *arg, void *buf, size_t size)
{
    struct dribble *d = arg;
    assert_true(size > 0);
    if (d->interrupts-- > 0) {
        errno = EINTR;
        return -1;
    }
    if (d->p == d->end) {
        errno = d->error;
        return d->error ? -1 : 0;
    }
    *(unsigned char *)buf = *d->p++;
    return 1;
}

static void all_ways_to_open_read_the_same(void **state)
{
    struct made m;
    size_t size;
    char *want = print_all(open_made(&m));
    assert_non_null(strstr(want, "M=5 P=-1 G=-1 StackSample Time=103\nStack=\n\tleaf @ 0x10\n\t\tleaf.c:1\n"));
    assert_non_null(strstr(want, "Name=Span Args=[id=Value{Uint64(1)}, npages_value=Value{Uint64(2)}, "));
    assert_non_null(strstr(want, "Name=\"stop-the-world (why)\" Scope=Goroutine(1) Attributes=[]\n"));
    assert_non_null(
        strstr(want, "Attributes=[\"bytes swept\"=Value{Uint64(10)} \"bytes reclaimed\"=Value{Uint64(20)}]"));
    const unsigned char *bytes = gotrace_builder_bytes(m.b, &size);

    struct dribble d = {.p = bytes, .end = bytes + size, .interrupts = 2};
    char *got = print_all(gotrace_reader_open_callback(one_byte, &d));
    assert_string_equal(got, want);
    free(got);

    char path[] = "test-reader.XXXXXX";
    int fd = mkstemp(path);
    assert_int_equal(write(fd, bytes, size), size);
    got = print_all(gotrace_reader_open_path(path));
    assert_string_equal(got, want);
    free(got);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    got = print_all(gotrace_reader_open_fd(fd));
    assert_string_equal(got, want);
    assert_int_equal(close(fd), 0); /* it stayed ours */
    free(got);
    unlink(path);
    free(want);
    gotrace_builder_free(m.b);
}

static void printing_tells_of_a_full_disk(void **state)
{
    struct made m;
    struct gotrace_reader *r = open_made(&m);
    FILE *full = fopen("/dev/full", "w");
    if (full) {
        setvbuf(full, NULL, _IONBF, 0);
        assert_int_equal(gotrace_event_print(gotrace_reader_next(r), full), -1);
        fclose(full);
    }
    gotrace_reader_free(r);
    gotrace_builder_free(m.b);
}

static void bad_header(const void *data, size_t size, enum gotrace_status status, const char *message)
{
    struct gotrace_reader *r = gotrace_reader_open_memory(data, size);
    const struct gotrace_error *e = gotrace_reader_error(r);
    assert_non_null(e);
    assert_int_equal(e->status, status);
    assert_non_null(strstr(e->message, message));
    assert_int_equal(e->thread, GOTRACE_NONE);
    assert_null(gotrace_reader_next(r));
    assert_int_equal(gotrace_reader_version(r), 0);
    gotrace_reader_free(r);
}

static void headers_that_are_none_are_told_apart(void **state)
{
    bad_header("", 0, GOTRACE_EFORMAT, "not a Go execution trace");
    bad_header(S("go 1.22 trace\0\0"), GOTRACE_EFORMAT, "not a Go execution trace");
    bad_header(S("go 1.22 trace\0\0x"), GOTRACE_EFORMAT, "not a Go execution trace");
    bad_header(S("go 1.xx trace\0\0\0"), GOTRACE_EFORMAT, "not a Go execution trace");
    bad_header(S("gotrace\0........"), GOTRACE_EFORMAT, "not a Go execution trace");
    bad_header(S("go 1.24 trace\0\0\0"), GOTRACE_EVERSION, "unknown trace version go 1.24");
    bad_header(S("go 1.99 trace\0\0\0"), GOTRACE_EVERSION, "unknown trace version go 1.99");
    bad_header(S("go 1.21 trace\0\0\0"), GOTRACE_EVERSION, "old format (go 1.21)");
}

static void what_cannot_be_read_is_not_called_broken(void **state)
{
    struct made m;
    size_t size;
    make(&m);
    const unsigned char *bytes = gotrace_builder_bytes(m.b, &size);
    static const size_t cuts[] = {0, 7, TRACE_HEADER_SIZE, TRACE_HEADER_SIZE + 3, 60};
    for (size_t i = 0; i < ARRAY_SIZE(cuts); i++) {
        struct dribble d = {.p = bytes, .end = bytes + cuts[i], .error = EIO};
        struct gotrace_reader *r = gotrace_reader_open_callback(one_byte, &d);
        while (gotrace_reader_next(r))
            continue;
        const struct gotrace_error *e = gotrace_reader_error(r);
        assert_non_null(e);
        assert_int_equal(e->status, GOTRACE_EREAD);
        assert_int_equal(e->sys_errno, EIO);
        assert_non_null(strstr(e->message, strerror(EIO)));
        gotrace_reader_free(r);

        d = (struct dribble){.p = bytes, .end = bytes + cuts[i], .error = EIO};
        struct gotrace_summary sum;
        r = gotrace_reader_open_callback(one_byte, &d);
        assert_false(gotrace_reader_validate(r, NULL, NULL, &sum));
        gotrace_reader_free(r);
    }
    struct gotrace_reader *r = gotrace_reader_open_path("/nonexistent/file");
    assert_int_equal(gotrace_reader_error(r)->status, GOTRACE_EREAD);
    assert_int_equal(gotrace_reader_error(r)->sys_errno, ENOENT);
    gotrace_reader_free(r);
    gotrace_reader_free(NULL);
    gotrace_validator_free(NULL);
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
        cmocka_unit_test(all_ways_to_open_read_the_same),
        cmocka_unit_test(wall_clocks_have_any_year),
        cmocka_unit_test(printing_tells_of_a_full_disk),
        cmocka_unit_test(headers_that_are_none_are_told_apart),
        cmocka_unit_test(what_cannot_be_read_is_not_called_broken),
        cmocka_unit_test(the_validator_takes_events_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
