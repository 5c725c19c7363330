/* Who is to blame for waits: of small traces every number, of large ones that the sums agree and memory is bounded. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/stat_locks.h"
#include "gotrace/builder.h"
#include "lib/wire/events.h"
#include "parser/analyze/stat_collect.h"

enum { THREADS = 128 };

/* A trace in the making. Goroutine g is executed by thread and proc g. */
struct made {
    struct gotrace_builder *b;
    uint64_t on, seq[THREADS], calls[THREADS];
};

static void event(struct made *m, uint64_t g, uint64_t time, unsigned id, const uint64_t *args, size_t nargs)
{
    if (m->on != g)
        assert_int_equal(gotrace_builder_batch(m->b, g, time), 0);
    m->on = g;
    assert_int_equal(gotrace_builder_event(m->b, time, id, args, nargs), 0);
}
#define EVENT(m, g, time, name, ...)                                                                                   \
    event(m, g, time, EV_##name, (uint64_t[]){0, ##__VA_ARGS__} + 1,                                                   \
          sizeof((uint64_t[]){0, ##__VA_ARGS__}) / sizeof(uint64_t) - 1)

/* All n goroutines run when it begins, from 10 on; no two events have the same time. */
static struct made begin(uint64_t n)
{
    struct made m = {.b = gotrace_builder_new_memory(22)};
    assert_int_equal(gotrace_builder_generation(m.b, 1), 0);
    assert_int_equal(gotrace_builder_sync(m.b, 1000000000, 1, 0, 0, 0), 0);
    for (uint64_t g = 1; g <= n; g++) {
        EVENT(&m, g, 10, ProcStatus, g, 1);
        EVENT(&m, g, 10, GoStatus, g, g, 2);
    }
    return m;
}

static uint64_t pc_of(const char *function, uint64_t line)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325) ^ line;
    for (; *function; function++)
        h = (h ^ (unsigned char)*function) * UINT64_C(0x100000001b3);
    return h >> 8;
}

/* A thread's stack: the function is libc's, the caller is at that line of a.c; object, function and caller may be NULL. */
static uint64_t stack(struct made *m, const char *object, const char *function, const char *caller, uint64_t line,
                      const char *thread)
{
    struct gotrace_builder_frame f[4];
    size_t n = 0;
    if (object)
        f[n++] = (struct gotrace_builder_frame){pc_of(object, 1), object, "[object]", 1};
    if (function)
        f[n++] = (struct gotrace_builder_frame){pc_of(function, 1), function, "libc", 1};
    if (caller)
        f[n++] = (struct gotrace_builder_frame){pc_of(caller, line), caller, "/src/a.c", line};
    f[n++] = (struct gotrace_builder_frame){pc_of(thread, 2), thread, "/src/a.c", 2};
    return gotrace_builder_stack(m->b, f, n);
}

static void block(struct made *m, uint64_t g, uint64_t at, const char *reason, uint64_t stack_id)
{
    EVENT(m, g, at, GoBlock, gotrace_builder_string(m->b, reason, strlen(reason)), stack_id);
}

static void wake(struct made *m, uint64_t by, uint64_t g, uint64_t at, uint64_t stack_id)
{
    EVENT(m, by, at, GoUnblock, g, ++m->seq[g], stack_id);
}

static void start(struct made *m, uint64_t g, uint64_t at) { EVENT(m, g, at, GoStart, g, ++m->seq[g]); }

static void call(struct made *m, uint64_t g, uint64_t from, uint64_t to, uint64_t stack_id)
{
    EVENT(m, g, from, GoSyscallBegin, ++m->calls[g], stack_id);
    EVENT(m, g, to, GoSyscallEnd);
}

/* The sums of the owners are those of the waits, and no less than those of what they did. */
static void assert_adds_up(const struct blame *b, bool all_kept)
{
    uint64_t waits = b->waits.others.total, owners = b->sums.owners.others.total, deeds = b->sums.deeds.others.total;
    uint64_t nobody = 0;
    for (size_t i = 0; i < b->waits.list.n; i++) {
        uint64_t owned = 0;
        waits += b->waits.list.v[i].total;
        for (size_t k = 0; k < b->sums.owners.list.n; k++)
            if ((b->sums.owners.list.v[k].key & BLAME_OBJECT_MASK) == blame_object_key((uint32_t)b->waits.list.v[i].key))
                owned += b->sums.owners.list.v[k].total;
        if (all_kept)
            assert_int_equal(owned, b->waits.list.v[i].total);
    }
    for (size_t i = 0; i < b->sums.owners.list.n; i++) {
        const struct stat_group *o = &b->sums.owners.list.v[i];
        bool is_nobody = !*stat_text_of(&b->spans->texts, blame_owner_name(o->key));
        uint64_t done = 0;
        owners += o->total;
        nobody += is_nobody ? o->total : 0;
        for (size_t k = 0; k < b->sums.deeds.list.n && all_kept; k++)
            if ((b->sums.deeds.list.v[k].key & BLAME_OWNER_MASK) == o->key)
                done += b->sums.deeds.list.v[k].total;
        if (all_kept)
            assert_int_equal(done, is_nobody ? 0 : o->total);
    }
    for (size_t i = 0; i < b->sums.deeds.list.n; i++)
        deeds += b->sums.deeds.list.v[i].total;
    assert_int_equal(owners, waits);
    if (b->sums.owners.others.count == 0)
        assert_int_equal(deeds + nobody, owners);
    assert_int_equal(b->nwaiting, 0);
}

static void read_all(struct stat *s, struct made *m, bool all_kept)
{
    size_t size;
    assert_int_equal(gotrace_builder_finish(m->b), 0);
    const void *bytes = gotrace_builder_bytes(m->b, &size);
    struct gotrace_reader *r = gotrace_reader_open_memory(bytes, size);
    stat_init(s, 10);
    bool ok = consume_events(r, &stat_consumer, s);
    const struct gotrace_error *e = gotrace_reader_error(r);
    if (e)
        fail_msg("%s", e->message);
    assert_true(ok);
    assert_adds_up(&s->blame, all_kept);
    gotrace_reader_free(r);
    gotrace_builder_free(m->b);
}

/* The tables' text is that. */
static void expect(struct made *m, const char *wanted)
{
    struct stat s;
    char *got = NULL;
    size_t size;
    read_all(&s, m, true);
    FILE *out = open_memstream(&got, &size);
    assert_true(stat_locks(&s, 10, out));
    assert_int_equal(fclose(out), 0);
    assert_string_equal(got, wanted);
    free(got);
    stat_free(&s);
}

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

/* Thread 1 sleeps from 200 to 900 while it holds the inner lock, for which 2 waits, from 100 on, which holds the outer. */
static void waits_of_owners_are_followed(void **state)
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
    expect(&m, "\nLocks\n"
               "  waits    total      p50      p99      max  object\n"
               "      1  1.00 µs  1.00 µs  1.00 µs  1.00 µs  mutex outer\n"
               "      held by middle: 70 % waiting for mutex inner, held by slow: usleep (a.c:7 nap), 10 % running until done (a.c:9),\n"
               "          9 % waiting for mutex inner, held by slow: running until done (a.c:8), 5 % runnable, 6 % other\n"
               "      1   900 ns   900 ns   900 ns   900 ns  mutex inner\n"
               "      held by slow: 78 % usleep (a.c:7 nap), 11 % running until nap (a.c:7), 10 % running until done (a.c:8),\n"
               "          1 % runnable\n");
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
               "      held by one (71 %): 74 % fsync (a.c:6 flush), 22 % running until flush (a.c:6), 4 % running until done (a.c:7)\n"
               "      held by two (29 %): 95 % running until done (a.c:8), 5 % runnable\n"
               "      1  500 ns  500 ns  500 ns  500 ns  mutex outer\n"
               "      held by three: 38 % waiting for mutex inner, held by two: running until done (a.c:8),\n"
               "          36 % waiting for mutex inner, held by one: fsync (a.c:6 flush), 10 % running until done (a.c:9),\n"
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
               "      signalled by producer: 30 % running until give (a.c:9), 25 % made by main: running until load (a.c:6),\n"
               "          20 % runnable, 15 % made by main: open (a.c:6 load), 10 % other\n");
}

