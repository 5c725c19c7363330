/* Who is to blame for waits: of large traces that the sums agree, and memory and time are bounded. */
#include "tests/parser/waits.h"

#include <stdio.h>

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

/* An address at the end of a name is what tells two objects apart. */
static void long_names_keep_their_addresses(void **state)
{
    static const struct {
        const char *end, *shown;
    } cases[] = {{" (0x7f10180f4698)", "ppp… (0x7f10180f4698)"},
                 {" (0xffffffffffffffff)", "ppp… (0xffffffffffffffff)"},
                 {" (0x10180f46982010180f4698)", "ppp…"},
                 {" (x)", "ppp…"},
                 {"0x7f10)", "ppp…"}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct made m = begin(2);
        struct stat s;
        char name[200] = "mutex waited for in ";
        for (size_t n = strlen(name); n < 160; n++)
            name[n] = 'p';
        strcat(name, cases[i].end);
        block(&m, 2, 100, "sync", stack(&m, name, "lock", "take", 5, "worker"));
        wake(&m, 1, 2, 200, 0);
        start(&m, 2, 210);
        read_all(&s, &m, true);
        for (int full = 0; full < 2; full++) {
            const struct stat_object *is = &s.blame.objects.v[0].is;
            const char *text = stat_text_of(&s.spans.texts, full ? is->text : is->name);
            const char *shown = cases[i].shown;
            assert_true(strlen(text) <= 120 && strlen(text) >= 118);
            assert_string_equal(text + strlen(text) - strlen(shown), shown);
        }
        stat_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_wait_is_forgotten_at_its_beginning),
        cmocka_unit_test(following_takes_no_longer_than_the_trace_is),
        cmocka_unit_test(turns_are_followed_far_back),
        cmocka_unit_test(without_waits_there_are_no_stretches),
        cmocka_unit_test(sums_agree_whatever_happens),
        cmocka_unit_test(objects_without_number_take_bounded_memory),
        cmocka_unit_test(long_names_keep_their_addresses),
    };
    return cmocka_run_group_tests_name("blame bounds", tests, NULL, NULL);
}
