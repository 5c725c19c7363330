/* Small chunks share one, of their generation, and nobody waits for that. */
#include "tests/unit/spool-fixture.h"

static void small_chunks_share_one(void **state)
{
    struct spool_fixture *f = *state;
    for (uint64_t n = 0; n < 20; n++) {
        struct chunk *c = spool_fill(&f->s, n, n, SMALL);
        if (n == 7)
            spool_fill_meta(c, 10);
        spool_seal(&f->s, c);
    }
    assert_int_equal(f->s.nfree, SPOOL_EXTENT_CHUNKS - 1);
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    assert_string_equal(spool_log_text(f), ""); /* it is still being filled */
    spool_seal_packed(&f->s);
    spool_seal_packed(&f->s);
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    assert_string_equal(spool_log_text(f), "0/0 1/1 2/2 3/3 4/4 5/5 6/6 7/7 7/7* 8/8 9/9 10/10 11/11 12/12 13/13 14/14 "
                                           "15/15 16/16 17/17 18/18 19/19");
    assert_int_equal(f->s.nfree, SPOOL_EXTENT_CHUNKS);
}

static void a_shared_chunk_is_of_one_generation(void **state)
{
    struct spool_fixture *f = *state;
    struct log_batch v[3];
    for (uint64_t gen = 1; gen <= 3; gen++) {
        struct chunk *c = spool_fill(&f->s, 1, gen, SMALL);
        c->generation = gen;
        spool_seal(&f->s, c);
    }
    assert_int_equal(f->s.packing->generation, 3);
    spool_seal_packed(&f->s);
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    assert_int_equal(spool_read_log(f, v, 3), 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(v[i].generation, i + 1);
}

static void many_small_chunks_fill_several(void **state)
{
    struct spool_fixture *f = *state;
    static struct log_batch v[1000];
    for (uint64_t n = 0; n < 1000; n++)
        spool_seal_filled(&f->s, n, 1, SMALL + (uint32_t)n % 400);
    spool_seal_packed(&f->s);
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    assert_int_equal(spool_read_log(f, v, ARRAY_SIZE(v)), 1000);
    for (uint64_t n = 0; n < 1000; n++) {
        assert_int_equal(v[n].m, n);
        assert_int_equal(v[n].size, SMALL + n % 400);
    }
    assert_int_equal(f->s.nfree, SPOOL_EXTENT_CHUNKS);
}

static void with_no_chunk_to_share_it_goes_alone(void **state)
{
    struct spool_fixture *f = *state;
    struct chunk *v[SPOOL_EXTENT_CHUNKS], *small = spool_fill(&f->s, 1, 1, SMALL);
    spool_take_all(&f->s, v);
    spool_seal(&f->s, small);
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    assert_string_equal(spool_log_text(f), "1/1");
}

/* A thread torn out of spool_seal, by cancellation say, keeps the lock for ever. */
static void nobody_waits_for_who_was_torn_out_of_packing(void **state)
{
    struct spool_fixture *f = *state;
    spool_seal_filled(&f->s, 1, 1, SMALL);
    f->s.pack_lock.word = 1;
    spool_seal_filled(&f->s, 1, 2, SMALL);
    spool_seal_packed(&f->s);
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    assert_string_equal(spool_log_text(f), "1/2");
    assert_int_equal(f->s.packing->state, CHUNK_OPEN); /* finish reads it there */
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, spool_set_up, spool_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(small_chunks_share_one),
        TEST(a_shared_chunk_is_of_one_generation),
        TEST(many_small_chunks_fill_several),
        TEST(with_no_chunk_to_share_it_goes_alone),
        TEST(nobody_waits_for_who_was_torn_out_of_packing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