/* The CPU is sampled at 150, 160 and 300; where a sample found a thread it was until then, and after the last one. */
static void samples_name_what_runs(void **state)
{
    struct made m = begin(2);
    block(&m, 2, 100, "sync", stack(&m, "thread zip 1", "pthread_join", "collect", 5, "main"));
    assert_int_equal(gotrace_builder_cpu_sample(m.b, 50, 1, 1, 1, stack(&m, NULL, NULL, "early", 1, "zip")), 0);
    assert_int_equal(gotrace_builder_cpu_sample(m.b, 150, 1, 1, 1, stack(&m, NULL, "memcpy", "compress", 140, "zip")), 0);
    assert_int_equal(gotrace_builder_cpu_sample(m.b, 160, 1, 1, 1, stack(&m, NULL, NULL, "compress", 141, "zip")), 0);
    assert_int_equal(gotrace_builder_cpu_sample(m.b, 300, 1, 1, 1, stack(&m, NULL, NULL, "check", 150, "zip")), 0);
    EVENT(&m, 1, 360, GoSyscallBegin, 1, stack(&m, NULL, "write", "put", 6, "zip"));
    EVENT(&m, 1, 380, GoSyscallEnd);
    wake(&m, 1, 2, 400, stack(&m, NULL, NULL, NULL, 0, "zip"));
    EVENT(&m, 1, 410, GoDestroy);
    expect(&m, "\nConditions, threads and descriptors that were waited for\n"
               "  waits   total     p50     p99     max  object\n"
               "      1  300 ns  300 ns  300 ns  300 ns  thread zip 1\n"
               "      joined thread did: 67 % running check (a.c), 20 % running compress (a.c), 7 % running until zip (a.c:2),\n"
               "          6 % write (a.c:6 put)\n");
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

/* Who reads from a full pipe wakes who writes; who writes to an empty one, who reads. A wait from outside is not shown. */
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

static uint64_t unknown_of(const struct blame *b)
{
    uint64_t ns = 0;
    for (size_t i = 0; i < b->sums.deeds.list.n; i++)
        if (blame_deed_of(b->sums.deeds.list.v[i].key).state == GOTRACE_STATE_UNDETERMINED)
            ns += b->sums.deeds.list.v[i].total;
    return ns;
}

/* What an owner did is forgotten when it is too long ago; the sums are not. */
static void a_long_wait_is_forgotten_at_its_beginning(void **state)
{
    enum { CALLS = CRITICAL_MAX / 2 + 1000 };
    struct made m = begin(2);
    struct stat s;
    uint64_t at = 100;
    block(&m, 2, at, "sync", stack(&m, "mutex m", "pthread_mutex_lock", "take", 5, "waiter"));
    for (uint64_t i = 0; i < CALLS; i++) {
        EVENT(&m, 1, at += 2, GoSyscallBegin, i + 1, 0);
        EVENT(&m, 1, at += 2, GoSyscallEnd);
    }
    wake(&m, 1, 2, at += 2, stack(&m, NULL, "pthread_mutex_unlock", "done", 9, "holder"));
    read_all(&s, &m, true);
    assert_int_equal(s.blame.critical.cap, CRITICAL_MAX);
    uint64_t unknown = unknown_of(&s.blame);
    assert_true(unknown >= 4 * 900 && unknown <= 4 * 1100);
    stat_free(&s);
}

/* So many who hold a lock each, for which another one waits, wait for thread 1, which makes that many calls. */
static uint64_t unknown_of_pairs(uint64_t pairs, uint64_t calls)
{
    struct made m = begin(1 + 2 * pairs);
    struct stat s;
    uint64_t at = 1000;
    char text[64];
    for (uint64_t i = 0; i < pairs; i++) {
        snprintf(text, sizeof text, "mutex m%u", (unsigned)i);
        block(&m, 2 + i, at++, "sync", stack(&m, "rwlock r", "pthread_rwlock_rdlock", "take", 5, "holder"));
        block(&m, 2 + pairs + i, at++, "sync", stack(&m, text, "pthread_mutex_lock", "take", 5, "waiter"));
    }
    for (uint64_t i = 0; i < calls; i++) {
        EVENT(&m, 1, at++, GoSyscallBegin, i + 1, 0);
        EVENT(&m, 1, at++, GoSyscallEnd);
    }
    for (uint64_t i = 0; i < pairs; i++)
        wake(&m, 1, 2 + i, at++, stack(&m, NULL, "pthread_rwlock_unlock", "done", 9, "owner"));
    for (uint64_t i = 0; i < pairs; i++) {
        start(&m, 2 + i, at++);
        wake(&m, 2 + i, 2 + pairs + i, at++, stack(&m, NULL, "pthread_mutex_unlock", "done", 9, "holder"));
    }
    read_all(&s, &m, true);
    uint64_t unknown = unknown_of(&s.blame);
    stat_free(&s);
    return unknown;
}

static void following_takes_no_longer_than_the_trace_is(void **state)
{
    assert_int_equal(unknown_of_pairs(10, 1000), 0);
    assert_int_equal(unknown_of_pairs(30, 60000), 0);
    assert_true(unknown_of_pairs(60, 60000) > 0);
}

/* Turns on one lock, each of which is woken by the one before, are followed far back. */
static void turns_are_followed_far_back(void **state)
{
    enum { TURNS = 100 };
    struct made m = begin(TURNS + 2);
    struct stat s;
    uint64_t at = 1000, last = TURNS + 1, client = TURNS + 2;
    for (uint64_t g = 2; g <= last; g++)
        block(&m, g, at++, "sync", stack(&m, "mutex inner", "pthread_mutex_lock", "take", 5, "worker"));
    block(&m, client, at++, "sync", stack(&m, "mutex outer", "pthread_mutex_lock", "take", 5, "client"));
    EVENT(&m, 1, at, GoSyscallBegin, 1, stack(&m, NULL, "fsync", "flush", 6, "first"));
    EVENT(&m, 1, at += 5000, GoSyscallEnd);
    for (uint64_t g = 2; g <= last; g++) {
        wake(&m, g - 1, g, at += 3, stack(&m, NULL, "pthread_mutex_unlock", "done", 9, "worker"));
        start(&m, g, at += 3);
    }
    wake(&m, last, client, at += 3, stack(&m, NULL, "pthread_mutex_unlock", "done", 9, "worker"));
    read_all(&s, &m, true);
    uint64_t fsync = 0;
    for (size_t i = 0; i < s.blame.sums.deeds.list.n; i++) {
        struct blame_deed d = blame_deed_of(s.blame.sums.deeds.list.v[i].key);
        if (d.chain && !strcmp(stat_text_of(&s.spans.texts, d.what), "fsync (a.c:6 flush)"))
            fsync += s.blame.sums.deeds.list.v[i].total;
    }
    assert_int_equal(fsync, 5000);
    stat_free(&s);
}

/* While nobody waits for an object, nothing is remembered. */
static void without_waits_there_are_no_stretches(void **state)
{
    struct made m = begin(1);
    struct stat s;
    for (uint64_t i = 0; i < 1000; i++) {
        EVENT(&m, 1, 100 + 4 * i, GoSyscallBegin, i + 1, 0);
        EVENT(&m, 1, 102 + 4 * i, GoSyscallEnd);
    }
    block(&m, 1, 10000, "sync", stack(&m, NULL, "pthread_mutex_lock", "take", 5, "main"));
    wake(&m, 1, 1, 10100, 0);
    read_all(&s, &m, true);
    assert_int_equal(s.blame.critical.n, 0);
    assert_int_equal(s.blame.objects.n, 0);
    assert_false(s.spans.has_objects);
    stat_free(&s);
}

static uint64_t below(uint64_t *seed, uint64_t n)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*seed >> 33) % n;
}

