/* Threads that take, seal and drain at once: no chunk has two owners, nothing is lost or doubled. */
#include "tests/unit/spool-fixture.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

/* Taken two at a time and given back the other way round: what a list that came back would do wrong (ABA). */
enum { SWAPPERS = 4, SWAPS = 30000 };

static uint32_t taken_twice;

static void *swap_many(void *p)
{
    struct spool *s = p;
    for (int i = 0; i < SWAPS; i++) {
        struct chunk *c[2] = {spool_take(s), NULL};
        c[1] = c[0] ? spool_take(s) : NULL;
        for (int j = 0; j < 2; j++)
            if (c[j] && __atomic_exchange_n(&c[j]->m, 1, __ATOMIC_RELAXED))
                __atomic_fetch_add(&taken_twice, 1, __ATOMIC_RELAXED);
        for (int j = 0; j < 2; j++) {
            if (!c[j])
                continue;
            __atomic_store_n(&c[j]->m, 0, __ATOMIC_RELAXED);
            spool_seal(s, c[j]);
        }
    }
    return NULL;
}

static void no_chunk_has_two_owners(void **state)
{
    struct spool_fixture *f = *state;
    pthread_t threads[SWAPPERS];
    for (int i = 0; i < SPOOL_EXTENT_CHUNKS - 6; i++)
        assert_non_null(spool_take(&f->s));
    for (int i = 0; i < SWAPPERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, swap_many, &f->s), 0);
    for (int i = 0; i < SWAPPERS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(taken_twice, 0);
    assert_int_equal(f->s.nfree, 6);
    for (int i = 0; i < 6; i++)
        assert_non_null(spool_take(&f->s));
    assert_null(spool_take(&f->s));
}

enum { SEALERS = 4, CHUNKS_EACH = 1500 };

struct sealer {
    struct spool *s;
    uint64_t m;
};

static void *seal_many(void *p)
{
    const struct sealer *me = p;
    for (uint64_t n = 0; n < CHUNKS_EACH; n++) {
        struct chunk *c;
        while (!(c = spool_fill(me->s, me->m, n, n % 3 ? LARGE : SMALL)))
            sched_yield();
        spool_seal(me->s, c);
    }
    return NULL;
}

struct drainer {
    struct spool_fixture *f;
    int readonly;
    uint32_t done;
};

static void *drain_often(void *p)
{
    struct drainer *d = p;
    for (unsigned i = 0; !__atomic_load_n(&d->done, __ATOMIC_ACQUIRE); i++) {
        if (i % 8 == 0)
            spool_drain(&d->f->s, d->readonly); /* fails, and loses nothing */
        spool_drain(&d->f->s, d->f->fd);
        sched_yield();
    }
    return NULL;
}

static void nothing_is_lost_or_doubled_between_threads(void **state)
{
    struct spool_fixture *f = *state;
    pthread_t threads[SEALERS], drains[2];
    struct sealer who[SEALERS];
    struct drainer d = {f, open(f->path, O_RDONLY), 0};
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&drains[i], NULL, drain_often, &d), 0);
    for (uint64_t i = 0; i < SEALERS; i++) {
        who[i] = (struct sealer){&f->s, i};
        assert_int_equal(pthread_create(&threads[i], NULL, seal_many, &who[i]), 0);
    }
    for (int i = 0; i < SEALERS; i++)
        pthread_join(threads[i], NULL);
    __atomic_store_n(&d.done, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < 2; i++)
        pthread_join(drains[i], NULL);
    close(d.readonly);
    spool_seal_packed(&f->s);
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    static struct log_batch v[SEALERS * CHUNKS_EACH];
    static uint8_t seen[SEALERS][CHUNKS_EACH];
    uint64_t next_large[SEALERS] = {0};
    assert_int_equal(spool_read_log(f, v, ARRAY_SIZE(v)), ARRAY_SIZE(v));
    for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
        assert_int_equal(seen[v[i].m][v[i].time]++, 0);
        if (v[i].size != LARGE)
            continue;
        assert_true(v[i].time >= next_large[v[i].m]);
        next_large[v[i].m] = v[i].time;
    }
    assert_int_equal(f->s.nfree, SPOOL_EXTENT_CHUNKS);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, spool_set_up, spool_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(no_chunk_has_two_owners),
        TEST(nothing_is_lost_or_doubled_between_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
