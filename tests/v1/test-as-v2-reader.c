/* What the public API promises of any trace, held by those of v1: lifetimes, copies, generations, errors. */
#include <errno.h>
#include <unistd.h>

#include "tests/v1/as-v2.h"

static struct made logs(void)
{
    struct made m = made(21);
    PROC(&m, 0, 100);
    made_string(&m, 1, "category");
    RECORD(&m, Stack, 9, 1, 0x50, 1, 1, 2);
    made_log(&m, 0, 5, 1, 9, "first");
    made_log(&m, 10, 5, 1, 9, "second");
    return m;
}

static struct gotrace_reader *open_made(const struct made *m) { return gotrace_reader_open_memory(m->b.at, m->b.size); }

static const struct gotrace_event *nth(struct gotrace_reader *r, int n)
{
    const struct gotrace_event *ev = NULL;
    while (n--)
        assert_non_null(ev = gotrace_reader_next(r));
    return ev;
}

static void assert_str(struct gotrace_str s, const char *wanted)
{
    assert_int_equal(s.len, strlen(wanted));
    assert_memory_equal(s.data, wanted, s.len);
}

/* Events are told apart by where they stand; all are of generation 1, but the last Sync, which is of none. */
static void events_know_where_they_stand(void **state)
{
    struct made m = logs();
    struct gotrace_reader *r = open_made(&m);
    assert_int_equal(gotrace_event_offset(nth(r, 1)), 0);
    const struct gotrace_event *ev = nth(r, 1);
    assert_int_equal(gotrace_event_generation(ev), 1);
    uint64_t at = gotrace_event_offset(ev);
    assert_int_equal(m.b.at[at] & 63, V1_UserLog);
    assert_string_equal(gotrace_event_name(ev), "UserLog");
    assert_true(gotrace_event_offset(nth(r, 1)) > at);
    assert_int_equal(gotrace_event_generation(nth(r, 1)), 0);
    gotrace_reader_free(r);
    raw_buffer_free(&m.b);
}

static void copies_keep_their_messages_and_stacks(void **state)
{
    struct made m = logs();
    struct gotrace_reader *r = open_made(&m);
    struct gotrace_event *sync = gotrace_event_copy(nth(r, 1)), *first = gotrace_event_copy(nth(r, 1));
    struct gotrace_event *second = gotrace_event_copy(nth(r, 1));
    nth(r, 1);
    assert_null(gotrace_reader_next(r));
    gotrace_reader_free(r);
    memset(m.b.at, 'x', m.b.size);
    struct gotrace_log log;
    struct gotrace_frame frame;
    assert_int_equal(gotrace_event_kind(sync), GOTRACE_KIND_SYNC);
    assert_true(gotrace_event_log(first, &log));
    assert_str(log.message, "first");
    assert_str(log.category, "category");
    assert_true(gotrace_event_log(second, &log));
    assert_str(log.message, "second");
    assert_true(gotrace_stack_frame(gotrace_event_stack(second), 0, &frame));
    assert_str(frame.function, "category");
    assert_int_equal(frame.pc, 0x50);
    gotrace_event_free(sync);
    gotrace_event_free(first);
    gotrace_event_free(second);
    raw_buffer_free(&m.b);
}

static void handles_of_stacks_end_with_the_trace(void **state)
{
    struct made m = logs();
    struct gotrace_reader *r = open_made(&m);
    struct gotrace_generation gen = {0};
    struct gotrace_stack a = gotrace_event_stack(nth(r, 2)), b = gotrace_event_stack(nth(r, 1));
    assert_true(gotrace_stack_equal(a, b));
    assert_int_equal(gotrace_stack_len(a), 1);
    nth(r, 1);
    assert_int_equal(gotrace_stack_len(a), 0);
    assert_null(gotrace_reader_next(r));
    assert_int_equal(gotrace_stack_len(a), 0);
    assert_int_equal(gotrace_reader_next_generation(r, &gen), 1);
    assert_int_equal(gotrace_reader_seek(r, &gen), 0);
    b = gotrace_event_stack(nth(r, 2));
    assert_int_equal(gotrace_stack_len(b), 1);
    assert_int_equal(gotrace_stack_len(a), 0);
    assert_false(gotrace_stack_equal(a, b));
    gotrace_reader_free(r);
    raw_buffer_free(&m.b);
}

