/* Who is to blame for waits: of small traces every number. */
#include "tests/parser/waits.h"

#include <stdio.h>
#include <stdlib.h>

#include "cmd/stat_locks.h"

/* brief: those of a first screen. */
static char *tables(struct made *m, enum report_format format, bool brief)
{
    struct stat s;
    struct report r;
    char *got = NULL;
    size_t size;
    read_all(&s, m, true);
    FILE *out = open_memstream(&got, &size);
    report_init(&r, format, out, 10);
    r.brief = r.few = brief;
    assert_true(stat_locks(&s, &r));
    report_end_table(&r);
    assert_int_equal(fclose(out), 0);
    stat_free(&s);
    return got;
}

/* The tables' text is that. */
static void expect_as(struct made *m, bool brief, const char *wanted)
{
    char *got = tables(m, REPORT_TEXT, brief);
    assert_string_equal(got, wanted);
    free(got);
}

static void expect(struct made *m, const char *wanted) { expect_as(m, false, wanted); }

/*
 * Threads 2 and 3 wait for a lock, from 100 and 200 on. Thread 1 releases it at 400, having been in a system call from
 * 150 to 350; then 2 does at 500, which began to run at 410.
 */
static void owners_follow_each_other(void **state)
{
    struct made m = begin(3);
    block(&m, 2, 100, "sync", stack(&m, "mutex m", "pthread_mutex_lock", "take", 5, "worker"));
    EVENT(&m, 1, 150, GoSyscallBegin, ++m.calls[1], stack(&m, NULL, "fdatasync", "flush", 88, "flusher"));
    block(&m, 3, 200, "sync", stack(&m, "mutex m", "pthread_mutex_lock", "take", 6, "worker"));
    EVENT(&m, 1, 350, GoSyscallEnd);
    wake(&m, 1, 2, 400, stack(&m, NULL, "pthread_mutex_unlock", "done", 90, "flusher"));
    start(&m, 2, 410);
    wake(&m, 2, 3, 500, stack(&m, NULL, "pthread_mutex_unlock", "done", 91, "worker"));
    start(&m, 3, 510);
    expect(&m, "\nLocks\n"
               "  waits   total     p50     p99     max  object\n"
               "      2  600 ns  300 ns  300 ns  300 ns  mutex m\n"
               "      held by flusher (83 %): 70 % fdatasync (a.c:88 flush), 20 % running until done (a.c:90),\n"
               "          10 % running until flush (a.c:88)\n"
               "      held by worker (17 %): 90 % running until done (a.c:91), 10 % runnable\n");
}

/* 2 and 3, who have one name, hold the lock one after the other, and 2 once more. */
static void owners_of_a_name_are_one(void **state)
{
    struct made m = begin(4);
    uint64_t lock = stack(&m, "mutex m", "pthread_mutex_lock", "take", 5, "worker");
    uint64_t unlock = stack(&m, NULL, "pthread_mutex_unlock", "done", 9, "worker");
    block(&m, 3, 100, "sync", lock);
    block(&m, 4, 110, "sync", stack(&m, "mutex m", "pthread_mutex_lock", "take", 5, "client"));
    wake(&m, 2, 3, 200, unlock);
    start(&m, 3, 210);
    wake(&m, 3, 4, 300, unlock);
    start(&m, 4, 310);
    block(&m, 4, 320, "sync", lock);
    wake(&m, 2, 4, 330, unlock);
    expect(&m, "\nLocks\n"
               "  waits   total     p50     p99     max  object\n"
               "      3  300 ns  103 ns  190 ns  190 ns  mutex m\n"
               "      held by worker ×2: 97 % running until done (a.c:9), 3 % runnable\n");
}

/* Thread 1 sleeps from 200 to 900 while it holds the inner lock. 2, which holds the outer one, waits from 100 on. */
static struct made nested(void)
{
    struct made m = begin(3);
    block(&m, 2, 100, "sync", stack(&m, "mutex inner", "pthread_mutex_lock", "take", 5, "middle"));
    block(&m, 3, 150, "sync", stack(&m, "mutex outer", "pthread_mutex_lock", "take", 6, "client"));
    block(&m, 1, 200, "sleep", stack(&m, NULL, "usleep", "nap", 7, "slow"));
    wake(&m, 1, 1, 900, 0);
    start(&m, 1, 910);
    wake(&m, 1, 2, 1000, stack(&m, NULL, "pthread_mutex_unlock", "done", 8, "slow"));
    start(&m, 2, 1050);
    wake(&m, 2, 3, 1150, stack(&m, NULL, "pthread_mutex_unlock", "done", 9, "middle"));
    start(&m, 3, 1160);
    return m;
}

