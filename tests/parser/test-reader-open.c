/* Ways to open a trace, all of which read the same, and what is said of one that cannot be read. */
#include "tests/parser/every-kind.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define S(s) (s), sizeof(s) - 1

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

struct told {
    uint64_t last;
    int times;
};

static void hear(void *arg, uint64_t bytes)
{
    struct told *t = arg;
    assert_true(bytes > t->last);
    t->last = bytes;
    t->times++;
}

static void progress_ends_with_the_input(void **state)
{
    struct made m;
    size_t size;
    gotrace_reader_free(open_made(&m));
    const unsigned char *bytes = gotrace_builder_bytes(m.b, &size);
    struct dribble d = {.p = bytes, .end = bytes + size, .interrupts = 2};
    struct told told = {0};
    struct gotrace_reader *r = gotrace_reader_open_callback(one_byte, &d);
    gotrace_reader_on_progress(r, hear, &told);
    free(print_all(r));
    assert_int_equal(told.last, size);
    assert_in_range(told.times, size - 64, size); /* the header was read before */

    struct told before = told;
    d = (struct dribble){.p = bytes, .end = bytes + size};
    r = gotrace_reader_open_callback(one_byte, &d);
    gotrace_reader_on_progress(r, hear, &told);
    gotrace_reader_on_progress(r, NULL, NULL);
    free(print_all(r));
    assert_int_equal(told.times, before.times);
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
    bad_header(S("gotrace\1........"), GOTRACE_EFORMAT, "not a Go execution trace");
    bad_header(S("go 1.24 trace\0\0\0"), GOTRACE_EVERSION, "unknown trace version go 1.24");
    bad_header(S("go 1.99 trace\0\0\0"), GOTRACE_EVERSION, "unknown trace version go 1.99");
    bad_header(S("go 1.20 trace\0\0\0"), GOTRACE_EVERSION, "unknown trace version go 1.20");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_ways_to_open_read_the_same),
        cmocka_unit_test(wall_clocks_have_any_year),
        cmocka_unit_test(progress_ends_with_the_input),
        cmocka_unit_test(printing_tells_of_a_full_disk),
        cmocka_unit_test(headers_that_are_none_are_told_apart),
        cmocka_unit_test(what_cannot_be_read_is_not_called_broken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