static void check_generations(struct gotrace_reader *r, const struct made *m)
{
    struct gotrace_generation gen = {0};
    uint64_t n = 0;
    assert_int_equal(gotrace_reader_next_generation(r, &gen), 1);
    assert_int_equal(gen.number, 1);
    assert_int_equal(gen.offset, V1_HEADER_SIZE);
    assert_int_equal(gen.size, m->b.size - V1_HEADER_SIZE);
    assert_int_equal(gen.time, -1);
    assert_false(gen.has_clock);
    assert_int_equal(gotrace_reader_next_generation(r, &gen), 0);
    assert_int_equal(gen.number, 1);
    for (int round = 0; round < 3; round++) { /* from the middle and from the end */
        for (n = 0; (round != 1 || n < 2) && gotrace_reader_next(r); n++) {
        }
        assert_null(gotrace_reader_error(r));
        assert_int_equal(n, round == 1 ? 2 : 4);
        assert_int_equal(gotrace_reader_seek(r, &gen), 0);
    }
    gen.offset++;
    assert_int_equal(gotrace_reader_seek(r, &gen), -1);
    assert_int_equal(errno, EINVAL);
    assert_int_equal(gotrace_reader_next_generation(r, &gen), -1);
    assert_int_equal(errno, EINVAL);
    assert_int_equal(gotrace_event_time(nth(r, 1)), -1);
    gotrace_reader_free(r);
}

static void a_trace_is_one_generation(void **state)
{
    struct made m = logs();
    char path[] = "/tmp/test-as-v2.XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, m.b.at, m.b.size), m.b.size);
    check_generations(open_made(&m), &m);
    check_generations(gotrace_reader_open_path(path), &m);
    close(fd);
    unlink(path);
    raw_buffer_free(&m.b);
}

struct pipe {
    const uint8_t *p, *end;
    int error;
};

static ssize_t three_bytes(void *arg, void *buf, size_t size)
{
    struct pipe *pipe = arg;
    size_t n = (size_t)(pipe->end - pipe->p);
    if (!n && pipe->error) {
        errno = pipe->error;
        return -1;
    }
    n = n < 3 ? n : 3;
    n = n < size ? n : size;
    memcpy(buf, pipe->p, n);
    pipe->p += n;
    return (ssize_t)n;
}

static void what_is_read_once_has_no_way_back(void **state)
{
    struct made m = logs();
    struct pipe pipe = {m.b.at, m.b.at + m.b.size, 0};
    struct gotrace_generation gen = {0}, there = {.number = 1, .offset = V1_HEADER_SIZE, .size = 1};
    struct gotrace_reader *r = gotrace_reader_open_callback(three_bytes, &pipe);
    assert_int_equal(gotrace_reader_next_generation(r, &gen), -1);
    assert_int_equal(errno, ESPIPE);
    assert_int_equal(gotrace_reader_seek(r, &there), -1);
    assert_int_equal(errno, ESPIPE);
    nth(r, 4);
    assert_null(gotrace_reader_next(r));
    assert_null(gotrace_reader_error(r));
    gotrace_reader_free(r);
    raw_buffer_free(&m.b);
}

static void a_failed_read_is_not_a_broken_trace(void **state)
{
    struct made m = logs();
    struct pipe pipe = {m.b.at, m.b.at + m.b.size, EIO};
    struct gotrace_reader *r = gotrace_reader_open_callback(three_bytes, &pipe);
    assert_null(gotrace_reader_next(r));
    assert_int_equal(gotrace_reader_error(r)->status, GOTRACE_EREAD);
    assert_int_equal(gotrace_reader_error(r)->sys_errno, EIO);
    assert_int_equal(gotrace_reader_version(r), 21);
    gotrace_reader_free(r);
    raw_buffer_free(&m.b);
}

static void a_broken_trace_says_where(void **state)
{
    struct made m = logs();
    struct gotrace_generation gen = {0}, there = {.number = 1, .offset = V1_HEADER_SIZE, .size = 1};
    m.b.size--;
    struct gotrace_reader *r = open_made(&m);
    assert_null(gotrace_reader_error(r));
    for (int round = 0; round < 2; round++) {
        assert_null(gotrace_reader_next(r));
        const struct gotrace_error *e = gotrace_reader_error(r);
        assert_int_equal(e->status, GOTRACE_EBROKEN);
        assert_string_equal(e->event, "UserLog");
        assert_int_equal(e->thread, GOTRACE_NONE);
        assert_int_equal(e->generation, 0);
        assert_int_equal(m.b.at[e->offset] & 63, V1_UserLog);
        assert_int_equal(gotrace_reader_seek(r, &there), 0);
        assert_null(gotrace_reader_error(r));
    }
    assert_int_equal(gotrace_reader_next_generation(r, &gen), -1);
    assert_int_equal(errno, EBADMSG);
    assert_int_equal(gen.offset, 0);
    gotrace_reader_free(r);
    raw_buffer_free(&m.b);
}

struct complaints {
    int n;
    char last[200];
};

static void complain(void *arg, const struct gotrace_error *violation)
{
    struct complaints *c = arg;
    c->n++;
    snprintf(c->last, sizeof c->last, "%s: %s", violation->event ? violation->event : "", violation->message);
}

