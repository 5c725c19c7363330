#include "parser/analyze/stat_groups.h"

#include <string.h>

enum { EXACT = 2 * SPREAD_SUB, FIRST_POWER = 5, SUB_BITS = 4 };
_Static_assert(EXACT == 1 << FIRST_POWER && SPREAD_SUB == 1 << SUB_BITS, "small values have buckets of their own");

static unsigned bucket(uint64_t ns)
{
    if (ns < EXACT)
        return (unsigned)ns;
    unsigned power = 63 - (unsigned)__builtin_clzll(ns);
    return EXACT + (power - FIRST_POWER) * SPREAD_SUB + (ns >> (power - SUB_BITS) & (SPREAD_SUB - 1));
}

static uint64_t largest_of(unsigned b)
{
    if (b < EXACT)
        return b;
    unsigned power = (b - EXACT) / SPREAD_SUB + FIRST_POWER, sub = (b - EXACT) % SPREAD_SUB;
    uint64_t width = UINT64_C(1) << (power - SUB_BITS);
    return (SPREAD_SUB + sub) * width + (width - 1);
}

void stat_groups_init(struct stat_groups *gs, bool want_spread)
{
    *gs = (struct stat_groups){.want_spread = want_spread, .others.number = STAT_NGROUPS};
}

void stat_groups_free(struct stat_groups *gs)
{
    for (size_t i = 0; i < gs->list.n; i++)
        free(gs->list.v[i].spread);
    VEC_FREE(&gs->list);
    idmap_free(&gs->index);
}

static struct stat_group *find(struct stat_groups *gs, uint64_t key)
{
    uint32_t known = idmap_get(&gs->index, key);
    if (known)
        return &gs->list.v[known - 1];
    if (gs->list.n == STAT_NGROUPS || gs->failed)
        return &gs->others;
    uint32_t *spread = gs->want_spread ? calloc(SPREAD_BUCKETS, sizeof *spread) : NULL;
    if ((gs->want_spread && !spread) || !VEC_ROOM(&gs->list) ||
        !idmap_add(&gs->index, key, (uint32_t)gs->list.n + 1)) {
        free(spread);
        gs->failed = true;
        return &gs->others;
    }
    struct stat_group *g = &gs->list.v[gs->list.n];
    *g = (struct stat_group){.key = key, .number = (uint32_t)gs->list.n++, .spread = spread};
    return g;
}

uint32_t stat_groups_add(struct stat_groups *gs, uint64_t key, uint64_t ns)
{
    struct stat_group *g = find(gs, key);
    g->count++;
    g->total += ns;
    if (ns > g->max)
        g->max = ns;
    if (g->spread && g->spread[bucket(ns)] < UINT32_MAX)
        g->spread[bucket(ns)]++;
    return g->number;
}

uint64_t stat_group_percentile(const struct stat_group *g, unsigned percent)
{
    uint64_t sum = 0, most = 0;
    for (unsigned b = 0; g->spread && b < SPREAD_BUCKETS; b++)
        sum += g->spread[b];
    uint64_t rank = sum / 100 * percent + (sum % 100 * percent + 99) / 100;
    for (unsigned b = 0; g->spread && b < SPREAD_BUCKETS && most < rank; b++) {
        most += g->spread[b];
        if (most >= rank)
            return largest_of(b) < g->max ? largest_of(b) : g->max;
    }
    return g->max;
}
