/* What is found of conditions, pipes and threads in small traces: each pattern, and what looks nearly like it. */
#include "tests/parser/findings.h"

/* ---- conditions ------------------------------------------------------------------------------------------------- */

/* 1 wakes 2 to 6 by a broadcast; the first `futile` of them wait again at once, the others are in a call first. */
static uint64_t broadcasts(struct made *m, int n, uint64_t futile)
{
    uint64_t at = 1 * MS, wait = stack(m, "condition c", "pthread_cond_wait", "next", 5, "worker");
    for (uint64_t g = 2; g <= 6; g++)
        block(m, g, at + g * US, "sync.(*Cond).Wait", wait);
    for (int i = 0; i < n; i++) {
        at += 1 * MS;
        for (uint64_t g = 2; g <= 6; g++)
            wake(m, 1, g, at + g * 10, stack(m, NULL, "pthread_cond_broadcast", "submit", 8, "main"));
        for (uint64_t g = 2; g <= 6; g++) {
            uint64_t from = at + 10 * US * g;
            start(m, g, from);
            if (g - 2 >= futile)
                call(m, g, from + 2 * US, from + 3 * US, stack(m, NULL, "write", "work", 12, "worker"));
            block(m, g, from + 5 * US, "sync.(*Cond).Wait", wait);
        }
    }
    return at + 1 * MS;
}

static size_t herds(int n, uint64_t futile, uint64_t rest, enum finding_kind kind, struct finding *it)
{
    struct made m = begin(6);
    uint64_t end = broadcasts(&m, n, futile);
    return found(&m, end + rest, kind, it);
}

static void herd(void **state)
{
    struct finding it;
    (void)state;
    assert_int_equal(herds(10, 4, 0, FINDING_HERD, &it), 1);
    assert_int_equal(it.n, 10);
    assert_int_equal(it.m, 50);
    assert_int_equal(it.time, 40);
    assert_int_equal(herds(9, 4, 0, FINDING_HERD, &it), 0);
    assert_int_equal(herds(50, 5, 0, FINDING_HERD, &it), 0); /* there may be little to do for all */
    assert_int_equal(herds(50, 3, 0, FINDING_HERD, &it), 0);
    assert_int_equal(herds(50, 3, 0, FINDING_FUTILE, &it), 1);
    assert_int_equal(herds(13, 3, 0, FINDING_FUTILE, &it), 0);         /* 39 wakeups in vain */
    assert_int_equal(herds(50, 2, 0, FINDING_FUTILE, &it), 0);         /* most had something to do */
    assert_int_equal(herds(50, 3, 3100 * (uint64_t)MS, FINDING_FUTILE, &it), 0); /* it happens too rarely */
}

/* A signal wakes one, again and again, who has next to nothing to do; so it is no herd. */
static void a_pool_with_little_to_do(void **state)
{
    struct finding it;
    (void)state;
    struct made m = begin(2);
    uint64_t at = 1 * MS, wait = stack(&m, "condition c", "pthread_cond_wait", "next", 5, "worker");
    block(&m, 2, at, "sync.(*Cond).Wait", wait);
    for (int i = 0; i < 100; i++) {
        at += 1 * MS;
        wake(&m, 1, 2, at, stack(&m, NULL, "pthread_cond_signal", "submit", 8, "main"));
        start(&m, 2, at + 20 * US);
        block(&m, 2, at + 22 * US, "sync.(*Cond).Wait", wait);
    }
    assert_int_equal(found(&m, at + 1 * MS, FINDING_FUTILE, &it), 0);
}

