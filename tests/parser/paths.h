/* Critical paths of traces, and what must hold for each of them. */
#ifndef THRACE_TESTS_PARSER_PATHS_H
#define THRACE_TESTS_PARSER_PATHS_H

#include "tests/unit/unit.h"

#include "parser/analyze/path_saves.h"
#include "parser/analyze/path_sums.h"

/* The pieces of a path, from its end back. */
enum { LONGEST_PIECES = 3 };

struct pieces {
    int64_t at; /* it is known from there on */
    uint64_t ns, waited, longest[LONGEST_PIECES]; /* the longest first */
};

static inline void note_piece(void *arg, const struct path_piece *p)
{
    struct pieces *s = arg;
    assert_true(p->begin < p->end);
    assert_int_equal(p->end, s->at);
    s->at = p->begin;
    uint64_t ns = (uint64_t)p->end - (uint64_t)p->begin;
    s->ns += ns;
    for (int i = 0; i < LONGEST_PIECES; i++)
        if (ns > s->longest[i]) {
            uint64_t shorter = s->longest[i];
            s->longest[i] = ns;
            ns = shorter;
        }
}

static inline void note_waited(void *arg, uint32_t object, uint64_t ns)
{
    struct pieces *s = arg;
    (void)object;
    assert_true(ns > 0);
    s->waited += ns;
}

static inline uint64_t sum_of(const struct stat_groups *gs)
{
    uint64_t ns = gs->others.total;
    for (size_t i = 0; i < gs->list.n; i++)
        ns += gs->list.v[i].total;
    return ns;
}

/* What costs nothing saves no more than the path has of it, and what nobody waits for no more than all. */
static inline void assert_saves_no_more(struct path_collect *c, const struct path_end *end, const struct path_sums *s)
{
    size_t n = 0, most = s->deeds.list.n + s->objects.list.n + s->names.n + GOTRACE_STATE_IDLE;
    struct path_saving *savings = test_calloc(most, sizeof *savings);
    for (unsigned i = 1; i < GOTRACE_STATE_IDLE; i++)
        savings[n++] = (struct path_saving){PATH_STATE, i, s->state[i]};
    for (size_t i = 0; i < s->deeds.list.n; i++)
        savings[n++] = (struct path_saving){PATH_DEED, s->deeds.list.v[i].key, s->deeds.list.v[i].total};
    for (size_t i = 0; i < s->names.n; i++)
        savings[n++] = (struct path_saving){PATH_NAME, s->names.v[i].name, s->names.v[i].ns};
    for (size_t i = 0; i < s->objects.list.n; i++)
        savings[n++] = (struct path_saving){PATH_OBJECT, s->objects.list.v[i].key, UINT64_MAX};
    uint64_t *bounds = test_calloc(n, sizeof *bounds);
    for (size_t i = 0; i < n; i++)
        bounds[i] = savings[i].ns < s->total ? savings[i].ns : s->total;
    assert_true(path_saves(c, end, savings, n));
    for (size_t i = 0; i < n; i++)
        if (savings[i].ns > bounds[i])
            fail_msg("saving %zu, of kind %d: %llu of %llu", i, (int)savings[i].what,
                     (unsigned long long)savings[i].ns, (unsigned long long)bounds[i]);
    test_free(bounds);
    test_free(savings);
}

/* The path has no gap, and each of its sums is as long as it is. */
static inline void assert_path(struct path_collect *c, const struct path_end *end)
{
    static const struct path_watcher watcher = {note_piece, note_waited};
    uint64_t all = (uint64_t)end->to - (uint64_t)end->from, ns = 0;
    struct pieces p = {.at = end->to};
    assert_true(path_walk(c, end, &watcher, &p));
    assert_int_equal(p.at, end->from);
    assert_int_equal(p.ns, all);
    assert_int_equal(p.waited, all);
    struct path_sums s;
    assert_true(path_sum_up(&s, c, end, LONGEST_PIECES));
    assert_int_equal(s.total, all);
    assert_int_equal(sum_of(&s.deeds), all);
    assert_int_equal(sum_of(&s.objects), all);
    for (size_t i = 0; i < s.names.n; i++)
        ns += s.names.v[i].ns;
    assert_int_equal(ns, all);
    ns = s.others;
    for (size_t i = 0; i < s.pieces.n; i++) {
        ns += (uint64_t)s.pieces.v[i].end - (uint64_t)s.pieces.v[i].begin;
        assert_true(!i || s.pieces.v[i - 1].end <= s.pieces.v[i].begin);
    }
    assert_int_equal(ns, all);
    assert_int_equal(ns - s.others, p.longest[0] + p.longest[1] + p.longest[2]);
    assert_saves_no_more(c, end, &s);
    path_sums_free(&s);
}

#endif