static void waits_of_owners_are_followed(void **state)
{
    struct made m = nested();
    expect(&m, "\nLocks\n"
               "  waits    total      p50      p99      max  object\n"
               "      1  1.00 µs  1.00 µs  1.00 µs  1.00 µs  mutex outer\n"
               "      held by middle: 70 % waiting for mutex inner, held by slow: usleep (a.c:7 nap), "
               "10 % running until done (a.c:9),\n"
               "          9 % waiting for mutex inner, held by slow: running until done (a.c:8), "
               "5 % runnable, 6 % other\n"
               "      1   900 ns   900 ns   900 ns   900 ns  mutex inner\n"
               "      held by slow: 78 % usleep (a.c:7 nap), 11 % running until nap (a.c:7), "
               "10 % running until done (a.c:8),\n"
               "          1 % runnable\n");
}

static void all_that_owners_did_is_there_for_programs(void **state)
{
    struct made m = nested();
    char *got = tables(&m, REPORT_JSON, false);
    static const char wanted[] =
        "[{\"thread\": \"middle\", \"threads\": 1, \"total_ns\": 1000, \"share\": 1, \"deeds\": ["
        "{\"total_ns\": 700, \"share\": 0.7, \"state\": \"waiting\", \"sampled\": null, \"what\": \"usleep (a.c:7 nap)\", "
        "\"chain\": [{\"waiting_for\": \"mutex inner\", \"role\": \"held by\", \"thread\": \"slow\"}]}, "
        "{\"total_ns\": 100, \"share\": 0.1, \"state\": \"running\", \"sampled\": false, \"what\": \"done (a.c:9)\", "
        "\"chain\": []}, "
        "{\"total_ns\": 90, \"share\": 0.09, \"state\": \"running\", \"sampled\": false, \"what\": \"done (a.c:8)\", "
        "\"chain\": [{\"waiting_for\": \"mutex inner\", \"role\": \"held by\", \"thread\": \"slow\"}]}, "
        "{\"total_ns\": 50, \"share\": 0.05, \"state\": \"runnable\", \"sampled\": null, \"what\": null, \"chain\": []}, "
        "{\"total_ns\": 50,";
    if (!strstr(got, wanted))
        fail_msg("%s", got);
    free(got);
}

/*
 * Whoever an owner waited for may have waited for the same before, and so on: one link says it. 4 waits for the outer
 * lock from 100 on; 3, which holds it, for the inner one until 500; 2 had that from 300 on, and 1 before.
 */
static void turns_are_one_link(void **state)
{
    struct made m = begin(4);
    block(&m, 2, 50, "sync", stack(&m, "mutex inner", "pthread_mutex_lock", "take", 5, "two"));
    block(&m, 3, 60, "sync", stack(&m, "mutex inner", "pthread_mutex_lock", "take", 5, "three"));
    block(&m, 4, 100, "sync", stack(&m, "mutex outer", "pthread_mutex_lock", "take", 5, "four"));
    EVENT(&m, 1, 110, GoSyscallBegin, 1, stack(&m, NULL, "fsync", "flush", 6, "one"));
    EVENT(&m, 1, 290, GoSyscallEnd);
    wake(&m, 1, 2, 300, stack(&m, NULL, "pthread_mutex_unlock", "done", 7, "one"));
    start(&m, 2, 310);
    wake(&m, 2, 3, 500, stack(&m, NULL, "pthread_mutex_unlock", "done", 8, "two"));
    start(&m, 3, 550);
    wake(&m, 3, 4, 600, stack(&m, NULL, "pthread_mutex_unlock", "done", 9, "three"));
    expect(&m, "\nLocks\n"
               "  waits   total     p50     p99     max  object\n"
               "      2  690 ns  255 ns  440 ns  440 ns  mutex inner\n"
               "      held by one (71 %): 74 % fsync (a.c:6 flush), 22 % running until flush (a.c:6), "
               "4 % running until done (a.c:7)\n"
               "      held by two (29 %): 95 % running until done (a.c:8), 5 % runnable\n"
               "      1  500 ns  500 ns  500 ns  500 ns  mutex outer\n"
               "      held by three: 38 % waiting for mutex inner, held by two: running until done (a.c:8),\n"
               "          36 % waiting for mutex inner, held by one: fsync (a.c:6 flush), "
               "10 % running until done (a.c:9),\n"
               "          10 % runnable, 6 % other\n");
}

