/* Stretches of threads become rows of the table turns, and the view spans has them again, in whatever order. */
#include "config.h"

#include "tests/unit/unit.h"

#ifdef HAVE_SQLITE

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/export/turn_batch.h"
#include "gotrace/gotrace.h"

static const char schema[] = {
#include "cmd/export/sqlite_sql.h"
    0};

enum { RUNNING = GOTRACE_STATE_RUNNING, RUNNABLE = GOTRACE_STATE_RUNNABLE, WAITING = GOTRACE_STATE_WAITING };

struct database {
    sqlite3 *db;
    struct turn_batch *turns;
};

static struct database begin(void)
{
    struct database d = {.turns = calloc(1, sizeof *d.turns)};
    char states[160];
    snprintf(states, sizeof states, "INSERT INTO states VALUES (%d, 'running'), (%d, 'runnable'), (%d, 'waiting')",
             RUNNING, RUNNABLE, WAITING);
    assert_int_equal(sqlite3_open(":memory:", &d.db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(d.db, schema, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(d.db, states, NULL, NULL, NULL), SQLITE_OK);
    assert_true(turn_batch_open(d.turns, d.db));
    return d;
}

static void end(struct database *d)
{
    turn_batch_close(d->turns);
    assert_int_equal(sqlite3_close(d->db), SQLITE_OK);
    free(d->turns);
}

static void add(struct database *d, uint32_t place, struct turn_span s)
{
    s.thread = place + 1;
    assert_int_equal(turn_batch_add(d->turns, place, &s), TURN_ADDED);
}

/* The one row of a query, all ends told; NULL is "-". */
static void has(struct database *d, const char *query, const char *wanted)
{
    char got[512] = "";
    sqlite3_stmt *s;
    for (uint32_t place = 0; place < 4; place++)
        assert_true(turn_batch_end(d->turns, place));
    assert_true(turn_batch_flush(d->turns));
    assert_int_equal(sqlite3_prepare_v2(d->db, query, -1, &s, NULL), SQLITE_OK);
    while (sqlite3_step(s) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(s); i++) {
            const char *text = (const char *)sqlite3_column_text(s, i);
            size_t n = strlen(got);
            snprintf(got + n, sizeof got - n, "%s%s", i ? " " : n ? "; " : "", text ? text : "-");
        }
    }
    sqlite3_finalize(s);
    assert_string_equal(got, wanted);
}

static const char turns_of[] = "SELECT begin_ns, running_ns, state, duration_ns, runnable_ns FROM turns ORDER BY id";
static const char spans_of[] = "SELECT state, begin_ns, duration_ns, began FROM spans ORDER BY begin_ns, id";

/* A stretch that the trace has the beginning of. */
static struct turn_span is_in(int64_t state, int64_t begin, int64_t ns)
{
    return (struct turn_span){.state = state, .begin = begin, .ns = ns, .began = true};
}

static void test_three_in_a_row(void **state)
{
    (void)state;
    struct database d = begin();
    struct turn_span wait = {1, WAITING, 15, 0, 1, 3, 2, 4, 5, true, false}, may_go_on = is_in(RUNNABLE, 15, 7);
    may_go_on.reason = 6;
    may_go_on.stack = 8;
    add(&d, 0, is_in(RUNNING, 10, 5));
    add(&d, 0, wait);
    add(&d, 0, may_go_on);
    has(&d, turns_of, "10 5 4 0 7");
    has(&d, "SELECT thread, began, call, runnable_reason, runnable_stack FROM turns", "1 1 0 6 8");
    has(&d, spans_of, "3 10 5 1; 4 15 0 1; 2 15 7 1");
    has(&d, "SELECT reason, stack, object, waker, waker_stack FROM spans ORDER BY id",
        "- - - - -; 1 3 2 4 5; 6 8 - - -");
    end(&d);
}

static void test_each_thread_has_its_own(void **state)
{
    (void)state;
    struct database d = begin();
    add(&d, 2, is_in(RUNNING, 0, 5));
    add(&d, 0, is_in(RUNNING, 0, 6));
    add(&d, 2, is_in(WAITING, 5, 9));
    add(&d, 0, is_in(WAITING, 6, 2));
    has(&d, "SELECT thread, running_ns, duration_ns FROM turns ORDER BY thread", "1 6 2; 3 5 9");
    end(&d);
}

static void test_what_comes_again_begins_a_row(void **state)
{
    (void)state;
    struct database d = begin();
    add(&d, 0, is_in(RUNNING, 0, 5));
    add(&d, 0, is_in(RUNNING, 5, 1));
    add(&d, 0, is_in(WAITING, 6, 4));
    add(&d, 0, is_in(WAITING, 10, 2));
    add(&d, 0, is_in(RUNNABLE, 12, 3));
    add(&d, 0, is_in(RUNNABLE, 15, 1));
    add(&d, 0, is_in(RUNNING, 16, 8));
    has(&d, turns_of, "0 5 - - -; 5 1 4 4 -; 10 - 4 2 3; 15 - - - 1; 16 8 - - -");
    has(&d, spans_of, "3 0 5 1; 3 5 1 1; 4 6 4 1; 4 10 2 1; 2 12 3 1; 2 15 1 1; 3 16 8 1");
    end(&d);
}

/* As where a filter leaves stretches out. */
static void test_a_gap_begins_a_row(void **state)
{
    (void)state;
    struct database d = begin();
    add(&d, 0, is_in(RUNNING, 0, 5));
    add(&d, 0, is_in(WAITING, 6, 4));
    add(&d, 0, is_in(RUNNABLE, 20, 4));
    has(&d, spans_of, "3 0 5 1; 4 6 4 1; 2 20 4 1");
    has(&d, turns_of, "0 5 - - -; 6 - 4 4 -; 20 - - - 4");
    end(&d);
}

static void test_only_the_first_had_begun_before(void **state)
{
    (void)state;
    struct database d = begin();
    struct turn_span before = is_in(WAITING, 0, 3), unknown = is_in(RUNNABLE, 9, 1);
    before.began = unknown.began = false;
    add(&d, 0, before);
    add(&d, 0, is_in(RUNNABLE, 3, 2));
    add(&d, 0, is_in(RUNNING, 5, 4));
    add(&d, 0, unknown);
    has(&d, spans_of, "4 0 3 0; 2 3 2 1; 3 5 4 1; 2 9 1 0");
    end(&d);
}

/* What the columns of the first and the last part have no place for. */
static void test_with_more_it_is_in_the_middle(void **state)
{
    (void)state;
    struct database d = begin();
    struct turn_span with_stack = is_in(RUNNING, 0, 3), woken = is_in(RUNNABLE, 3, 2), call = is_in(RUNNABLE, 5, 1);
    with_stack.stack = 7;
    woken.waker = 2;
    call.call = true;
    add(&d, 0, with_stack);
    add(&d, 0, woken);
    add(&d, 0, call);
    has(&d, "SELECT state, duration_ns, stack, waker, call FROM turns ORDER BY id", "3 3 7 - 0; 2 2 - 2 0; 2 1 - - 1");
    end(&d);
}

static void test_more_than_a_batch(void **state)
{
    (void)state;
    struct database d = begin();
    for (int i = 0; i < 3 * TURN_BATCH; i++)
        add(&d, 0, is_in(RUNNING, i, 1));
    has(&d, "SELECT count(*), min(begin_ns), max(begin_ns), sum(running_ns) FROM turns", "1536 0 1535 1536");
    end(&d);
}

static void test_the_next_thread_at_a_place_has_its_own_rows(void **state)
{
    (void)state;
    struct database d = begin();
    struct turn_span s = is_in(RUNNING, 0, 3);
    add(&d, 0, s);
    assert_true(turn_batch_end(d.turns, 0));
    s = is_in(WAITING, 3, 1);
    s.thread = 9;
    assert_int_equal(turn_batch_add(d.turns, 0, &s), TURN_ADDED);
    has(&d, "SELECT thread, running_ns, duration_ns FROM turns ORDER BY id", "1 3 -; 9 - 1");
    end(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_three_in_a_row),
        cmocka_unit_test(test_each_thread_has_its_own),
        cmocka_unit_test(test_what_comes_again_begins_a_row),
        cmocka_unit_test(test_a_gap_begins_a_row),
        cmocka_unit_test(test_only_the_first_had_begun_before),
        cmocka_unit_test(test_with_more_it_is_in_the_middle),
        cmocka_unit_test(test_more_than_a_batch),
        cmocka_unit_test(test_the_next_thread_at_a_place_has_its_own_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void test_nothing_is_built(void **state)
{
    (void)state;
    skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nothing_is_built)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
