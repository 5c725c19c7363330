/* Filters: what passes is what they say, and parts of a trace add up to the whole, also who is to blame in them. */
#include "tests/parser/filtered.h"

#include <stdio.h>

#include "tests/unit/random.h"

/* ---- a random one ----------------------------------------------------------------------------------------------- */

enum { NTHREADS = 7, NLOCKS = 3, STEPS = 400, MAX_WAITS = STEPS + NTHREADS };

struct wait {
    unsigned thread, lock;
    uint64_t begin, end; /* 0: it is open at the end */
};

struct story {
    struct made m;
    struct wait waits[MAX_WAITS];
    size_t nwaits;
    unsigned of[NTHREADS + 1]; /* the wait that the thread is in: number + 1 */
    uint64_t at;               /* of the last event; the first one is at 10 */
    struct random random;
};

static uint64_t place(struct story *s, unsigned thread, int lock)
{
    char object[32], name[32];
    snprintf(object, sizeof object, "mutex m%d", lock);
    snprintf(name, sizeof name, "thread %u", thread);
    return stack(&s->m, lock < 0 ? NULL : object, lock < 0 ? "unlock" : "lock", thread % 2 ? "odd" : "even", 5, name);
}

static void begin_wait(struct story *s, unsigned thread, unsigned lock)
{
    block(&s->m, thread, s->at, lock ? "sync" : "chan receive", place(s, thread, (int)lock));
    s->waits[s->nwaits++] = (struct wait){thread, lock, s->at, 0};
    s->of[thread] = (unsigned)s->nwaits;
}

static void end_wait(struct story *s, unsigned thread, unsigned by)
{
    wake(&s->m, by, thread, s->at, place(s, by, -1));
    s->waits[s->of[thread] - 1].end = s->at;
    s->of[thread] = 0;
    s->at += 1 + random_below(&s->random, 5);
    start(&s->m, thread, s->at);
}

/* Thread 1 never waits. */
static void tell(struct story *s, uint64_t seed)
{
    *s = (struct story){.m = begin(NTHREADS), .at = 20, .random = random_seed(seed)};
    for (unsigned thread = 1; thread <= NTHREADS; thread++)
        call(&s->m, thread, s->at + thread, s->at + 10 + thread, place(s, thread, -1));
    s->at += 30;
    for (int step = 0; step < STEPS; step++) {
        unsigned a = 1 + random_below(&s->random, NTHREADS), b = 1 + random_below(&s->random, NTHREADS);
        s->at += 1 + random_below(&s->random, 40);
        if (s->of[a])
            continue;
        if (s->of[b]) {
            end_wait(s, b, a);
        } else if (a > 1) {
            begin_wait(s, a, random_below(&s->random, NLOCKS));
        } else {
            uint64_t from = s->at;
            s->at += 5;
            call(&s->m, a, from, s->at, place(s, a, -1));
        }
    }
    s->at += 10;
    call(&s->m, 1, s->at, s->at + 7, place(s, 1, -1));
    s->at += 7;
    assert_int_equal(gotrace_builder_finish(s->m.b), 0);
}

/* ---- sums ------------------------------------------------------------------------------------------------------- */

static uint64_t sum_of(const struct stat_groups *gs)
{
    uint64_t sum = gs->others.total;
    for (size_t i = 0; i < gs->list.n; i++)
        sum += gs->list.v[i].total;
    return sum;
}

static bool same_text(const struct stat *a, uint32_t m, const struct stat *b, uint32_t n)
{
    return !strcmp(stat_text_of(&a->spans.texts, m), stat_text_of(&b->spans.texts, n));
}

static bool same_state(const struct stat *a, uint64_t m, const struct stat *b, uint64_t n)
{
    return m >> 32 == n >> 32 && same_text(a, (uint32_t)m, b, (uint32_t)n);
}

static bool same_wait(const struct stat *a, uint64_t m, const struct stat *b, uint64_t n)
{
    return same_text(a, (uint32_t)(m >> 32), b, (uint32_t)(n >> 32)) && same_text(a, (uint32_t)m, b, (uint32_t)n);
}

static bool same_owner(const struct stat *a, uint64_t m, const struct stat *b, uint64_t n)
{
    return same_text(a, a->blame.objects.v[m >> 49].is.text, b, b->blame.objects.v[n >> 49].is.text) &&
           same_text(a, blame_owner_name(m), b, blame_owner_name(n));
}

