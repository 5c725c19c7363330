#include "parser/analyze/migrations.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_MAX = 128, THREADS_MAX = 1 << 20 };

void migrations_free(struct migrations *m)
{
    idmap_free(&m->index);
    VEC_FREE(&m->list);
    idmap_free(&m->delay_index);
    VEC_FREE(&m->delays);
}

static void add(struct migrations *m, uint64_t go, struct migrations_of of)
{
    uint32_t at = idmap_get(&m->index, go);
    if (at) {
        m->list.v[at - 1] = of;
        return;
    }
    if (m->list.n == THREADS_MAX)
        return;
    if (VEC_ROOM(&m->list) && idmap_add(&m->index, go, (uint32_t)m->list.n + 1))
        m->list.v[m->list.n++] = of;
    else
        m->failed = true;
}

static void add_delay(struct migrations *m, uint64_t go, uint64_t ns)
{
    uint32_t at = idmap_get(&m->delay_index, go);
    if (at) {
        m->delays.v[at - 1] = ns;
        return;
    }
    if (m->delays.n == THREADS_MAX)
        return;
    if (VEC_ROOM(&m->delays) && idmap_add(&m->delay_index, go, (uint32_t)m->delays.n + 1))
        m->delays.v[m->delays.n++] = ns;
    else
        m->failed = true;
}

static void take(struct migrations *m, struct gotrace_str string)
{
    static const char mark[] = "thrace ";
    char text[TEXT_MAX];
    uint64_t go, n;
    struct migrations_of of;
    if (string.len >= sizeof text || string.len < sizeof mark || memcmp(string.data, mark, sizeof mark - 1) != 0)
        return;
    memcpy(text, string.data, string.len);
    text[string.len] = 0;
    m->by_kernel |= sscanf(text, "thrace switches lost %" SCNu64, &n) == 1;
    m->counted |= sscanf(text, "thrace moves threads %" SCNu64, &n) == 1;
    if (sscanf(text, "thrace moves of %" SCNu64 " migrations %" SCNu64 " cpus %" SCNu32, &go, &of.migrations,
               &of.cpus) == 3)
        add(m, go, of);
    if (sscanf(text, "thrace delay of %" SCNu64 " ns %" SCNu64, &go, &n) == 2)
        add_delay(m, go, n);
}

bool migrations_delay_of(const struct migrations *m, uint64_t go, uint64_t *ns)
{
    uint32_t at = idmap_get(&m->delay_index, go);
    *ns = at ? m->delays.v[at - 1] : 0;
    return at;
}

void migrations_learn(struct migrations *m, const struct gotrace_event *sync)
{
    struct gotrace_str string;
    for (size_t i = 0; gotrace_event_sync_string(sync, i, &string); i++)
        take(m, string);
}

struct migrations_of migrations_of(const struct migrations *m, uint64_t go)
{
    uint32_t at = idmap_get(&m->index, go);
    return at ? m->list.v[at - 1] : (struct migrations_of){0, 1};
}
