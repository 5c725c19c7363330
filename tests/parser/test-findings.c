/* What is found of locks in small traces: each pattern, and what looks nearly like it; and how it is said. */
#include "tests/parser/findings.h"

#include <stdio.h>

#include "cmd/stat_findings.h"

/* ---- locks ------------------------------------------------------------------------------------------------------ */

/* 1 is in a call for 80 ms of each 100, and 2 waits for its lock meanwhile. */
static uint64_t hold_over_call(struct made *m, int rounds, const char *function)
{
    uint64_t at = 1 * MS;
    for (int i = 0; i < rounds; i++, at += 100 * MS) {
        block(m, 2, at, "sync", LOCKED(m, 5));
        call(m, 1, at + 1 * MS, at + 81 * MS, stack(m, NULL, function, "flush", 88, "flusher"));
        wake(m, 1, 2, at + 90 * MS, RELEASED(m));
        start(m, 2, at + 91 * MS);
    }
    return at;
}

static void lock_over_a_call(void **state)
{
    struct finding it;
    (void)state;
    struct made m = begin(2);
    uint64_t end = hold_over_call(&m, 3, "fdatasync");
    assert_int_equal(found(&m, end, FINDING_LOCK_OVER_CALL, &it), 1);
    assert_int_equal(it.waits, 3);
    assert_int_equal(it.cost, 270 * MS);
    assert_int_equal(it.part, 240 * MS);
    assert_false(it.executes);
    m = begin(2);
    end = hold_over_call(&m, 2, "fdatasync");
    assert_int_equal(found(&m, end, FINDING_LOCK_OVER_CALL, &it), 0); /* too few waits */
    m = begin(2);
    end = hold_over_call(&m, 3, "fdatasync");
    assert_int_equal(found(&m, 10 * end, FINDING_LOCK_OVER_CALL, &it), 0); /* too little of the whole */
}

/* The same, but the call waits for something to do. */
static void a_lock_may_be_kept_by_who_has_nothing_to_do(void **state)
{
    struct finding it;
    (void)state;
    struct made m = begin(3);
    uint64_t at = 1 * MS;
    for (int i = 0; i < 5; i++, at += 100 * MS) {
        block(&m, 2, at, "sync", LOCKED(&m, 5));
        block(&m, 1, at + 1 * MS, "select", stack(&m, "epoll 5", "epoll_wait", "loop", 7, "server"));
        wake(&m, 3, 1, at + 80 * MS, stack(&m, NULL, "write", "ask", 8, "client"));
        start(&m, 1, at + 81 * MS);
        wake(&m, 1, 2, at + 90 * MS, RELEASED(&m));
        start(&m, 2, at + 91 * MS);
    }
    assert_int_equal(found(&m, at, FINDING_LOCK_OVER_CALL, &it), 0);
}

/*
 * Threads 1 to 4 have the lock in turn, each for 10 ms, and the others wait. It is on the way for `way` of that. Of
 * every `rare` turns one has a sample.
 */
static uint64_t turns(struct made *m, int n, uint64_t way, int rare)
{
    uint64_t at = 1 * MS, owner = 1, lock = LOCKED(m, 5);
    gomaxprocs(m, 4);
    for (uint64_t g = 2; g <= 4; g++)
        block(m, g, at + g, "sync", lock);
    for (int i = 0; i < n; i++) {
        uint64_t next = owner % 4 + 1;
        if (i % rare == 0)
            sample(m, at + way + 1 * MS, owner, "compress");
        at += 10 * MS;
        wake(m, owner, next, at, RELEASED(m));
        block(m, owner, at + 10, "sync", lock);
        start(m, next, at + way);
        owner = next;
    }
    for (uint64_t g = 1; g <= 4; g++)
        if (g != owner) {
            wake(m, owner, g, at + way + g, RELEASED(m));
            start(m, g, at + way + 10 + g);
        }
    return at + 10 * MS;
}

static void convoy(void **state)
{
    struct finding it;
    (void)state;
    struct made m = begin(4);
    uint64_t end = turns(&m, 20, 1 * US, 1);
    assert_int_equal(found(&m, end, FINDING_CONVOY, &it), 1);
    assert_true(it.executes);
    assert_int_equal(it.nwaiters, 4);
    assert_int_equal(it.nowners, 4);
    m = begin(4);
    end = turns(&m, 20, 1 * US, 5);
    assert_int_equal(found(&m, end, FINDING_CONVOY, &it), 0); /* four samples */
    m = begin(4);
    end = turns(&m, 20, 9500 * US, 1);
    assert_int_equal(found(&m, end, FINDING_CONVOY, &it), 0); /* the lock is on the way nearly all the time */
}