/* Threads that wait for one of many objects, give up or are woken by whoever runs, in any order: all sums agree. */
static void sums_agree(uint64_t seed, unsigned steps, uint64_t objects, bool all_kept)
{
    enum { ALL = 20 };
    struct made m = begin(ALL);
    struct stat s;
    bool waits[ALL + 1] = {false};
    uint64_t at = 100;
    char text[64];
    for (unsigned i = 0; i < steps; i++) {
        uint64_t g = 1 + below(&seed, ALL), by = 1 + below(&seed, ALL), what = below(&seed, 4);
        at += 1 + below(&seed, 50);
        if (waits[g] && (what == 0 || !waits[by])) {
            wake(&m, waits[by] ? g : by, g, at, waits[by] ? 0 : stack(&m, NULL, "unlock", "done", i % 7, "worker"));
            start(&m, g, at + 1 + below(&seed, 20));
            at += 30;
            waits[g] = false;
        } else if (!waits[g] && what > 1) {
            snprintf(text, sizeof text, "mutex m%u", (unsigned)below(&seed, objects));
            block(&m, g, at, "sync", stack(&m, text, "lock", "take", i % 5, "worker"));
            waits[g] = true;
        } else if (!waits[g]) {
            call(&m, g, at, at + 10, stack(&m, NULL, "write", "put", i % 11, "worker"));
            at += 20;
        }
    }
    read_all(&s, &m, all_kept);
    assert_true(s.blame.objects.n <= BLAME_OBJECTS);
    assert_true(s.blame.sums.owners.list.n <= BLAME_OWNERS && s.blame.sums.deeds.list.n <= BLAME_DEEDS);
    assert_true(s.blame.sums.chains.n <= BLAME_CHAINS);
    assert_true(s.blame.waits.list.n >= (objects < 100 ? objects : 100));
    uint64_t sync = 0, waited = 0;
    for (size_t i = 0; i < s.states.list.n; i++)
        if (!strcmp(stat_text_of(&s.spans.texts, (uint32_t)s.states.list.v[i].key), "sync"))
            sync = s.states.list.v[i].total;
    for (size_t i = 0; i < s.blame.waits.list.n; i++)
        waited += s.blame.waits.list.v[i].total;
    assert_int_equal(waited, sync);
    stat_free(&s);
}