/* 1 signals and is in a call then; 2 goes on after that, or before. */
static uint64_t signals(struct made *m, int n, uint64_t goes_on)
{
    uint64_t at = 1 * MS;
    for (int i = 0; i < n; i++, at += 100 * MS) {
        block(m, 2, at, "sync.(*Cond).Wait", stack(m, "condition c", "pthread_cond_wait", "next", 5, "worker"));
        wake(m, 1, 2, at + 10 * MS, stack(m, NULL, "pthread_cond_signal", "submit", 8, "main"));
        EVENT(m, 1, at + 11 * MS, GoSyscallBegin, ++m->calls[1], stack(m, NULL, "fsync", "save", 11, "main"));
        if (goes_on < 61 * MS)
            start(m, 2, at + goes_on);
        EVENT(m, 1, at + 61 * MS, GoSyscallEnd);
        if (goes_on > 61 * MS)
            start(m, 2, at + goes_on);
    }
    return at;
}

static void signalled_with_the_mutex_held(void **state)
{
    struct finding it;
    (void)state;
    struct made m = begin(2);
    uint64_t end = signals(&m, 5, 62 * MS);
    assert_int_equal(found(&m, end, FINDING_MUTEX_HELD, &it), 1);
    assert_int_equal(it.m, 5);
    assert_int_equal(it.part, 250 * MS);
    m = begin(2);
    end = signals(&m, 4, 62 * MS);
    assert_int_equal(found(&m, end, FINDING_MUTEX_HELD, &it), 0);
    m = begin(2);
    end = signals(&m, 5, 30 * MS);
    assert_int_equal(found(&m, end, FINDING_MUTEX_HELD, &it), 0);
}

/* Several that wait for the mutex during one call of who keeps it wait at the same time. */
static void broadcast_with_the_mutex_held(void **state)
{
    struct finding it;
    (void)state;
    struct made m = begin(4);
    uint64_t at = 1 * MS, wait = stack(&m, "condition c", "pthread_cond_wait", "next", 5, "worker");
    for (int i = 0; i < 5; i++, at += 100 * MS) {
        for (uint64_t g = 2; g <= 4; g++) {
            block(&m, g, at, "sync.(*Cond).Wait", wait);
            wake(&m, 1, g, at + 10 * MS + g, stack(&m, NULL, "pthread_cond_broadcast", "submit", 8, "main"));
            start(&m, g, at + 62 * MS + g);
        }
        call(&m, 1, at + 11 * MS, at + 61 * MS, stack(&m, NULL, "fsync", "save", 11, "main"));
    }
    assert_int_equal(found(&m, at, FINDING_MUTEX_HELD, &it), 1);
    assert_int_equal(it.m, 15);
    assert_int_equal(it.part, 750 * MS);
    assert_int_equal(it.cost, 250 * MS);
}

/* The call before the signal is in what `outer` calls, which signals. */
static size_t late(const char *outer, struct finding *it)
{
    struct made m = begin(2);
    uint64_t at = 1 * MS;
    for (int i = 0; i < 4; i++, at += 100 * MS) {
        block(&m, 2, at, "sync.(*Cond).Wait", stack(&m, "condition c", "pthread_cond_wait", "next", 5, "worker"));
        call(&m, 1, at + 10 * MS, at + 80 * MS, deep(&m, "fsync", "save", 20, outer));
        wake(&m, 1, 2, at + 81 * MS, stack(&m, NULL, "pthread_cond_signal", "publish", 22, "loader"));
        start(&m, 2, at + 82 * MS);
    }
    return found(&m, at, FINDING_LATE_SIGNAL, it);
}

static void signalled_late(void **state)
{
    struct finding it;
    (void)state;
    assert_int_equal(late("publish", &it), 1);
    assert_int_equal(it.n, 4);
    assert_int_equal(it.part, 280 * MS);
    assert_int_equal(late("prepare", &it), 0); /* it is something else that it does, too */
}

/* ---- threads ---------------------------------------------------------------------------------------------------- */

/* n execute all the time, and one of them is sampled. */
static size_t crowded(uint64_t n, uint64_t processors)
{
    struct finding it;
    struct made m = begin(n);
    gomaxprocs(&m, processors);
    sample(&m, 5 * MS, 2, "draw");
    size_t is = found(&m, 100 * MS, FINDING_CROWD, &it);
    if (is) {
        assert_int_equal(it.n, n);
        assert_int_equal(it.m, processors);
    }
    return is;
}

