/* What finish takes out of the last generation of a process that was killed in the middle of a wakeup. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <gotrace/builder.h>
#include <gotrace/reader.h>

#include "cmd/finish/cut.h"
#include "lib/wire/cursor.h"

struct batch {
    uint8_t data[256];
    size_t size;
};

static void put(struct batch *b, enum event_id id, int n, const uint64_t *args)
{
    uint8_t *p = b->data + b->size;
    b->size += (size_t)(event_put(p, (uint8_t)id, 1, args, (unsigned)n) - p);
}

#define PUT(b, id, ...) put(b, id, sizeof((uint64_t[]){__VA_ARGS__}) / 8, (const uint64_t[]){__VA_ARGS__})
#define PUT_BARE(b, id) put(b, id, 0, NULL)

static void write_trace(const char *path, const struct spool_file *f)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    struct gotrace_builder *b = gotrace_builder_new_file(22, file);
    uint64_t generation = 0;
    for (size_t i = 0; i < f->events.n; i++) {
        const struct spool_batch *v = &f->events.v[i];
        uint8_t buf[512];
        if (v->generation != generation) {
            generation = v->generation;
            assert_int_equal(gotrace_builder_generation(b, generation), 0);
            assert_int_equal(gotrace_builder_string_as(b, 1, "sync", 4), 0);
        }
        const struct batch_header h = {EV_EventBatch, 0, v->generation, v->m, v->time, v->size};
        uint8_t *p = batch_header_put(buf, &h);
        memcpy(p, v->data, v->size);
        assert_int_equal(gotrace_builder_copy(b, buf, (size_t)(p - buf) + v->size, 1000), 0);
    }
    assert_int_equal(gotrace_builder_finish(b), 0);
    gotrace_builder_free(b);
    fclose(file);
}

static bool is_accepted(const char *path)
{
    struct gotrace_reader *r = gotrace_reader_open_path(path);
    while (gotrace_reader_next(r))
        ;
    bool ok = !gotrace_reader_error(r);
    gotrace_reader_free(r);
    return ok;
}

struct fixture {
    char path[64];
    struct batch one, two, more;
    struct spool_batch v[3];
    struct spool_file f;
};

/* Thread 1 runs goroutine 1; thread 2 runs goroutine 2, blocks, and is back on a GoUnblock that nobody wrote. */
static int set_up(void **state)
{
    struct fixture *x = calloc(1, sizeof *x);
    strcpy(x->path, "/tmp/thrace-cut-XXXXXX");
    close(mkstemp(x->path));
    PUT(&x->one, EV_ProcStatus, 0, PROC_RUNNING);
    PUT(&x->one, EV_GoStatus, 1, 1, GO_RUNNING);
    PUT(&x->two, EV_ProcStatus, 1, PROC_RUNNING);
    PUT(&x->two, EV_GoStatus, 2, 2, GO_RUNNING);
    PUT(&x->two, EV_GoBlock, 1, 0);
    PUT_BARE(&x->two, EV_ProcStop);
    PUT(&x->two, EV_ProcStart, 1, 1);
    PUT(&x->two, EV_GoStart, 2, 2);
    PUT_BARE(&x->more, EV_GoDestroy);
    PUT_BARE(&x->more, EV_ProcStop);
    x->v[0] = (struct spool_batch){1, 1, 10, 0, x->one.data, x->one.size};
    x->v[1] = (struct spool_batch){1, 2, 20, 1, x->two.data, x->two.size};
    x->v[2] = (struct spool_batch){1, 2, 40, 2, x->more.data, x->more.size};
    x->f.events.v = x->v;
    x->f.events.n = 3;
    *state = x;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *x = *state;
    unlink(x->path);
    free(x);
    return 0;
}

static void what_rests_on_a_missing_event_is_cut(void **state)
{
    struct fixture *x = *state;
    write_trace(x->path, &x->f);
    assert_false(is_accepted(x->path));
    assert_int_equal(cut_unplaced(&x->f, x->path), 3);
    assert_int_equal(x->f.events.n, 2); /* the batch of which nothing is left is gone */
    assert_int_equal(x->v[0].size, x->one.size);
    write_trace(x->path, &x->f);
    assert_true(is_accepted(x->path));
    assert_int_equal(cut_unplaced(&x->f, x->path), 0);
}

static void a_good_trace_stays_as_it_is(void **state)
{
    struct fixture *x = *state;
    PUT(&x->one, EV_GoUnblock, 2, 1, 0);
    x->v[0].size = x->one.size;
    write_trace(x->path, &x->f);
    assert_true(is_accepted(x->path));
    assert_int_equal(cut_unplaced(&x->f, x->path), 0);
    assert_int_equal(x->f.events.n, 3);
}

/* A generation that was closed is complete; a fault there is a bug that must show. */
static void only_the_last_generation_is_cut(void **state)
{
    struct fixture *x = *state;
    struct batch next = {.size = 0};
    PUT(&next, EV_ProcStatus, 0, PROC_RUNNING);
    PUT(&next, EV_GoStatus, 1, 1, GO_RUNNING);
    x->v[2] = (struct spool_batch){2, 2, 100, 2, next.data, next.size}; /* of the thread that hangs */
    write_trace(x->path, &x->f);
    assert_false(is_accepted(x->path));
    size_t size = next.size;
    assert_int_equal(cut_unplaced(&x->f, x->path), 0);
    assert_int_equal(x->f.events.n, 3);
    assert_int_equal(x->v[2].size, size);
}

/* Where a loss of power took the end, all of the last generation may rest on what is missing; never the only one. */
static void a_whole_generation_can_be_cut(void **state)
{
    struct fixture *x = *state;
    assert_int_equal(cut_generation(&x->f), 0);
    assert_int_equal(x->f.events.n, 3);
    x->v[1].generation = x->v[2].generation = 2;
    assert_int_equal(cut_generation(&x->f), 8);
    assert_int_equal(x->f.events.n, 1);
    x->f.events.n = 0;
    assert_int_equal(cut_generation(&x->f), 0);
}

static void a_trace_that_the_reader_takes_is_whole(void **state)
{
    struct fixture *x = *state;
    write_trace(x->path, &x->f);
    assert_false(is_whole(x->path));
    x->f.events.n = 1;
    write_trace(x->path, &x->f);
    assert_true(is_whole(x->path));
    assert_false(is_whole("/nonexistent/trace"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_rests_on_a_missing_event_is_cut),
        TEST(a_good_trace_stays_as_it_is),
        TEST(only_the_last_generation_is_cut),
        TEST(a_whole_generation_can_be_cut),
        TEST(a_trace_that_the_reader_takes_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
