/* What a generation says of threads that do not execute: each of them once, and nothing of those that came back. */
#include "tests/unit/spool-fixture.h"

#include <stdlib.h>
#include <unistd.h>

#include "lib/wire/cursor.h"
#include "preload/recorder.h"
#include "preload/resting.h"
#include "tests/unit/records.h"

struct registry registry;
struct recorder recorder;

enum { RECORDS = 1000, IN_A_CHUNK = CHUNK_CAPACITY / SCHED_STATUS_AGAIN, GENERATION = 5, TIME = 77 };

static struct spool_fixture *fixture;
static bool all_are_waiting;

void seal_chunk(struct sched_thread *t)
{
    struct chunk *c = sched_detach_chunk(t);
    if (c)
        spool_seal(&recorder.spool, c);
}

static int set_up(void **state)
{
    spool_set_up(state);
    fixture = *state;
    recorder.spool = fixture->s;
    recorder.sched.generation = GENERATION;
    *state = make_records(RECORDS);
    resting_forget();
    all_are_waiting = false;
    return 0;
}

static int tear_down(void **state)
{
    free_records(state);
    fixture->s = recorder.spool;
    *state = fixture;
    return spool_tear_down(state);
}

/* Numbers that take a byte, and some that take three. */
static uint64_t g_of(uint32_t slot) { return slot < 100 ? slot + 1 : slot + 16000; }
static uint32_t status_of(uint32_t slot) { return all_are_waiting || slot % 3 ? GO_WAITING : GO_RUNNABLE; }

static void all_rest(void)
{
    for (uint32_t slot = 0; slot < RECORDS; slot++)
        resting_begins(slot, g_of(slot), status_of(slot));
}

static uint32_t slot_of(uint64_t g)
{
    uint32_t slot = 0;
    while (slot < RECORDS && g_of(slot) != g)
        slot++;
    assert_in_range(slot, 0, RECORDS - 1);
    return slot;
}

static const uint8_t *see_batch(const uint8_t *p, const uint8_t *end, bool said[RECORDS])
{
    uint64_t generation = 0, m = 0, time = 0, size = 0;
    assert_int_equal(*p++, EV_EventBatch);
    assert_non_null(p = varint_get(p, end, &generation));
    assert_non_null(p = varint_get(p, end, &m));
    assert_non_null(p = varint_get(p, end, &time));
    assert_non_null(p = varint_get(p, end, &size));
    assert_int_equal(generation, GENERATION);
    assert_true(m == ID_NONE);
    struct wire_cursor c = {.p = p, .end = p + size, .time = time};
    struct wire_event ev;
    while (wire_next(&c, &ev) == WIRE_EVENT) {
        uint32_t slot = slot_of(ev.args[0]);
        assert_int_equal(ev.id, EV_GoStatus);
        assert_int_equal(ev.time, TIME);
        assert_true(ev.args[1] == ID_NONE);
        assert_int_equal(ev.args[2], status_of(slot));
        assert_false(said[slot]);
        said[slot] = true;
    }
    assert_ptr_equal(c.p, p + size);
    return p + size;
}

/* Publishes what is prepared; said tells of whom that is. */
static void publish(bool said[RECORDS])
{
    static uint8_t log[RECORDS * 64];
    uint64_t before = recorder.spool.header->log_end;
    memset(said, 0, RECORDS * sizeof *said);
    resting_publish(TIME);
    spool_seal_packed(&recorder.spool);
    assert_int_equal(spool_drain(&recorder.spool, fixture->fd), 0);
    size_t size = recorder.spool.header->log_end - before;
    off_t start = SPOOL_HEADER_SIZE + (off_t)SPOOL_MAX_CHUNKS * SPOOL_CHUNK_SIZE + (off_t)before;
    assert_in_range(size, 0, sizeof log);
    assert_int_equal(pread(fixture->fd, log, size, start), size);
    for (const uint8_t *p = log; p < log + size;)
        p = see_batch(p, log + size, said);
}

static void each_is_said_once_in_each_generation(void **state)
{
    bool said[RECORDS];
    (void)state;
    all_rest();
    for (int generation = 0; generation < 3; generation++) {
        assert_true(resting_prepare());
        publish(said);
        for (uint32_t slot = 0; slot < RECORDS; slot++)
            assert_true(said[slot]);
    }
}

