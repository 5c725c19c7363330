/* What thrace finish finds in a spool: everything that was committed, in order. */
#include "lib/meta.h"
#include "tests/unit/spool-found.h"

static void an_empty_spool_has_nothing(void **state) { assert_found(*state, "", ""); }

static void log_and_pool_are_found_in_order(void **state)
{
    struct spool_fixture *f = *state;
    struct chunk *c;
    for (uint64_t n = 1; n <= 3; n++) {
        c = spool_fill(&f->s, 7, n, LARGE);
        spool_fill_meta(c, 9);
        spool_seal(&f->s, c);
    }
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    spool_seal_filled(&f->s, 7, 4, LARGE); /* full, not drained */
    spool_seal_filled(&f->s, 8, 4, LARGE);
    c = spool_fill(&f->s, 7, 5, 20); /* open */
    spool_fill_meta(c, 5);
    spool_fill(&f->s, 9, 6, 0); /* open, and nothing in it */
    assert_found(f, "1:7/1 1:7/2 1:7/3 1:7/4 1:8/4 1:7/5", "1:7/1 1:7/2 1:7/3 1:7/5");
}

static void the_contents_are_what_was_written(void **state)
{
    struct spool_fixture *f = *state;
    struct spool_file file;
    struct chunk *c = spool_fill(&f->s, 7, 1, 0);
    memcpy(c->data, "abc", 3);
    c->used = 3;
    chunk_meta_append(c, (const uint8_t *)"one", 3);
    chunk_meta_append(c, (const uint8_t *)"two.", 4);
    assert_null(open_spool(&file, f->path));
    assert_int_equal(file.events.n, 1);
    assert_int_equal(file.events.v[0].size, 3);
    assert_memory_equal(file.events.v[0].data, "abc", 3);
    assert_int_equal(file.meta.n, 1);
    assert_int_equal(file.meta.v[0].size, 7);
    assert_memory_equal(file.meta.v[0].data, "two.one", 7);
    spool_file_close(&file);
}

static void generations_are_kept_apart(void **state)
{
    struct spool_fixture *f = *state;
    for (uint64_t n = 1; n <= 6; n++) {
        struct chunk *c = spool_fill(&f->s, n, 10 - n, n % 2 ? LARGE : SMALL);
        c->generation = 1 + n / 3;
        spool_seal(&f->s, c);
        if (n == 4)
            assert_int_equal(spool_drain(&f->s, f->fd), 0);
    }
    assert_found(f, "1:2/8 1:1/9 2:5/5 2:4/6 2:3/7 3:6/4", "");
}

/* Two chunks of a thread may begin at the same time: then it's the order of filling that counts. */
static void order_does_not_hang_on_the_time(void **state)
{
    struct spool_fixture *f = *state;
    struct spool_file file;
    for (uint8_t n = 0; n < 10; n++) {
        struct chunk *c = spool_fill(&f->s, 7, 5, LARGE);
        c->data[0] = n;
        spool_seal(&f->s, c);
        if (n == 4)
            assert_int_equal(spool_drain(&f->s, f->fd), 0);
    }
    spool_fill(&f->s, 7, 5, SMALL)->data[0] = 10;
    assert_null(open_spool(&file, f->path));
    assert_int_equal(file.events.n, 11);
    for (uint8_t n = 0; n < 11; n++)
        assert_int_equal(file.events.v[n].data[0], n);
    spool_file_close(&file);
}

static void shared_chunks_are_taken_apart(void **state)
{
    struct spool_fixture *f = *state;
    for (uint64_t n = 1; n <= 3; n++)
        spool_seal_filled(&f->s, n, n, SMALL); /* in a shared chunk that stays open */
    assert_found(f, "1:1/1 1:2/2 1:3/3", "");
    spool_seal_packed(&f->s);
    assert_found(f, "1:1/1 1:2/2 1:3/3", "");
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    assert_found(f, "1:1/1 1:2/2 1:3/3", "");
}

/* --- after a kill ------------------------------------------------------------------------------------------------- */

static void killed_between_packing_and_freeing(void **state)
{
    struct spool_fixture *f = *state;
    struct chunk *c = spool_fill(&f->s, 3, 3, SMALL);
    spool_fill_meta(c, 9);
    uint32_t used = c->used, meta = c->meta_used;
    spool_seal(&f->s, c);
    c->state = CHUNK_OPEN;
    c->used = used;
    c->meta_used = meta;
    assert_found(f, "1:3/3", "1:3/3");
    c->data[0]++; /* of the same time, but another one */
    assert_found(f, "1:3/3 1:3/3", "1:3/3");
}

static void killed_before_the_log_was_extended(void **state)
{
    struct spool_fixture *f = *state;
    spool_seal_filled(&f->s, 1, 1, LARGE);
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    uint64_t end = f->s.header->log_end;
    struct chunk *c = spool_fill(&f->s, 1, 2, LARGE);
    spool_seal(&f->s, c);
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    c->state = CHUNK_FULL; /* the bytes are in the log, but the log doesn't say so yet */
    f->s.header->log_end = end;
    assert_found(f, "1:1/1 1:1/2", "");
}

static void killed_after_the_log_was_extended(void **state)
{
    struct spool_fixture *f = *state;
    struct chunk *c = spool_fill(&f->s, 1, 2, LARGE);
    spool_seal(&f->s, c);
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    c->state = CHUNK_FULL; /* in the log, but not in the free list yet */
    assert_found(f, "1:1/2", "");
}

/* What a flight recorder has forgotten may still lie in the pool. */
static void generations_before_the_first_are_gone(void **state)
{
    struct spool_fixture *f = *state;
    for (uint64_t n = 1; n <= 3; n++) {
        struct chunk *c = spool_fill(&f->s, 7, n, LARGE);
        c->generation = n;
        spool_fill_meta(c, 9);
        spool_seal(&f->s, c);
    }
    assert_found(f, "1:7/1 2:7/2 3:7/3", "1:7/1 2:7/2 3:7/3");
    f->s.header->first_generation = 2;
    assert_found(f, "2:7/2 3:7/3", "2:7/2 3:7/3");
}

static void what_is_not_committed_is_not_there(void **state)
{
    struct spool_fixture *f = *state;
    struct spool_file file;
    struct chunk *c = spool_fill(&f->s, 1, 1, 30);
    memset(c->data + 30, 0xff, 100);
    assert_null(open_spool(&file, f->path));
    assert_int_equal(file.events.v[0].size, 30);
    spool_file_close(&file);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, spool_set_up, spool_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_empty_spool_has_nothing),
        TEST(log_and_pool_are_found_in_order),
        TEST(the_contents_are_what_was_written),
        TEST(generations_are_kept_apart),
        TEST(order_does_not_hang_on_the_time),
        TEST(shared_chunks_are_taken_apart),
        TEST(killed_between_packing_and_freeing),
        TEST(killed_before_the_log_was_extended),
        TEST(killed_after_the_log_was_extended),
        TEST(generations_before_the_first_are_gone),
        TEST(what_is_not_committed_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
