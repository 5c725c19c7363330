/* What thrace stat collects is bounded, whatever the trace, and nothing is lost or mixed up for that. */
#include "tests/unit/unit.h"

#include <stdio.h>

#include "gotrace/builder.h"
#include "parser/analyze/stat_collect.h"
#include "lib/wire/events.h"

enum { KINDS = 10000, ROWS = 7, WAIT = 100, CALL = 10, LIFE = 3 };

static void event(struct gotrace_builder *b, uint64_t time, unsigned id, const uint64_t *args, size_t nargs)
{
    assert_int_equal(gotrace_builder_event(b, time, id, args, nargs), 0);
}
#define EVENT(b, time, name, ...)                                                                                      \
    event(b, time, EV_##name, (uint64_t[]){0, ##__VA_ARGS__} + 1,                                                      \
          sizeof((uint64_t[]){0, ##__VA_ARGS__}) / sizeof(uint64_t) - 1)

static uint64_t stack_of(struct gotrace_builder *b, const char *what, uint64_t i)
{
    char function[32];
    snprintf(function, sizeof function, "%s_%u", what, (unsigned)i);
    struct gotrace_builder_frame f = {((uint64_t)(unsigned char)*what << 32) + i, function, "a.c", 1};
    return gotrace_builder_stack(b, &f, 1);
}

/* Goroutine 1 waits, makes a system call and makes a goroutine, each time from another place. */
static struct gotrace_builder *diverse(void)
{
    struct gotrace_builder *b = gotrace_builder_new_memory(22);
    uint64_t at = 10, seq = 0;
    assert_int_equal(gotrace_builder_generation(b, 1), 0);
    assert_int_equal(gotrace_builder_sync(b, 1000000000, 1, 0, 0, 0), 0);
    assert_int_equal(gotrace_builder_batch(b, 1, at), 0);
    EVENT(b, at, ProcStatus, 0, 1);
    EVENT(b, at, GoStatus, 1, 1, 2);
    at += 10;
    for (uint64_t i = 0; i < KINDS; i++) {
        uint64_t reason = gotrace_builder_string(b, "sync", 4), stack = stack_of(b, "wait", i);
        EVENT(b, at += 10, GoSyscallBegin, i + 1, stack_of(b, "call", i));
        EVENT(b, at += CALL, GoSyscallEnd);
        EVENT(b, at += 10, GoCreate, 100 + i, stack_of(b, "named", i), stack);
        EVENT(b, at += 10, GoBlock, reason, stack);
        EVENT(b, at += 10, GoStart, 100 + i, 1);
        EVENT(b, at += LIFE, GoDestroy);
        EVENT(b, at += WAIT - 10 - LIFE, GoUnblock, 1, ++seq, 0);
        EVENT(b, at += 10, GoStart, 1, ++seq);
    }
    assert_int_equal(gotrace_builder_finish(b), 0);
    return b;
}

/* In each generation the only stack is another one, with the same number. */
static struct gotrace_builder *stack_number_means_another(uint64_t generations)
{
    struct gotrace_builder *b = gotrace_builder_new_memory(22);
    for (uint64_t gen = 1; gen <= generations; gen++) {
        uint64_t at = 1000 * gen;
        assert_int_equal(gotrace_builder_generation(b, gen), 0);
        assert_int_equal(gotrace_builder_sync(b, 1000000000, at, 0, 0, 0), 0);
        assert_int_equal(gotrace_builder_batch(b, 1, at), 0);
        EVENT(b, at + 1, ProcStatus, 0, 1);
        EVENT(b, at + 2, GoStatus, 1, 1, 2);
        EVENT(b, at + 10, GoBlock, gotrace_builder_string(b, "sync", 4), stack_of(b, "wait", gen));
        EVENT(b, at + 10 + WAIT, GoUnblock, 1, 1, 0);
        EVENT(b, at + 200, GoStart, 1, 2);
    }
    assert_int_equal(gotrace_builder_finish(b), 0);
    return b;
}

static void read_all(struct stat *s, const struct gotrace_builder *b)
{
    size_t size;
    const void *bytes = gotrace_builder_bytes(b, &size);
    struct gotrace_reader *r = gotrace_reader_open_memory(bytes, size);
    const struct event_consumer all_but_the_end = {stat_consumer.begin, stat_consumer.event, NULL};
    stat_init(s, ROWS);
    assert_true(consume_events(r, &all_but_the_end, s));
    assert_null(gotrace_reader_error(r));
    gotrace_reader_free(r);
}

static void expect_sum(const struct stat_groups *gs, uint64_t each, bool spread)
{
    uint64_t count = gs->others.count, total = gs->others.total;
    assert_int_equal(gs->list.n, STAT_NGROUPS);
    for (size_t i = 0; i < gs->list.n; i++) {
        count += gs->list.v[i].count;
        total += gs->list.v[i].total;
        assert_int_equal(gs->list.v[i].spread != NULL, spread);
    }
    assert_int_equal(count, KINDS);
    assert_int_equal(total, KINDS * each);
}

static void a_diverse_trace_takes_bounded_memory(void **state)
{
    struct gotrace_builder *b = diverse();
    struct stat s;
    read_all(&s, b);
    assert_true(s.threads.apart.n <= 1024);
    assert_true(stat_consumer.end(&s));
    assert_true(s.spans.live.n <= 2);
    assert_int_equal(s.spans.texts.list.n, STAT_NTEXTS);
    expect_sum(&s.waits, WAIT, true);
    assert_int_equal(s.spans.nthreads, KINDS + 1);
    assert_int_equal(s.threads.apart.n, ROWS);
    assert_int_equal(s.threads.others.n, KINDS + 1 - ROWS);
    assert_int_equal(s.threads.apart.v[0].id, 1);
    assert_int_equal(s.threads.apart.v[0].blocks, KINDS);
    for (int i = 1; i < ROWS; i++)
        assert_int_equal(s.threads.apart.v[i].id, 100 + i - 1);
    assert_int_equal(s.threads.others.time[GOTRACE_STATE_RUNNING], (KINDS + 1 - ROWS) * LIFE);
    stat_free(&s);
    gotrace_builder_free(b);
}

static void stacks_of_other_generations_are_others(void **state)
{
    enum { GENERATIONS = 6 };
    struct gotrace_builder *b = stack_number_means_another(GENERATIONS);
    struct stat s;
    read_all(&s, b);
    assert_true(stat_consumer.end(&s));
    assert_int_equal(s.waits.list.n, GENERATIONS);
    for (int i = 0; i < GENERATIONS; i++)
        assert_int_equal(s.waits.list.v[i].total, WAIT);
    stat_free(&s);
    gotrace_builder_free(b);
}

static void late_keys_share_a_group(void **state)
{
    struct stat_groups gs;
    stat_groups_init(&gs, false);
    for (uint64_t i = 0; i < KINDS; i++)
        assert_int_equal(stat_groups_add(&gs, i << 40, 5), i < STAT_NGROUPS ? i : STAT_NGROUPS);
    assert_int_equal(stat_groups_add(&gs, UINT64_C(7) << 40, 0), 7);
    stat_groups_free(&gs);
    stat_groups_init(&gs, false);
    for (uint64_t i = 0; i < KINDS; i++)
        stat_groups_add(&gs, i, 5);
    expect_sum(&gs, 5, false);
    stat_groups_free(&gs);
}

static void expect_equal(const struct stat_groups *x, const struct stat_groups *y)
{
    assert_int_equal(x->list.n, y->list.n);
    assert_int_equal(x->others.count, y->others.count);
    assert_int_equal(x->others.total, y->others.total);
    for (size_t i = 0; i < y->list.n; i++) {
        const struct stat_group *a = &x->list.v[i], *b = &y->list.v[i];
        assert_true(a->key == b->key && a->count == b->count && a->total == b->total && a->max == b->max);
        assert_int_equal(stat_group_percentile(a, 50), stat_group_percentile(b, 50));
    }
}

/* What is counted late is what is counted at once, in the same order, also where a key is new to several at a time. */
static void counting_late_counts_the_same(void **state)
{
    struct stat_groups late, soon;
    stat_groups_init(&late, true);
    stat_groups_init(&soon, true);
    for (uint64_t i = 0; i < 3 * KINDS; i++) {
        uint64_t key = (i * i % (i % 3 ? 11 : KINDS)) << 40;
        stat_groups_add(&soon, key, i);
        stat_groups_add_late(&late, key, 1, i);
        if (i % 97 == 0)
            assert_int_equal(stat_groups_add(&late, ~i, 1), stat_groups_add(&soon, ~i, 1));
    }
    stat_groups_settle(&late);
    expect_equal(&late, &soon);
    uint32_t number = stat_groups_add(&late, UINT64_C(1) << 40, 0);
    uint64_t count = late.list.v[number].count;
    stat_groups_add_late(&late, UINT64_C(1) << 40, 5, 7);
    stat_groups_settle(&late);
    assert_int_equal(late.list.v[number].count, count + 5);
    stat_groups_free(&late);
    stat_groups_free(&soon);
}

/* The number is known at once, that of the others, too. */
static void a_group_is_found_before_it_is_counted(void **state)
{
    struct stat_groups late, soon;
    stat_groups_init(&late, true);
    stat_groups_init(&soon, true);
    for (uint64_t i = 0; i < 3 * KINDS; i++) {
        uint64_t key = i % KINDS << 40;
        stat_groups_prefetch(&late, key);
        assert_int_equal(stat_groups_add_found(&late, key, i), stat_groups_add(&soon, key, i));
    }
    assert_true(soon.others.count > 0);
    stat_groups_settle(&late);
    expect_equal(&late, &soon);
    stat_groups_free(&late);
    stat_groups_free(&soon);
}

/* Threads are told apart by as many bits of their IDs as there is room for beside the number. */
static void a_pair_has_a_number_and_a_thread(void **state)
{
    uint32_t most = (1U << STAT_PAIR_BITS) - 1;
    uint64_t key = stat_pair_key(most, UINT64_C(1) << 49);
    assert_int_equal(stat_pair_number(key), most);
    assert_int_equal(stat_pair_number(stat_pair_key(5, UINT64_MAX)), 5);
    assert_true(stat_pair_is_of(key, UINT64_C(1) << 49));
    assert_false(stat_pair_is_of(key, UINT64_C(1) << 48));
    assert_false(stat_pair_is_of(key, (UINT64_C(1) << 49) + 1));
}

static void a_percentile_is_a_sixteenth_too_large_at_most(void **state)
{
    static const uint64_t values[] = {0, 1, 31, 32, 33, 1000, 123456789, UINT64_C(1) << 40, INT64_MAX, UINT64_MAX};
    for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
        struct stat_groups gs;
        stat_groups_init(&gs, true);
        for (int n = 0; n < 98; n++)
            stat_groups_add(&gs, 1, values[i]);
        for (int n = 0; n < 2; n++)
            stat_groups_add(&gs, 1, UINT64_MAX);
        uint64_t half = stat_group_percentile(&gs.list.v[0], 50);
        assert_true(half >= values[i] && half - values[i] <= values[i] / 16);
        assert_int_equal(stat_group_percentile(&gs.list.v[0], 98), half);
        assert_true(stat_group_percentile(&gs.list.v[0], 99) == UINT64_MAX);
        stat_groups_free(&gs);
    }
}

/* The value that so many of a hundred are not above: of ten the 91st of a hundred is the last. */
static void percentiles_of_few_values_are_rounded_up(void **state)
{
    struct stat_groups gs;
    stat_groups_init(&gs, true);
    for (uint64_t v = 1; v <= 10; v++)
        stat_groups_add(&gs, 1, v);
    assert_int_equal(stat_group_percentile(&gs.list.v[0], 50), 5);
    assert_int_equal(stat_group_percentile(&gs.list.v[0], 90), 9);
    assert_int_equal(stat_group_percentile(&gs.list.v[0], 91), 10);
    stat_groups_free(&gs);
}

static void a_single_value_is_exact(void **state)
{
    struct stat_groups gs;
    stat_groups_init(&gs, true);
    stat_groups_add(&gs, 1, 1234567);
    assert_int_equal(stat_group_percentile(&gs.list.v[0], 50), 1234567);
    assert_int_equal(stat_group_percentile(&gs.list.v[0], 99), 1234567);
    stat_groups_free(&gs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_diverse_trace_takes_bounded_memory),
        cmocka_unit_test(stacks_of_other_generations_are_others),
        cmocka_unit_test(a_group_is_found_before_it_is_counted),
        cmocka_unit_test(a_pair_has_a_number_and_a_thread),
        cmocka_unit_test(late_keys_share_a_group),
        cmocka_unit_test(counting_late_counts_the_same),
        cmocka_unit_test(a_percentile_is_a_sixteenth_too_large_at_most),
        cmocka_unit_test(percentiles_of_few_values_are_rounded_up),
        cmocka_unit_test(a_single_value_is_exact),
    };
    return cmocka_run_group_tests_name("stat bounds", tests, NULL, NULL);
}