static void nobody_rests(void **state)
{
    (void)state;
    uint64_t before = recorder.spool.header->seal_count;
    assert_int_equal(resting_room(), 0);
    assert_true(resting_prepare());
    resting_publish(TIME);
    assert_int_equal(recorder.spool.header->seal_count, before);
}

/* The first and the last one, at both sides of the bound between two chunks, one twice, and all of the last chunk. */
static void who_comes_back_is_taken_out(void **state)
{
    static const uint32_t back[] = {0, RECORDS - 1, IN_A_CHUNK - 1, IN_A_CHUNK, IN_A_CHUNK + 1, 500, 500};
    bool said[RECORDS];
    (void)state;
    all_rest();
    assert_true(resting_prepare());
    for (size_t i = 0; i < ARRAY_SIZE(back); i++)
        resting_ends(back[i]);
    for (uint32_t slot = 2 * IN_A_CHUNK; slot < RECORDS; slot++)
        resting_ends(slot);
    for (int generation = 0; generation < 2; generation++) {
        assert_true(resting_prepare());
        publish(said);
        for (uint32_t slot = 0; slot < RECORDS; slot++) {
            bool gone = slot >= 2 * IN_A_CHUNK;
            for (size_t i = 0; i < ARRAY_SIZE(back); i++)
                gone = gone || back[i] == slot;
            assert_int_equal(said[slot], !gone);
        }
    }
}

static void all_come_back(void **state)
{
    bool said[RECORDS];
    (void)state;
    all_rest();
    assert_true(resting_prepare());
    for (uint32_t slot = 0; slot < RECORDS; slot++)
        resting_ends(slot);
    publish(said);
    for (uint32_t slot = 0; slot < RECORDS; slot++)
        assert_false(said[slot]);
    assert_int_equal(resting_room(), 0);
}

/* Who is active says itself what it is, and is to be asked again in the next generation. */
static void who_is_active_is_not_prepared(void **state)
{
    bool said[RECORDS];
    const struct thread *t = *state;
    all_rest();
    mark_active(&t[7]);
    assert_true(resting_prepare());
    publish(said);
    assert_false(said[7]);
    assert_true(said[6] && said[8]);
    unmark_active(&t[7]);
    assert_true(resting_prepare());
    publish(said);
    assert_true(said[7]);
}

/* The generation did not begin, or somebody began to rest with it. */
static void what_is_prepared_is_kept(void **state)
{
    bool said[RECORDS];
    (void)state;
    all_rest();
    resting_ends(3);
    assert_true(resting_prepare());
    resting_ends(4);
    resting_begins(3, g_of(3), status_of(3));
    assert_true(resting_prepare());
    assert_int_equal(resting_room(), 0);
    resting_ends(900);
    resting_begins(900, g_of(900), status_of(900));
    publish(said);
    for (uint32_t slot = 0; slot < RECORDS; slot++)
        assert_int_equal(said[slot], slot != 4 && slot != 900);
}

/* A process that is killed now has begun no generation. */
static void nobody_reads_it_before_it_is_published(void **state)
{
    (void)state;
    all_rest();
    assert_true(resting_prepare());
    for (uint32_t i = 0; i < recorder.spool.header->nchunks; i++)
        assert_int_equal(spool_chunk(&recorder.spool, i)->state, CHUNK_FREE);
}

static void where_the_pool_is_empty_it_goes_on_later(void **state)
{
    struct chunk *taken[SPOOL_EXTENT_CHUNKS];
    bool said[RECORDS];
    (void)state;
    all_rest();
    assert_int_equal(resting_room(), 3);
    uint32_t n = spool_take_all(&recorder.spool, taken);
    assert_false(resting_prepare());
    spool_seal(&recorder.spool, taken[--n]);
    assert_false(resting_prepare());
    assert_int_equal(resting_room(), 2);
    while (n)
        spool_seal(&recorder.spool, taken[--n]);
    assert_true(resting_prepare());
    assert_int_equal(resting_room(), 0);
    publish(said);
    for (uint32_t slot = 0; slot < RECORDS; slot++)
        assert_true(said[slot]);
}

/* --- who waits is put to rest ------------------------------------------------------------------------------------- */