/* The chain by its last link. */
static bool same_deed(const struct stat *a, uint64_t m, const struct stat *b, uint64_t n)
{
    struct blame_deed x = blame_deed_of(m), y = blame_deed_of(n);
    return same_owner(a, m, b, n) && x.state == y.state && same_text(a, x.what, b, y.what) && !x.chain == !y.chain &&
           (!x.chain || same_text(a, a->blame.sums.chains.v[x.chain - 1].name, b,
                                  b->blame.sums.chains.v[y.chain - 1].name));
}

typedef bool same_fn(const struct stat *a, uint64_t m, const struct stat *b, uint64_t n);

static uint64_t sum_like(const struct stat *a, const struct stat_groups *ga, const struct stat *b, uint64_t key,
                         same_fn *same)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < ga->list.n; i++)
        if (same(a, ga->list.v[i].key, b, key))
            sum += ga->list.v[i].total;
    return sum;
}

#define GROUPS(s, at) ((const struct stat_groups *)((const char *)(s) + (at)))

/* Of each group in the whole the parts have all, and no more. */
static void assert_parts(const struct stat *whole, const struct stat *parts, size_t n)
{
    static const struct {
        size_t at;
        same_fn *same;
    } sums[] = {{offsetof(struct stat, states), same_state},
                {offsetof(struct stat, waits), same_wait},
                {offsetof(struct stat, blame.sums.owners), same_owner},
                {offsetof(struct stat, blame.sums.deeds), same_deed}};
    for (size_t k = 0; k < ARRAY_SIZE(sums); k++) {
        const struct stat_groups *all = GROUPS(whole, sums[k].at);
        uint64_t total = 0;
        assert_true(all->list.n > 3);
        for (size_t i = 0; i < all->list.n; i++) {
            uint64_t key = all->list.v[i].key, sum = 0;
            for (size_t part = 0; part < n; part++)
                sum += sum_like(&parts[part], GROUPS(&parts[part], sums[k].at), whole, key, sums[k].same);
            assert_int_equal(sum, sum_like(whole, all, whole, key, sums[k].same));
        }
        for (size_t part = 0; part < n; part++)
            total += sum_of(GROUPS(&parts[part], sums[k].at));
        assert_int_equal(total, sum_of(all));
    }
}

static void free_all(struct stat *whole, struct stat *parts, size_t n)
{
    stat_free(whole);
    for (size_t i = 0; i < n; i++)
        stat_free(&parts[i]);
}

/* Wherever it is cut, by the time or by a percentage. */
static void parts_of_the_time_are_the_whole(void **state)
{
    enum { PARTS = 5 };
    for (int round = 0; round < 20; round++) {
        struct story s;
        struct stat whole, parts[PARTS];
        uint64_t blocks = 0, counted = 0;
        tell(&s, (uint64_t)round + 1);
        sum_up(&s.m, NULL, &whole);
        bool percent = round % 2;
        for (uint64_t i = 0; i < PARTS; i++) {
            uint64_t unit = percent ? SPAN_WHOLE / PARTS : (s.at - 10) / PARTS;
            struct span_filter *f = span_filter_new();
            if (i)
                f->from = (struct span_moment){percent ? SPAN_PART : SPAN_NS, i * unit};
            if (i + 1 < PARTS)
                f->to = (struct span_moment){percent ? SPAN_PART : SPAN_NS, (i + 1) * unit};
            sum_up(&s.m, f, &parts[i]);
            for (size_t k = 0; k < parts[i].threads.apart.n; k++)
                blocks += parts[i].threads.apart.v[k].blocks;
            counted += parts[i].ncounted;
        }
        for (size_t k = 0; k < whole.threads.apart.n; k++)
            blocks -= whole.threads.apart.v[k].blocks;
        assert_int_equal(blocks, 0);
        assert_true(counted >= whole.ncounted); /* what is cut counts in both */
        assert_parts(&whole, parts, PARTS);
        free_all(&whole, parts, PARTS);
        gotrace_builder_free(s.m.b);
    }
}

static void threads_are_the_whole(void **state)
{
    for (int round = 0; round < 10; round++) {
        struct story s;
        struct stat whole, parts[NTHREADS];
        char name[32];
        tell(&s, (uint64_t)round + 1);
        sum_up(&s.m, NULL, &whole);
        for (unsigned i = 0; i < NTHREADS; i++) {
            snprintf(name, sizeof name, "^thread %u$", i + 1);
            sum_up(&s.m, only(SPAN_THREAD, name), &parts[i]);
            assert_int_equal(parts[i].threads.apart.n, 1);
            assert_int_equal(parts[i].threads.apart.v[0].id, i + 1);
        }
        assert_parts(&whole, parts, NTHREADS);
        free_all(&whole, parts, NTHREADS);
        gotrace_builder_free(s.m.b);
    }
}