/* A lock is held, and each time the owner's sample is of what it did before: of another function, or the thread's own. */
static size_t on_the_way(const char *function, const char *releases, bool certain, struct finding *it)
{
    struct made m = begin(4);
    uint64_t at = 1 * MS, lock = LOCKED(&m, 5);
    gomaxprocs(&m, 4);
    block(&m, 2, at, "sync", lock);
    block(&m, 3, at + 10, "sync", lock);
    block(&m, 4, at + 20, "sync", lock);
    /* 1 takes the lock, while another one is on the way to it, and is sampled meanwhile. */
    for (int i = 0; i < 12; i++) {
        uint64_t g = 2 + (uint64_t)i % 3, unlock = stack(&m, NULL, "pthread_mutex_unlock", releases, 9, "worker");
        assert_int_equal(gotrace_builder_cpu_sample(m.b, at + 5 * MS, 1, 1, 1,
                                                    deep(&m, "memcpy", "compress", 30, function)), 0);
        at += 10 * MS;
        wake(&m, 1, g, at, unlock);
        if (certain || i == 5)
            start(&m, g, at + 1 * US);
        else
            start(&m, g, at + 9 * MS);
        block(&m, g, at + 9 * MS + 1 * US, "sync", lock);
    }
    for (uint64_t g = 2; g <= 4; g++) {
        wake(&m, 1, g, at + 10 * MS + g, RELEASED(&m));
        start(&m, g, at + 10 * MS + 10 + g);
    }
    return found(&m, at + 20 * MS, FINDING_CONVOY, it);
}

static void a_lock_on_the_way(void **state)
{
    struct finding it;
    (void)state;
    assert_int_equal(on_the_way("done", "done", false, &it), 1);
    assert_int_equal(on_the_way("other", "done", false, &it), 0);
    assert_int_equal(on_the_way("other", "done", true, &it), 1);
    assert_int_equal(on_the_way("other", "loader", false, &it), 0); /* the thread's own function does everything */
}

/* Threads of three names take a lock in turn, each where no other does, or all in one function; they may talk. */
static size_t jobs(bool apart, bool talk, struct finding *it)
{
    static const char *const names[] = {"", "sessions", "metrics", "cache"}, *const places[] = {"", "touch", "count", "get"};
    struct made m = begin(3);
    uint64_t at = 1 * MS, owner = 1, locks[4], unlocks[4];
    gomaxprocs(&m, 2);
    for (int i = 1; i <= 3; i++) {
        locks[i] = stack(&m, "mutex m", "pthread_mutex_lock", apart ? places[i] : "get", 5, names[i]);
        unlocks[i] = stack(&m, NULL, "pthread_mutex_unlock", apart ? places[i] : "get", 9, names[i]);
    }
    if (talk) {
        block(&m, 3, at, "sync.(*Cond).Wait", stack(&m, "condition c", "pthread_cond_wait", "idle", 5, names[3]));
        wake(&m, 2, 3, at + 100, stack(&m, NULL, "pthread_cond_signal", "poke", 5, names[2]));
        start(&m, 3, at + 200);
    }
    call(&m, 1, at + 300, at + 301, stack(&m, NULL, "read", "touch", 3, names[1]));
    block(&m, 2, at + 400, "sync", locks[2]);
    block(&m, 3, at + 500, "sync", locks[3]);
    for (int i = 0; i < 20; i++) {
        uint64_t next = owner % 3 + 1;
        sample(&m, at + 5 * MS, owner, "compress");
        at += 10 * MS;
        wake(&m, owner, next, at, unlocks[owner]);
        block(&m, owner, at + 10, "sync", locks[owner]);
        start(&m, next, at + 1 * US);
        owner = next;
    }
    for (uint64_t g = 1; g <= 3; g++)
        if (g != owner) {
            wake(&m, owner, g, at + 1 * MS + g, unlocks[owner]);
            start(&m, g, at + 1 * MS + 10 + g);
        }
    return found(&m, at + 10 * MS, FINDING_SHARED_LOCK, it);
}