static void crowd(void **state)
{
    (void)state;
    assert_int_equal(crowded(4, 2), 1);
    assert_int_equal(crowded(3, 2), 0);
    assert_int_equal(crowded(2, 1), 0);
    assert_int_equal(crowded(3, 1), 1);
}

/* 1 fills a pipe that 2 reads slowly, or as slowly as it is filled. */
static size_t pipes(bool balanced, struct finding *it)
{
    struct made m = begin(2);
    uint64_t at = 1 * MS;
    for (int i = 0; i < 5; i++, at += 100 * MS) {
        block(&m, 1, at, "chan send", stack(&m, "pipe 7", "write", "fill", 3, "producer"));
        call(&m, 2, at + 1 * MS, at + 40 * MS, stack(&m, NULL, "fsync", "store", 8, "consumer"));
        wake(&m, 2, 1, at + 41 * MS, stack(&m, NULL, "read", "consumer", 9, "consumer"));
        start(&m, 1, at + 42 * MS);
        if (balanced) {
            block(&m, 2, at + 43 * MS, "chan receive", stack(&m, "pipe 7", "read", "consumer", 9, "consumer"));
            wake(&m, 1, 2, at + 80 * MS, stack(&m, NULL, "write", "fill", 3, "producer"));
            start(&m, 2, at + 81 * MS);
        }
    }
    return found(&m, at, FINDING_SLOW_READER, it);
}

static void slow_reader(void **state)
{
    struct finding it;
    (void)state;
    assert_int_equal(pipes(false, &it), 1);
    assert_int_equal(it.waits, 5);
    assert_int_equal(pipes(true, &it), 0);
}

/* 2, 3 and 4 meet at a barrier; each has so many samples in a round, and 4 is the last to come. */
static size_t meets(int slow, int quick, struct finding *it)
{
    struct made m = begin(4);
    uint64_t at = 1 * MS, wait = stack(&m, "barrier b", "pthread_barrier_wait", "step", 5, "solver");
    gomaxprocs(&m, 2);
    for (int i = 0; i < 10; i++) {
        for (int n = 0; n < quick; n++)
            for (uint64_t g = 2; g <= 3; g++)
                sample(&m, at + (uint64_t)n * 100 * US + g, g, "relax");
        block(&m, 2, at + 1 * MS, "sync", wait);
        block(&m, 3, at + 1 * MS + 10, "sync", wait);
        for (int n = 0; n < slow; n++)
            sample(&m, at + 2 * MS + (uint64_t)n * 100 * US, 4, "relax");
        at += 20 * MS;
        for (uint64_t g = 2; g <= 3; g++) {
            wake(&m, 4, g, at + g, stack(&m, NULL, "pthread_barrier_wait", "step", 5, "solver"));
            start(&m, g, at + 100 + g);
        }
        at += 1 * MS;
    }
    return found(&m, at, FINDING_STRAGGLER, it);
}

static void straggler(void **state)
{
    struct finding it;
    (void)state;
    assert_int_equal(meets(4, 1, &it), 1);
    assert_int_equal(it.who, 4);
    assert_int_equal(it.n, 40);
    assert_int_equal(it.m, 20);
    assert_int_equal(meets(3, 2, &it), 0); /* it computes no more than others: it had no processor */
}