/* ---- what passes ------------------------------------------------------------------------------------------------ */

struct wanted {
    int thread, lock; /* -1: any */
    int odd;          /* the caller's name is "odd"; -1: whatever it is */
    uint64_t from, to, min; /* the times since the begin of the trace; to 0: its end */
};

static uint64_t waited(const struct story *s, const struct spans *trace, const struct wanted *w)
{
    uint64_t from = (uint64_t)trace->begin + w->from;
    uint64_t to = w->to ? (uint64_t)trace->begin + w->to : (uint64_t)trace->end;
    uint64_t sum = 0;
    for (size_t i = 0; i < s->nwaits; i++) {
        struct wait x = s->waits[i];
        x.end = x.end ? x.end : (uint64_t)trace->end;
        if ((w->thread >= 0 && x.thread != (unsigned)w->thread) || (w->lock >= 0 && x.lock != (unsigned)w->lock) ||
            (w->odd >= 0 && x.thread % 2 != (unsigned)w->odd) || x.end - x.begin < w->min)
            continue;
        x.begin = x.begin > from ? x.begin : from;
        x.end = x.end < to ? x.end : to;
        sum += x.begin < x.end ? x.end - x.begin : 0;
    }
    return sum;
}

static void assert_waits(struct story *s, struct span_filter *f, const struct wanted w)
{
    struct stat sums;
    sum_up(&s->m, f, &sums);
    uint64_t wanted = waited(s, &sums.spans, &w);
    assert_int_equal(sum_of(&sums.waits), wanted);
    assert_int_equal(sum_of(&sums.blame.waits), wanted);
    stat_free(&sums);
}

static void each_filter_is_what_it_says(void **state)
{
    for (int round = 0; round < 10; round++) {
        struct story s;
        struct span_filter *f;
        tell(&s, (uint64_t)round + 1);
        assert_waits(&s, NULL, (struct wanted){-1, -1, -1, 0, 0, 0});
        assert_waits(&s, only(SPAN_THREAD, "3"), (struct wanted){3, -1, -1, 0, 0, 0});
        assert_waits(&s, only(SPAN_THREAD, "x"), (struct wanted){99, -1, -1, 0, 0, 0});
        assert_waits(&s, only(SPAN_OBJECT, "^mutex m[1]"), (struct wanted){-1, 1, -1, 0, 0, 0});
        assert_waits(&s, only(SPAN_FUNCTION, "^(odd|other)$"), (struct wanted){-1, -1, 1, 0, 0, 0});
        assert_waits(&s, only(SPAN_FUNCTION, "^thread 4$"), (struct wanted){4, -1, -1, 0, 0, 0});
        assert_waits(&s, only(SPAN_FUNCTION, "mutex"), (struct wanted){99, -1, -1, 0, 0, 0});
        f = span_filter_new();
        f->reason = "chan receive";
        assert_waits(&s, f, (struct wanted){-1, 0, -1, 0, 0, 0});
        f = span_filter_new();
        f->reason = "chan";
        assert_waits(&s, f, (struct wanted){99, -1, -1, 0, 0, 0});
        f = span_filter_new();
        f->min = s.waits[2].end - s.waits[2].begin;
        assert_waits(&s, f, (struct wanted){-1, -1, -1, 0, 0, s.waits[2].end - s.waits[2].begin});
        f = only(SPAN_OBJECT, "m1");
        f->min = 100;
        f->from = (struct span_moment){SPAN_NS, 990};
        f->to = (struct span_moment){SPAN_NS, 2990};
        assert_waits(&s, f, (struct wanted){-1, 1, -1, 990, 2990, 100});
        gotrace_builder_free(s.m.b);
    }
}