static void one_lock_for_several_jobs(void **state)
{
    struct finding it;
    (void)state;
    assert_int_equal(jobs(true, false, &it), 1);
    assert_int_equal(it.n, 3);
    assert_int_not_equal(it.waiter, it.owner);
    assert_int_equal(jobs(false, false, &it), 0);
    assert_int_equal(jobs(true, true, &it), 0);
}

/* 3 waits for the outer lock, whose owner 2 waits for the inner one, which 1 keeps while it sleeps. */
static void nested_locks(void **state)
{
    struct finding it;
    (void)state;
    struct made m = begin(3);
    uint64_t at = 1 * MS;
    for (int i = 0; i < 3; i++, at += 100 * MS) {
        block(&m, 3, at, "sync", stack(&m, "mutex outer", "pthread_mutex_lock", "enter", 4, "client"));
        block(&m, 2, at + 1 * MS, "sync", stack(&m, "mutex inner", "pthread_mutex_lock", "note", 6, "teller"));
        call(&m, 1, at + 2 * MS, at + 80 * MS, stack(&m, NULL, "fsync", "pack", 41, "packer"));
        wake(&m, 1, 2, at + 81 * MS, stack(&m, NULL, "pthread_mutex_unlock", "pack", 43, "packer"));
        start(&m, 2, at + 82 * MS);
        wake(&m, 2, 3, at + 83 * MS, stack(&m, NULL, "pthread_mutex_unlock", "leave", 5, "teller"));
        start(&m, 3, at + 84 * MS);
    }
    assert_int_equal(found(&m, at, FINDING_NESTED_LOCK, &it), 1);
    assert_true(it.object && it.inner && it.object != it.inner);
    assert_int_equal(it.waits, 3);
}

/* 2 wants to write; 1 has the lock for reading, as its wait for it before says. */
static void reader_blocks_writer(void **state)
{
    struct finding it;
    (void)state;
    for (int known = 0; known < 2; known++) {
        struct made m = begin(2);
        uint64_t at = 1 * MS, begin_at = at;
        for (; at < begin_at + 400 * MS; at += 100 * MS) {
            if (known) {
                block(&m, 1, at, "sync", stack(&m, "rwlock l", "pthread_rwlock_rdlock", "scan", 3, "reader"));
                wake(&m, 2, 1, at + 1 * MS, stack(&m, NULL, "pthread_rwlock_unlock", "change", 7, "writer"));
                start(&m, 1, at + 2 * MS);
            }
            block(&m, 2, at + 3 * MS, "sync", stack(&m, "rwlock l", "pthread_rwlock_wrlock", "change", 5, "writer"));
            call(&m, 1, at + 4 * MS, at + 80 * MS, stack(&m, NULL, "fsync", "scan", 4, "reader"));
            wake(&m, 1, 2, at + 81 * MS, stack(&m, NULL, "pthread_rwlock_unlock", "scan", 9, "reader"));
            start(&m, 2, at + 82 * MS);
        }
        assert_int_equal(found(&m, at, FINDING_READER_BLOCKS_WRITER, &it), known);
        if (known)
            assert_int_equal(it.n, 4);
    }
}

/* ---- sentences -------------------------------------------------------------------------------------------------- */

static void sentence(void **state)
{
    struct stat s;
    char *got = NULL;
    size_t size;
    (void)state;
    struct made m = begin(2);
    hold_over_call(&m, 3, "fdatasync");
    read_all(&s, &m, true);
    FILE *out = open_memstream(&got, &size);
    struct report r;
    report_init(&r, REPORT_TEXT, out, 10);
    r.width = 120;
    assert_true(stat_findings(&s, &r));
    assert_int_equal(fclose(out), 0);
    assert_string_equal(got, "\nFindings\n"
                             "  Lock held across a blocking call: flusher holds mutex m, and releases it in done (a.c:9),"
                             " while worker waits in take\n"
                             "    (a.c:5); in 89 % of that time the owner is in fdatasync (a.c:88 flush). 3 waits, 270 ms;"
                             " somebody waits 92 % of the\n"
                             "    wall time.\n");
    free(got);
    stat_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lock_over_a_call),
        cmocka_unit_test(a_lock_may_be_kept_by_who_has_nothing_to_do),
        cmocka_unit_test(convoy),
        cmocka_unit_test(a_lock_on_the_way),
        cmocka_unit_test(one_lock_for_several_jobs),
        cmocka_unit_test(nested_locks),
        cmocka_unit_test(reader_blocks_writer),
        cmocka_unit_test(sentence),
    };
    return cmocka_run_group_tests_name("findings", tests, NULL, NULL);
}