/* 2 and 3 wait for a lock from 100 and 150 on. 2 gives up at 200, 3 is woken at 300, 4 waits at the end, 421. */
static void some_waits_are_nobodys_fault(void **state)
{
    struct made m = begin(4);
    uint64_t waits = stack(&m, "rwlock r", "pthread_rwlock_timedwrlock", "take", 5, "worker");
    block(&m, 2, 100, "sync", waits);
    block(&m, 3, 150, "sync", waits);
    wake(&m, 2, 2, 200, 0);
    start(&m, 2, 210);
    wake(&m, 1, 3, 300, stack(&m, NULL, "pthread_rwlock_unlock", "done", 9, "holder"));
    start(&m, 3, 310);
    block(&m, 4, 320, "sync", waits);
    EVENT(&m, 1, 420, GoDestroy);
    expect(&m, "\nLocks\n"
               "  waits   total     p50     p99     max  object\n"
               "      3  351 ns  103 ns  150 ns  150 ns  rwlock r\n"
               "      held by no thread of the trace (57 %)\n"
               "      held by holder (43 %): 100 % running until done (a.c:9)\n");
}

/*
 * Who signals is made by 1 at 200, after that one was in a system call from 150 to 180; it begins at 240. A wait for a
 * condition that nobody ever ended is not shown.
 */
static void before_a_thread_was_made_its_maker_is_to_blame(void **state)
{
    struct made m = begin(2);
    block(&m, 2, 100, "sync.(*Cond).Wait", stack(&m, "condition c", "pthread_cond_wait", "take", 5, "consumer"));
    EVENT(&m, 1, 150, GoSyscallBegin, 1, stack(&m, NULL, "open", "load", 6, "main"));
    EVENT(&m, 1, 180, GoSyscallEnd);
    EVENT(&m, 1, 200, GoCreate, 3, stack(&m, NULL, NULL, NULL, 0, "producer"), 0);
    block(&m, 1, 210, "sync.(*Cond).Wait", stack(&m, "condition idle", "pthread_cond_wait", "idle", 5, "main"));
    EVENT(&m, 3, 220, ProcStatus, 3, 1);
    start(&m, 3, 240);
    wake(&m, 3, 2, 300, stack(&m, NULL, "pthread_cond_signal", "give", 9, "producer"));
    EVENT(&m, 3, 310, GoDestroy);
    expect(&m, "\nConditions, threads and descriptors that were waited for\n"
               "  waits   total     p50     p99     max  object\n"
               "      1  200 ns  200 ns  200 ns  200 ns  condition c\n"
               "      signalled by producer: 30 % running until give (a.c:9), "
               "25 % made by main: running until load (a.c:6),\n"
               "          20 % runnable, 15 % made by main: open (a.c:6 load), 10 % other\n");
}

/* The CPU is sampled at 150, 160 and 300; where a sample found a thread it was until then, and after the last one. */
static void samples_name_what_runs(void **state)
{
    struct made m = begin(2);
    block(&m, 2, 100, "sync", stack(&m, "thread zip 1", "pthread_join", "collect", 5, "main"));
    uint64_t copies = stack(&m, NULL, "memcpy", "compress", 140, "zip");
    assert_int_equal(gotrace_builder_cpu_sample(m.b, 50, 1, 1, 1, stack(&m, NULL, NULL, "early", 1, "zip")), 0);
    assert_int_equal(gotrace_builder_cpu_sample(m.b, 150, 1, 1, 1, copies), 0);
    assert_int_equal(gotrace_builder_cpu_sample(m.b, 160, 1, 1, 1, stack(&m, NULL, NULL, "compress", 141, "zip")), 0);
    assert_int_equal(gotrace_builder_cpu_sample(m.b, 300, 1, 1, 1, stack(&m, NULL, NULL, "check", 150, "zip")), 0);
    EVENT(&m, 1, 360, GoSyscallBegin, 1, stack(&m, NULL, "write", "put", 6, "zip"));
    EVENT(&m, 1, 380, GoSyscallEnd);
    wake(&m, 1, 2, 400, stack(&m, NULL, NULL, NULL, 0, "zip"));
    EVENT(&m, 1, 410, GoDestroy);
    expect(&m, "\nConditions, threads and descriptors that were waited for\n"
               "  waits   total     p50     p99     max  object\n"
               "      1  300 ns  300 ns  300 ns  300 ns  thread zip 1\n"
               "      joined thread did: 67 % running check (a.c), 20 % running compress (a.c), "
               "7 % running until zip (a.c:2),\n"
               "          6 % write (a.c:6 put)\n");
}