/* All are active, and wait; each slot of a wait is blocked. */
static void all_wait(struct thread *t, struct wait_slot *slots)
{
    all_are_waiting = true;
    for (uint32_t i = 0; i < RECORDS; i++) {
        t[i].sched.g = g_of(i);
        sched_track(&t[i].sched, GO_WAITING);
        if (i % 2) {
            slots[i] = (struct wait_slot){.word = WAIT_BLOCKED};
            t[i].wait = &slots[i];
        }
        mark_active(&t[i]);
    }
}

static void who_waits_is_put_to_rest(void **state)
{
    enum { RUNS = 2, IS_RUNNABLE = 5, IS_INSIDE = 700, CLAIMED = 7, WOKEN = 9, WOKEN_ALONE = 10, CAME_EARLY = 11 };
    static struct wait_slot slots[RECORDS];
    struct thread *t = *state;
    bool said[RECORDS];
    all_wait(t, slots);
    sched_track(&t[RUNS].sched, GO_RUNNING);
    sched_track(&t[IS_RUNNABLE].sched, GO_RUNNABLE);
    t[IS_INSIDE].writer.writing = 1;
    slots[CLAIMED].word = WAIT_CLAIMED;
    slots[WOKEN].word = WAIT_WOKEN;
    t[WOKEN_ALONE].woken = WOKEN_NOW;
    slots[CAME_EARLY].word = WAIT_EARLY;
    put_to_rest();
    put_to_rest(); /* once more: some are at rest already */
    publish(said);
    for (uint32_t i = 0; i < RECORDS; i++) {
        bool stays = i == RUNS || i == IS_RUNNABLE || i == IS_INSIDE || i == CLAIMED || i == WOKEN || i == WOKEN_ALONE;
        assert_int_equal(is_active(&t[i]), stays);
        assert_int_equal(said[i], !stays);
        assert_int_equal(t[i].writer.held, 0);
    }
}

/* What they wrote is handed in, and only then. */
static void their_chunks_are_handed_in(void **state)
{
    static struct wait_slot slots[RECORDS];
    struct thread *t = *state;
    all_wait(t, slots);
    for (int i = 0; i < 2; i++)
        sched_attach_chunk(&recorder.sched, &t[i].sched, spool_take(&recorder.spool), 1);
    sched_track(&t[1].sched, GO_RUNNING);
    put_to_rest();
    assert_null(t[0].sched.chunk);
    assert_non_null(t[1].sched.chunk);
}

/* Who came back, and waits again. */
static void who_rested_before_is_said_once(void **state)
{
    static struct wait_slot slots[RECORDS];
    struct thread *t = *state;
    bool said[RECORDS];
    all_rest();
    assert_true(resting_prepare());
    mark_active(&t[1]);
    t[1].sched.g = g_of(1);
    sched_track(&t[1].sched, GO_WAITING);
    t[1].wait = &slots[1];
    slots[1].word = WAIT_BLOCKED;
    put_to_rest();
    publish(said);
    for (uint32_t i = 0; i < RECORDS; i++)
        assert_true(said[i]);
}

static void nobody_is_put_to_rest_where_the_pool_is_empty(void **state)
{
    static struct wait_slot slots[RECORDS];
    struct chunk *taken[SPOOL_EXTENT_CHUNKS];
    struct thread *t = *state;
    all_wait(t, slots);
    uint32_t n = spool_take_all(&recorder.spool, taken);
    put_to_rest();
    assert_int_equal(count_active(), RECORDS);
    assert_int_equal(resting_room(), 0);
    while (n)
        spool_seal(&recorder.spool, taken[--n]);
    put_to_rest();
    assert_int_equal(count_active(), 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_is_said_once_in_each_generation),
        TEST(nobody_rests),
        TEST(who_comes_back_is_taken_out),
        TEST(all_come_back),
        TEST(who_is_active_is_not_prepared),
        TEST(what_is_prepared_is_kept),
        TEST(nobody_reads_it_before_it_is_published),
        TEST(where_the_pool_is_empty_it_goes_on_later),
        TEST(who_waits_is_put_to_rest),
        TEST(their_chunks_are_handed_in),
        TEST(who_rested_before_is_said_once),
        TEST(nobody_is_put_to_rest_where_the_pool_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