/* Two threads wait for a lock; the second owner is the first of them. */
static void others_waits_are_turns_all_the_same(void **state)
{
    struct made m = begin(3);
    struct stat s;
    block(&m, 2, 100, "sync", stack(&m, "mutex m", "lock", "take", 5, "second"));
    block(&m, 3, 200, "sync", stack(&m, "mutex m", "lock", "take", 6, "third"));
    wake(&m, 1, 2, 400, stack(&m, NULL, "unlock", "done", 90, "first"));
    start(&m, 2, 410);
    wake(&m, 2, 3, 500, stack(&m, NULL, "unlock", "done", 91, "second"));
    assert_int_equal(gotrace_builder_finish(m.b), 0);
    sum_up(&m, only(SPAN_THREAD, "third"), &s);
    assert_int_equal(s.blame.sums.owners.list.n, 2);
    assert_int_equal(s.blame.sums.owners.list.v[0].total, 200);
    assert_int_equal(s.blame.sums.owners.list.v[1].total, 100);
    assert_int_equal(s.blame.waits.list.v[0].count, 1);
    stat_free(&s);
    gotrace_builder_free(m.b);
}

/* More stacks than are remembered. */
static void each_stack_is_looked_at(void **state)
{
    enum { STACKS = 3000 };
    struct made m = begin(2);
    struct stat s;
    uint64_t at = 100;
    for (unsigned i = 0; i < STACKS; i++, at += 10) {
        char name[32];
        snprintf(name, sizeof name, "function %u", i);
        block(&m, 2, at, "sync", stack(&m, NULL, "lock", name, 5, "thread"));
        wake(&m, 1, 2, at + 1, 0);
        start(&m, 2, at + 2);
    }
    assert_int_equal(gotrace_builder_finish(m.b), 0);
    sum_up(&m, only(SPAN_FUNCTION, "[05]$"), &s);
    assert_int_equal(s.ncounted, STACKS / 5);
    stat_free(&s);
    gotrace_builder_free(m.b);
}

static void assert_samples(struct made *m, struct span_filter *f, uint64_t wanted)
{
    struct stat s;
    sum_up(m, f, &s);
    assert_int_equal(s.cpu.samples, wanted);
    assert_int_equal(cpu_hz(&s.cpu, 99), 100000); /* it is that of all */
    stat_free(&s);
}

/* Four samples of thread 1, two of 2, and one of a thread that the trace does not know. */
static void samples_have_stacks_of_their_own(void **state)
{
    struct made m = begin(2);
    struct span_filter *f;
    uint64_t one = stack(&m, NULL, "memcpy", "copy", 5, "main"), two = stack(&m, NULL, NULL, "check", 6, "main");
    uint64_t other = stack(&m, NULL, NULL, "copy", 5, "worker");
    for (uint64_t i = 0; i < 4; i++)
        assert_int_equal(gotrace_builder_cpu_sample(m.b, 1000 + 10000 * i, 1, 1, 1, i ? one : two), 0);
    for (uint64_t i = 0; i < 2; i++)
        assert_int_equal(gotrace_builder_cpu_sample(m.b, 2000 + 10000 * i, 2, 2, 2, other), 0);
    assert_int_equal(gotrace_builder_cpu_sample(m.b, 3000, 9, GOTRACE_NONE, GOTRACE_NONE, one), 0);
    call(&m, 1, 50000, 50100, stack(&m, NULL, "write", "put", 7, "main"));
    call(&m, 2, 50200, 50300, stack(&m, NULL, "write", "put", 7, "worker"));
    assert_int_equal(gotrace_builder_finish(m.b), 0);
    assert_samples(&m, NULL, 7);
    assert_samples(&m, only(SPAN_FUNCTION, "^copy$"), 6);
    assert_samples(&m, only(SPAN_FUNCTION, "^put$"), 0);
    assert_samples(&m, only(SPAN_THREAD, "main"), 4);
    assert_samples(&m, only(SPAN_OBJECT, "."), 0);
    f = only(SPAN_THREAD, "main");
    assert_true(span_filter_expression(f, SPAN_FUNCTION, "copy", NULL, 0));
    assert_samples(&m, f, 3);
    f = span_filter_new();
    f->from = (struct span_moment){SPAN_NS, 5000};
    assert_samples(&m, f, 4);
    f = span_filter_new();
    f->reason = "sync";
    assert_samples(&m, f, 0);
    f = span_filter_new();
    f->min = 40000;
    assert_samples(&m, f, 6);
    gotrace_builder_free(m.b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_the_time_are_the_whole),
        cmocka_unit_test(threads_are_the_whole),
        cmocka_unit_test(each_filter_is_what_it_says),
        cmocka_unit_test(others_waits_are_turns_all_the_same),
        cmocka_unit_test(each_stack_is_looked_at),
        cmocka_unit_test(samples_have_stacks_of_their_own),
    };
    return cmocka_run_group_tests_name("filters", tests, NULL, NULL);
}
