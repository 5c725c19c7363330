#include "parser/analyze/migrations.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_MAX = 128, THREADS_MAX = 1 << 20 };

void migrations_free(struct migrations *m)
{
    idmap_free(&m->index);
    VEC_FREE(&m->list);
}

static const struct migrations_thread nothing_said = {.moves = {0, 1}};

static const struct migrations_thread *find(const struct migrations *m, uint64_t go)
{
    uint32_t at = idmap_get(&m->index, go);
    return at ? &m->list.v[at - 1] : &nothing_said;
}

/* NULL: there are too many, or there is no memory. */
static struct migrations_thread *add(struct migrations *m, uint64_t go)
{
    uint32_t at = idmap_get(&m->index, go);
    if (at)
        return &m->list.v[at - 1];
    if (m->list.n == THREADS_MAX)
        return NULL;
    if (!VEC_ROOM(&m->list) || !idmap_add(&m->index, go, (uint32_t)m->list.n + 1)) {
        m->failed = true;
        return NULL;
    }
    m->list.v[m->list.n] = nothing_said;
    return &m->list.v[m->list.n++];
}

static void take(struct migrations *m, struct gotrace_str string)
{
    static const char mark[] = "thrace ";
    char text[TEXT_MAX];
    uint64_t go, n;
    struct migrations_of of;
    struct migrations_thread *t;
    if (string.len >= sizeof text || string.len < sizeof mark || memcmp(string.data, mark, sizeof mark - 1) != 0)
        return;
    memcpy(text, string.data, string.len);
    text[string.len] = 0;
    m->by_kernel |= sscanf(text, "thrace switches lost %" SCNu64, &n) == 1;
    m->counted |= sscanf(text, "thrace moves threads %" SCNu64, &n) == 1;
    if (sscanf(text, "thrace moves of %" SCNu64 " migrations %" SCNu64 " cpus %" SCNu32, &go, &of.migrations,
               &of.cpus) == 3 &&
        (t = add(m, go)))
        t->moves = of;
    if (sscanf(text, "thrace delay of %" SCNu64 " ns %" SCNu64, &go, &n) == 2 && (t = add(m, go))) {
        t->delay = n;
        t->delay_is_known = m->delays_known = true;
    }
}

bool migrations_delay_of(const struct migrations *m, uint64_t go, uint64_t *ns)
{
    const struct migrations_thread *t = find(m, go);
    *ns = t->delay;
    return t->delay_is_known;
}

void migrations_learn(struct migrations *m, const struct gotrace_event *sync)
{
    struct gotrace_str string;
    for (size_t i = 0; gotrace_event_sync_string(sync, i, &string); i++)
        take(m, string);
}

struct migrations_of migrations_of(const struct migrations *m, uint64_t go) { return find(m, go)->moves; }