/*
 * 2 waits for 1, from 100 to 900, 3 for 2, from 110 to 1000, and 4 for 3, from 120 to 1100: of that time 1 is in a system
 * call from 200 to 800. 5 waits for 2 as well, from 130 to 1010. Which lock is which is said of each.
 */
static void chains_have_many_links(void **state)
{
    struct made m = begin(5);
    uint64_t unlock = stack(&m, NULL, "pthread_mutex_unlock", "done", 9, "x");
    block(&m, 2, 100, "sync", stack(&m, "mutex b", "pthread_mutex_lock", "take", 5, "two"));
    block(&m, 3, 110, "sync", stack(&m, "mutex a", "pthread_mutex_lock", "take", 5, "three"));
    block(&m, 4, 120, "sync", stack(&m, "mutex r", "pthread_mutex_lock", "take", 5, "four"));
    block(&m, 5, 130, "sync", stack(&m, "mutex s", "pthread_mutex_lock", "take", 5, "five"));
    EVENT(&m, 1, 200, GoSyscallBegin, 1, stack(&m, NULL, "fsync", "flush", 6, "one"));
    EVENT(&m, 1, 800, GoSyscallEnd);
    wake(&m, 1, 2, 900, unlock);
    start(&m, 2, 901);
    wake(&m, 2, 3, 1000, unlock);
    start(&m, 3, 1001);
    wake(&m, 2, 5, 1010, unlock);
    wake(&m, 3, 4, 1100, unlock);
    expect(&m, "\n"
               "Locks\n"
               "  waits   total     p50     p99     max  object\n"
               "      1  980 ns  980 ns  980 ns  980 ns  mutex r\n"
               "      held by three: 61 % waiting for mutex a, held by two: waiting for mutex b, "
               "held by one: fsync (a.c:6 flush),\n"
               "          10 % waiting for mutex a, held by two: waiting for mutex b, "
               "held by one: running until done (a.c:9),\n"
               "          10 % running until done (a.c:9), 10 % waiting for mutex a, "
               "held by two: running until done (a.c:9), 9 % other\n"
               "      1  890 ns  890 ns  890 ns  890 ns  mutex a\n"
               "      held by two: 68 % waiting for mutex b, held by one: fsync (a.c:6 flush),\n"
               "          11 % waiting for mutex b, held by one: running until done (a.c:9), "
               "11 % running until done (a.c:9),\n"
               "          10 % waiting for mutex b, held by one: running until flush (a.c:6)\n"
               "      1  880 ns  880 ns  880 ns  880 ns  mutex s\n"
               "      held by two: 68 % waiting for mutex b, held by one: fsync (a.c:6 flush), "
               "13 % running until done (a.c:9),\n"
               "          11 % waiting for mutex b, held by one: running until done (a.c:9),\n"
               "          8 % waiting for mutex b, held by one: running until flush (a.c:6)\n"
               "      1  800 ns  800 ns  800 ns  800 ns  mutex b\n"
               "      held by one: 75 % fsync (a.c:6 flush), 13 % running until done (a.c:9), "
               "12 % running until flush (a.c:6)\n");
}

/* Owners wait for what nobody wakes them from, too: 1, from 200 to 260. */
static void what_nobody_ends_is_not_followed(void **state)
{
    struct made m = begin(2);
    block(&m, 2, 100, "sync", stack(&m, "mutex m", "pthread_mutex_lock", "take", 5, "two"));
    block(&m, 1, 200, "chan receive", stack(&m, "pipe 7", "read", "get", 6, "one"));
    wake(&m, 1, 1, 260, 0);
    start(&m, 1, 280);
    wake(&m, 1, 2, 300, stack(&m, NULL, "pthread_mutex_unlock", "done", 9, "one"));
    expect(&m, "\nLocks\n"
               "  waits   total     p50     p99     max  object\n"
               "      1  200 ns  200 ns  200 ns  200 ns  mutex m\n"
               "      held by one: 50 % running until get (a.c:6), 30 % waiting for pipe 7 in read (a.c:6 get),\n"
               "          10 % running until done (a.c:9), 10 % runnable\n");
}