/* 1 makes 2 to 4, which end; 4 is the last one, for some time, and was joined. */
static size_t joins(uint64_t alone, int samples, struct finding *it)
{
    struct made m = begin(1);
    uint64_t at = 1 * MS, last = at + 100 * MS + alone;
    gomaxprocs(&m, 2);
    for (uint64_t g = 2; g <= 4; g++) {
        EVENT(&m, 1, at + g * US, GoCreate, g, stack(&m, NULL, NULL, NULL, 0, "indexer"),
              stack(&m, NULL, "pthread_create", "index_all", 3, "main"));
        EVENT(&m, g, at + g * US + 300, ProcStatus, g, 2);
        EVENT(&m, g, at + g * US + 400, ProcStart, g, 1);
        EVENT(&m, g, at + g * US + 500, GoStart, g, ++m.seq[g]);
    }
    for (int i = 0; i < samples; i++)
        assert_int_equal(gotrace_builder_cpu_sample(m.b, at + 1 * MS + (uint64_t)i * MS, 4, 4, 4,
                                                    stack(&m, NULL, NULL, "parse", 30, "indexer")), 0);
    block(&m, 1, at + 20 * US, "sync", stack(&m, "thread indexer 4", "pthread_join", "index_all", 8, "main"));
    EVENT(&m, 2, at + 50 * MS, GoDestroy);
    EVENT(&m, 3, at + 100 * MS, GoDestroy);
    wake(&m, 4, 1, last - 100, stack(&m, NULL, "[thrace]", NULL, 0, "indexer"));
    EVENT(&m, 4, last, GoDestroy);
    start(&m, 1, last + 100);
    return found(&m, last + 200, FINDING_SLOWEST_JOIN, it);
}

static void join_of_the_slowest(void **state)
{
    struct finding it;
    (void)state;
    assert_int_equal(joins(100 * MS, 30, &it), 1);
    assert_int_equal(it.cost, 100 * MS);
    assert_int_equal(it.who, 4);
    assert_int_equal(it.n, 3);
    assert_int_equal(joins(40 * MS, 30, &it), 0); /* not for a third of the time */
    assert_int_equal(joins(100 * MS, 9, &it), 0);
}

/* 1 computes and gives 2 and 3 something to do now and then; or somebody else is the one that computes. */
static size_t hands_out(int times, bool busy, struct finding *it)
{
    struct made m = begin(3);
    uint64_t at = 1 * MS, wait = stack(&m, "condition c", "pthread_cond_wait", "next", 5, "worker");
    gomaxprocs(&m, 2);
    for (uint64_t g = 2; g <= 3; g++)
        block(&m, g, at + g, "sync.(*Cond).Wait", wait);
    for (int i = 0; i < times; i++) {
        uint64_t g = 2 + (uint64_t)i % 2;
        if (busy) {
            sample(&m, at + 5 * MS, 1, "parse");
        } else {
            block(&m, 1, at + 1 * MS, "sleep", stack(&m, NULL, "usleep", "pause", 3, "main"));
            EVENT(&m, 1, at + 9 * MS, GoUnblock, 1, ++m.seq[1], 0);
            start(&m, 1, at + 9 * MS + 10);
        }
        at += 10 * MS;
        wake(&m, 1, g, at, stack(&m, NULL, "pthread_cond_signal", "submit", 8, "main"));
        start(&m, g, at + 1 * US);
        call(&m, g, at + 2 * US, at + 3 * US, stack(&m, NULL, "write", "work", 12, "worker"));
        block(&m, g, at + 4 * US, "sync.(*Cond).Wait", wait);
    }
    return found(&m, at + 1 * MS, FINDING_STARVED, it);
}

static void starved_pool(void **state)
{
    struct finding it;
    (void)state;
    assert_int_equal(hands_out(10, true, &it), 1);
    assert_int_equal(it.nwaiters, 2);
    assert_int_equal(hands_out(9, true, &it), 0);
    assert_int_equal(hands_out(40, false, &it), 0); /* there is nothing to do */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(herd),
        cmocka_unit_test(a_pool_with_little_to_do),
        cmocka_unit_test(signalled_with_the_mutex_held),
        cmocka_unit_test(broadcast_with_the_mutex_held),
        cmocka_unit_test(signalled_late),
        cmocka_unit_test(crowd),
        cmocka_unit_test(slow_reader),
        cmocka_unit_test(straggler),
        cmocka_unit_test(join_of_the_slowest),
        cmocka_unit_test(starved_pool),
    };
    return cmocka_run_group_tests_name("findings about threads", tests, NULL, NULL);
}
