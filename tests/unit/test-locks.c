/* How long locks were held: classes of lengths, and what is reckoned from them. */
#include "tests/unit/unit.h"

#include "cmd/finish/locks.h"

static void every_length_has_its_class(void **state)
{
    assert_int_equal(lock_bucket(0), 0);
    for (unsigned i = 1; i < LOCK_BUCKETS; i++) {
        assert_int_equal(lock_bucket(lock_bucket_begin(i)), i);
        assert_int_equal(lock_bucket(lock_bucket_begin(i) - 1), i - 1);
    }
    assert_int_equal(lock_bucket(UINT64_MAX), LOCK_BUCKETS - 1);
}

static void percentiles_are_reckoned_within_a_class(void **state)
{
    struct rec_lock l = {.longest = 1000};
    assert_int_equal(rec_lock_percentile(&l, 50), 1000); /* there are none */
    unsigned bucket = lock_bucket(64);
    l.holds[bucket] = 100; /* 64 to 96 */
    assert_int_equal(rec_lock_percentile(&l, 50), 80);
    assert_int_equal(rec_lock_percentile(&l, 99), 64 + 32 * 99 / 100);
    l.holds[lock_bucket(768)] = 100; /* to 1024 */
    assert_int_equal(rec_lock_percentile(&l, 50), 96);
    assert_int_equal(rec_lock_percentile(&l, 75), 768 + 128);
    assert_int_equal(rec_lock_percentile(&l, 99), 1000); /* none was longer */
}

static void counts_become_nanoseconds(void **state)
{
    struct rec_locks l = {.n = 0};
    struct spool_header *h = calloc(1, sizeof *h);
    assert_non_null(h);
    h->clock.shift = 6;
    h->locks.counted = 1;
    h->locks.others = 2;
    h->locks.missed = 3;
    rec_locks_init(&l, h, 50000000); /* ticks of 20 ns, each of 64 counts */
    assert_true(l.ns > 0.3124 && l.ns < 0.3126);
    assert_true(l.counted);
    assert_int_equal(l.others, 2);
    assert_int_equal(l.missed, 3);
    free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_length_has_its_class),
        cmocka_unit_test(percentiles_are_reckoned_within_a_class),
        cmocka_unit_test(counts_become_nanoseconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