static void sums_agree_whatever_happens(void **state)
{
    for (uint64_t seed = 1; seed <= 20; seed++)
        sums_agree(seed, 2000, 1 + seed % 7, true);
}

/* More objects than are kept apart. */
static void objects_without_number_take_bounded_memory(void **state)
{
    sums_agree(1, 60000, 3 * BLAME_OBJECTS, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(owners_follow_each_other),
        cmocka_unit_test(waits_of_owners_are_followed),
        cmocka_unit_test(turns_are_one_link),
        cmocka_unit_test(some_waits_are_nobodys_fault),
        cmocka_unit_test(before_a_thread_was_made_its_maker_is_to_blame),
        cmocka_unit_test(samples_name_what_runs),
        cmocka_unit_test(wakers_of_other_objects),
        cmocka_unit_test(pipes_have_two_ends),
        cmocka_unit_test(a_long_wait_is_forgotten_at_its_beginning),
        cmocka_unit_test(following_takes_no_longer_than_the_trace_is),
        cmocka_unit_test(turns_are_followed_far_back),
        cmocka_unit_test(without_waits_there_are_no_stretches),
        cmocka_unit_test(sums_agree_whatever_happens),
        cmocka_unit_test(objects_without_number_take_bounded_memory),
    };
    return cmocka_run_group_tests_name("blame", tests, NULL, NULL);
}