/* Wants so many complaints, the last of which is that. */
static void validates(struct made *m, int n, const char *last)
{
    struct gotrace_reader *r = open_made(m);
    struct complaints c = {0};
    struct gotrace_summary sum;
    assert_true(gotrace_reader_validate(r, complain, &c, &sum));
    assert_string_equal(c.last, last);
    assert_int_equal(c.n, n);
    assert_int_equal(sum.violations, n);
    gotrace_reader_free(r);
    raw_buffer_free(&m->b);
}

/* What v1 cannot say is not held against it; what it can say is. */
static void the_validator_knows_what_v1_cannot_say(void **state)
{
    struct made m = made(21);
    PROC(&m, 0, 100);
    RECORD(&m, GoCreate, 0, 1, 0, 0);
    RECORD(&m, GoInSyscall, 0, 1);
    RECORD(&m, GoCreate, 0, 2, 0, 0);
    RECORD(&m, GoInSyscall, 0, 2);
    RECORD(&m, ProcStart, 0, 7);
    RECORD(&m, Gomaxprocs, 0, 2, 0);
    RECORD(&m, GoSysExit, 1, 1, 2, 0);
    RECORD(&m, GoStart, 1, 1, 3);
    RECORD(&m, GCMarkAssistDone, 1);
    validates(&m, 0, "");

    /* Goroutine 2 returns on another thread, which takes proc 1 out of the call of goroutine 1. */
    m = made(21);
    PROC(&m, 1, 100);
    RECORD(&m, GoCreate, 0, 1, 0, 0);
    RECORD(&m, GoCreate, 0, 2, 0, 0);
    RECORD(&m, GoInSyscall, 0, 2);
    RECORD(&m, ProcStart, 0, 7);
    RECORD(&m, GoStart, 0, 1, 1);
    RECORD(&m, Gomaxprocs, 0, 2, 0);
    RECORD(&m, GoSysCall, 10, 0);
    RECORD(&m, GoSysBlock, 10);
    RECORD(&m, GoSysExit, 1, 2, 2, 0);
    RECORD(&m, GoStart, 1, 2, 3);
    RECORD(&m, GoSched, 30, 0);
    RECORD(&m, ProcStop, 1);
    PROC(&m, 2, 130);
    RECORD(&m, ProcStart, 0, 7);
    RECORD(&m, GoSysExit, 1, 1, 2, 0);
    RECORD(&m, GoStart, 1, 1, 3);
    RECORD(&m, GoSched, 50, 0);
    RECORD(&m, ProcStop, 1);
    validates(&m, 0, "");

    m = made(21);
    PROC(&m, 0, 100);
    RECORD(&m, GoCreate, 0, 1, 0, 0);
    RECORD(&m, Gomaxprocs, 0, 2, 0);
    RECORD(&m, GoStart, 1, 1, 1);
    validates(&m, 1, "GoStart: goroutine 1 runs, but on no thread");
    m = made(21);
    PROC(&m, 0, 100);
    RECORD(&m, Stack, 1, 2, 0x50, 0, 0, 1, 0x60, 0, 0, 1);
    RECORD(&m, Gomaxprocs, 0, 2, 0);
    RECORD(&m, Gomaxprocs, 0, 2, 1);
    validates(&m, 1, "ProcsChange: stack 1, frame 1: missing information: pc 0x60, function \"\", file \"\", line 1");
}

static void the_validator_knows_what_old_versions_cannot_say(void **state)
{
    struct made m = made(9);
    PROC(&m, 0, 100);
    RECORD(&m, STWStart, 0);
    PROC(&m, 1, 110);
    RECORD(&m, STWStart, 0);
    RECORD(&m, STWDone, 10);
    PROC(&m, 0, 130);
    RECORD(&m, STWDone, 0);
    validates(&m, 0, "");
    m = made(5);
    RECORD(&m, Batch, 0, 1, 100);
    RECORD(&m, Stack, 3, 2, 0x10, 0x20);
    RECORD(&m, Stack, 4, 2, 0x10, 0);
    RECORD(&m, Gomaxprocs, 1, 0, 2, 3);
    RECORD(&m, Gomaxprocs, 1, 0, 2, 3);
    RECORD(&m, Gomaxprocs, 1, 0, 2, 4);
    validates(&m, 1, "ProcsChange: stack 2, frame 1: missing information: pc 0x0, function \"\", file \"\", line 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_know_where_they_stand),
        cmocka_unit_test(copies_keep_their_messages_and_stacks),
        cmocka_unit_test(handles_of_stacks_end_with_the_trace),
        cmocka_unit_test(a_trace_is_one_generation),
        cmocka_unit_test(what_is_read_once_has_no_way_back),
        cmocka_unit_test(a_failed_read_is_not_a_broken_trace),
        cmocka_unit_test(a_broken_trace_says_where),
        cmocka_unit_test(the_validator_knows_what_v1_cannot_say),
        cmocka_unit_test(the_validator_knows_what_old_versions_cannot_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
