/* Critical paths of real traces, of broken ones and of ones made by chance have no gaps, and add up. */
#include "tests/parser/paths.h"
#include "tests/parser/waits.h"

#include <glob.h>
#include <stdio.h>

#include "tests/unit/random.h"

enum { MOST = 3 << 20, FEW = 64, SPANS = 3, MADE = 150, EVENTS = 400, BROKEN = 60 };

static bool any(void *arg, uint64_t id, const char *name)
{
    (void)arg, (void)name;
    return id % 3 == 1;
}

/* The whole path, and those of some spans that are chosen by chance. Whether there is a trace. */
static bool look_at(const void *data, size_t size, struct random *r, bool valid)
{
    struct path_collect c;
    struct gotrace_reader *reader = gotrace_reader_open_memory(data, size);
    path_collect_init(&c);
    path_log_init(&c.log, FEW);
    assert_true(consume_events(reader, &path_collector, &c));
    uint64_t length = (uint64_t)c.spans.end - (uint64_t)c.spans.begin;
    for (int i = 0; i < SPANS && length; i++) {
        struct path_query q = {.from = c.spans.begin, .to = c.spans.end, .thread = PATH_NOBODY};
        struct path_end end;
        if (i) {
            q.from += (int64_t)(length / 1000 * random_below(r, 999));
            q.to -= (int64_t)(((uint64_t)c.spans.end - (uint64_t)q.from) / 1000 * random_below(r, 999));
            q.matches = random_one_in(r, 2) ? any : NULL;
        }
        assert_true(path_find(&c, &q, &end));
        assert_path(&c, &end);
        free(end.lasts);
    }
    assert_int_equal(c.log.error, 0);
    const struct gotrace_error *e = gotrace_reader_error(reader);
    if (e && valid)
        fail_msg("%s", e->message);
    path_collect_free(&c);
    gotrace_reader_free(reader);
    return length > 0;
}

/* ---- real ones, and what is left of them when bytes are wrong --------------------------------------------------- */

static size_t look_at_file(const char *path, struct random *r)
{
    static uint8_t trace[MOST];
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t size = fread(trace, 1, sizeof trace, f), n = 0;
    fclose(f);
    if (size == sizeof trace)
        return 0;
    print_message("# %s\n", path);
    n += look_at(trace, size, r, false);
    if (size > 50000)
        return n;
    for (int i = 0; i < BROKEN; i++) {
        size_t at = random_below(r, (uint32_t)size);
        uint8_t was = trace[at];
        trace[at] = (uint8_t)random_below(r, 256);
        look_at(trace, size, r, false);
        trace[at] = was;
    }
    return n;
}

static void real_traces(void **state)
{
    static const char *const folders[] = {"go1.19", "go1.21", "go1.22", "go1.23", "legacy", "mix"};
    const char *shared = getenv("THRACE_SHARED"), *source = getenv("top_srcdir");
    struct random r = random_seed(18);
    size_t n = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char pattern[4096];
        glob_t found;
        snprintf(pattern, sizeof pattern, "%s%s/traces/%s/*", shared ? shared : source ? source : ".",
                 shared ? "" : "/../shared", folders[i]);
        if (glob(pattern, 0, NULL, &found))
            SKIP("no shared traces");
        for (size_t k = 0; k < found.gl_pathc; k++)
            n += look_at_file(found.gl_pathv[k], &r);
        globfree(&found);
    }
    assert_true(n > 30);
}

/* ---- made by chance --------------------------------------------------------------------------------------------- */

enum doing { NOT_YET, READY, RUNS, CALLS, WAITS, OVER };

struct chance {
    struct made m;
    struct random r;
    enum doing doing[THREADS];
    uint64_t n, at;
};

static uint64_t any_of(struct chance *c, enum doing doing)
{
    uint64_t g = 1 + random_below(&c->r, (uint32_t)c->n);
    for (uint64_t i = 0; i < c->n; i++, g = g % c->n + 1)
        if (c->doing[g] == doing)
            return g;
    return 0;
}

static void wait_for_something(struct chance *c, uint64_t g)
{
    static const char *const reasons[] = {"sleep", "network", "sync", "chan receive"};
    static const char *const objects[] = {NULL, "socket :80", "mutex m", "pipe 7", "condition c", "thread x"};
    block(&c->m, g, c->at, reasons[random_below(&c->r, 4)],
          stack(&c->m, objects[random_below(&c->r, 6)], "wait", "here", 5 + g % 3, "thread"));
    c->doing[g] = WAITS;
}

static void act(struct chance *c, uint64_t g)
{
    uint64_t other = any_of(c, WAITS);
    switch (random_below(&c->r, 8)) {
    case 0: wait_for_something(c, g); return;
    case 1:
        EVENT(&c->m, g, c->at, GoSyscallBegin, ++c->m.calls[g], stack(&c->m, NULL, "call", "there", 7, "thread"));
        c->doing[g] = CALLS;
        return;
    case 2:
        if (c->n + 1 >= THREADS)
            return;
        EVENT(&c->m, g, c->at, GoCreate, ++c->n, stack(&c->m, NULL, NULL, NULL, 0, "made"), 0);
        c->doing[c->n] = NOT_YET;
        return;
    case 3:
        if (c->n < 3 || !random_one_in(&c->r, 4))
            return;
        EVENT(&c->m, g, c->at, GoDestroy);
        c->doing[g] = OVER;
        return;
    default:
        if (!other)
            return;
        wake(&c->m, g, other, c->at, stack(&c->m, NULL, "wake", "there", 9, "thread"));
        c->doing[other] = READY;
    }
}

static void go_on(struct chance *c)
{
    uint64_t g;
    c->at += 1 + random_below(&c->r, random_one_in(&c->r, 9) ? 5000 : 40);
    switch (random_below(&c->r, 12)) {
    case 0:
        if (!(g = any_of(c, WAITS)))
            return;
        wake(&c->m, g, g, c->at, 0);
        c->doing[g] = READY;
        return;
    case 1:
        if (!(g = any_of(c, NOT_YET)))
            return;
        EVENT(&c->m, g, c->at, ProcStatus, g, 1);
        c->doing[g] = READY;
        return;
    case 2:
    case 3:
        if (!(g = any_of(c, CALLS)))
            return;
        EVENT(&c->m, g, c->at, GoSyscallEnd);
        c->doing[g] = RUNS;
        return;
    case 4:
    case 5:
    case 6:
        if (!(g = any_of(c, READY)))
            return;
        start(&c->m, g, c->at);
        c->doing[g] = RUNS;
        return;
    default:
        if ((g = any_of(c, RUNS)))
            act(c, g);
    }
}

static void traces_made_by_chance(void **state)
{
    for (uint64_t seed = 1; seed <= MADE; seed++) {
        struct chance c = {.r = random_seed(seed), .n = 2 + seed % 4, .at = 100};
        c.m = begin(c.n);
        for (uint64_t g = 1; g <= c.n; g++)
            c.doing[g] = RUNS;
        for (int i = 0; i < EVENTS; i++)
            go_on(&c);
        size_t size;
        assert_int_equal(gotrace_builder_finish(c.m.b), 0);
        const void *bytes = gotrace_builder_bytes(c.m.b, &size);
        print_message("# seed %d\n", (int)seed);
        assert_true(look_at(bytes, size, &c.r, true));
        gotrace_builder_free(c.m.b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_traces),
        cmocka_unit_test(traces_made_by_chance),
    };
    return cmocka_run_group_tests_name("critical-sums", tests, NULL, NULL);
}