/* A futex may be a lock as well as a condition. Whoever comes last to a barrier wakes all, one after the other. */
static void wakers_of_other_objects(void **state)
{
    struct made m = begin(3);
    uint64_t barrier = stack(&m, "barrier b", "pthread_barrier_wait", "meet", 5, "worker");
    block(&m, 2, 100, "sync", barrier);
    block(&m, 3, 200, "sync", barrier);
    wake(&m, 1, 2, 300, barrier);
    wake(&m, 1, 3, 310, barrier);
    start(&m, 2, 320);
    block(&m, 2, 400, "sync", stack(&m, "futex f", "syscall", "park", 5, "worker"));
    wake(&m, 1, 2, 500, stack(&m, NULL, "syscall", "unpark", 6, "main"));
    expect(&m, "\nLocks\n"
               "  waits   total     p50     p99     max  object\n"
               "      1  100 ns  100 ns  100 ns  100 ns  futex f\n"
               "      woken by worker: 100 % running until unpark (a.c:6)\n"
               "\nConditions, threads and descriptors that were waited for\n"
               "  waits   total     p50     p99     max  object\n"
               "      2  310 ns  111 ns  200 ns  200 ns  barrier b\n"
               "      completed by worker: 100 % running until meet (a.c:5)\n");
}

/* Who reads from a full pipe wakes who writes; who writes to an empty one, who reads. What nobody ends is not shown. */
static void pipes_have_two_ends(void **state)
{
    struct made m = begin(3);
    block(&m, 2, 100, "chan send", stack(&m, "pipe 7", "write", "put", 5, "writer"));
    block(&m, 3, 90, "network", stack(&m, "socket 5", "recv", "serve", 5, "server"));
    wake(&m, 1, 2, 300, stack(&m, NULL, "read", "get", 9, "reader"));
    start(&m, 2, 310);
    block(&m, 1, 320, "chan receive", stack(&m, "pipe 7", "read", "get", 9, "reader"));
    wake(&m, 2, 1, 420, stack(&m, NULL, "write", "put", 5, "writer"));
    wake(&m, 3, 3, 430, 0);
    expect(&m, "\nConditions, threads and descriptors that were waited for\n"
               "  waits   total     p50     p99     max  object\n"
               "      1  200 ns  200 ns  200 ns  200 ns  pipe 7, full\n"
               "      read by reader: 100 % running until get (a.c:9)\n"
               "      1  100 ns  100 ns  100 ns  100 ns  pipe 7\n"
               "      written by writer: 100 % running until put (a.c:5)\n");
}

/*
 * Nobody needs 2, 3 and 4, which wait for what 1 signals, who is busy: the first screen has one of these. Nobody is to
 * blame for what 5 waits for, as 6, which ends that, waits for what comes from outside.
 */
static void a_first_screen_has_one_that_may_be_idle(void **state)
{
    struct made m = begin(6);
    block(&m, 2, 100, "sync.(*Cond).Wait", stack(&m, "condition two", "wait", "f", 5, "worker"));
    block(&m, 3, 110, "sync.(*Cond).Wait", stack(&m, "condition three", "wait", "f", 5, "worker"));
    block(&m, 5, 120, "sync.(*Cond).Wait", stack(&m, "condition idle", "wait", "f", 5, "worker"));
    block(&m, 6, 130, "network", stack(&m, "socket 7", "read", "g", 6, "feeder"));
    wake(&m, 1, 2, 500, stack(&m, NULL, "signal", "tell", 7, "main"));
    wake(&m, 1, 3, 600, stack(&m, NULL, "signal", "tell", 7, "main"));
    wake(&m, 6, 6, 700, 0);
    start(&m, 6, 710);
    wake(&m, 6, 5, 800, stack(&m, NULL, "signal", "feed", 8, "feeder"));
    expect_as(&m, true,
              "\nConditions, threads and descriptors that were waited for\n"
              "  waits   total     p50     p99     max  object\n"
              "      1  490 ns  490 ns  490 ns  490 ns  condition three\n"
              "      signalled by main: 100 % running until tell (a.c:7)\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(owners_follow_each_other),
        cmocka_unit_test(owners_of_a_name_are_one),
        cmocka_unit_test(waits_of_owners_are_followed),
        cmocka_unit_test(all_that_owners_did_is_there_for_programs),
        cmocka_unit_test(turns_are_one_link),
        cmocka_unit_test(some_waits_are_nobodys_fault),
        cmocka_unit_test(before_a_thread_was_made_its_maker_is_to_blame),
        cmocka_unit_test(samples_name_what_runs),
        cmocka_unit_test(chains_have_many_links),
        cmocka_unit_test(what_nobody_ends_is_not_followed),
        cmocka_unit_test(wakers_of_other_objects),
        cmocka_unit_test(pipes_have_two_ends),
        cmocka_unit_test(a_first_screen_has_one_that_may_be_idle),
    };
    return cmocka_run_group_tests_name("blame", tests, NULL, NULL);
}
