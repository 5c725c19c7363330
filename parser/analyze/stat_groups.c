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

static struct stat_group *find_or_add(struct stat_groups *gs, uint64_t key, uint32_t known)
{
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

static struct stat_group *find(struct stat_groups *gs, uint64_t key)
{
    size_t place = key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - STAT_RECENT_BITS);
    if (gs->recent[place].known && gs->recent[place].key == key)
        return &gs->list.v[gs->recent[place].known - 1];
    uint32_t known = idmap_get(&gs->index, key);
    gs->recent[place].key = key;
    gs->recent[place].known = known;
    return find_or_add(gs, key, known);
}

static void count(struct stat_group *g, uint64_t n, uint64_t total)
{
    g->count += n;
    g->total += total;
    if (total > g->max)
        g->max = total;
    if (g->spread)
        spread_add(g->spread, SPREAD_COARSE, total);
}

uint32_t stat_groups_add(struct stat_groups *gs, uint64_t key, uint64_t ns)
{
    if (gs->settled != gs->nlate)
        stat_groups_settle(gs);
    struct stat_group *g = find(gs, key);
    count(g, 1, ns);
    return g->number;
}

/* ---- counted late ----------------------------------------------------------------------------------------------- */

/*
 * Keys come in no order, so the index, the group and its spread each are a miss of the cache, one after the other. What
 * is counted late has them fetched, a step every few calls, while those of other keys are on their way, too.
 */
enum { LATE_FOUND = 3, LATE_TOUCHED = 5 };

static void settle_one(struct stat_groups *gs)
{
    const struct stat_late *l = &gs->late[gs->settled++ % STAT_LATE];
    /* One of the same key may have been counted since it was looked for. */
    count(find_or_add(gs, l->key, l->known ? l->known : idmap_get(&gs->index, l->key)), l->count, l->total);
}

void stat_groups_settle(struct stat_groups *gs)
{
    while (gs->settled != gs->nlate)
        settle_one(gs);
}

/* One that was added so many calls ago; NULL: it is counted. */
static struct stat_late *late_since(struct stat_groups *gs, uint64_t calls)
{
    return gs->nlate - gs->settled > calls ? &gs->late[(gs->nlate - 1 - calls) % STAT_LATE] : NULL;
}

void stat_groups_add_late(struct stat_groups *gs, uint64_t key, uint64_t n, uint64_t total)
{
    if (gs->nlate - gs->settled == STAT_LATE)
        settle_one(gs);
    idmap_prefetch(&gs->index, key);
    gs->late[gs->nlate++ % STAT_LATE] = (struct stat_late){key, n, total, 0};
    struct stat_late *found = late_since(gs, LATE_FOUND), *touched = late_since(gs, LATE_TOUCHED);
    if (found && (found->known = idmap_get(&gs->index, found->key)))
        __builtin_prefetch(&gs->list.v[found->known - 1], 1);
    if (touched && touched->known && gs->list.v[touched->known - 1].spread)
        spread_prefetch(gs->list.v[touched->known - 1].spread, SPREAD_COARSE, touched->total);
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
