#include "parser/analyze/stat_groups.h"

#include "parser/analyze/spread.h"

void stat_groups_init(struct stat_groups *gs, bool want_spread)
{
    *gs = (struct stat_groups){.want_spread = want_spread, .max = STAT_NGROUPS, .others.number = STAT_NGROUPS};
}

void stat_groups_init_many(struct stat_groups *gs, size_t max)
{
    *gs = (struct stat_groups){.max = max, .others.number = (uint32_t)max};
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
    size_t place = key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - STAT_RECENT_BITS);
    if (gs->recent[place].known && gs->recent[place].key == key)
        return &gs->list.v[gs->recent[place].known - 1];
    uint32_t known = idmap_get(&gs->index, key);
    gs->recent[place].key = key;
    gs->recent[place].known = known;
    if (known)
        return &gs->list.v[known - 1];
    if (gs->list.n == gs->max || gs->failed)
        return &gs->others;
    uint32_t *spread = gs->want_spread ? spread_new(SPREAD_COARSE) : NULL;
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
    if (g->spread)
        spread_add(g->spread, SPREAD_COARSE, ns);
    return g->number;
}

void stat_groups_sum(struct stat_groups *gs, uint64_t key, const struct stat_group *of)
{
    struct stat_group *g = find(gs, key);
    g->count += of->count;
    g->total += of->total;
    g->max = of->max > g->max ? of->max : g->max;
}

uint64_t stat_group_percentile(const struct stat_group *g, unsigned percent)
{
    return g->spread ? spread_percentile(g->spread, SPREAD_COARSE, percent, g->max) : g->max;
}
