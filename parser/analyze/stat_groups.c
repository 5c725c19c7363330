#include "parser/analyze/stat_groups.h"

#include "parser/analyze/spread.h"

enum { MIN_SLOTS = 64 };

static void init(struct stat_groups *gs, size_t max, bool want_spread)
{
    *gs = (struct stat_groups){.want_spread = want_spread, .max = max, .others.number = (uint32_t)max,
                               .seed = idmap_seed()};
}

void stat_groups_init(struct stat_groups *gs, bool want_spread) { init(gs, STAT_NGROUPS, want_spread); }

void stat_groups_init_many(struct stat_groups *gs, size_t max) { init(gs, max, false); }

void stat_groups_free(struct stat_groups *gs)
{
    for (size_t i = 0; i < gs->list.n; i++)
        free(gs->list.v[i].spread);
    VEC_FREE(&gs->list);
    free(gs->slots);
    gs->slots = NULL;
}

/* ---- index ------------------------------------------------------------------------------------------------------ */

/* The upper half says where to begin to look, the lower one is kept there. */
static inline uint64_t hash(const struct stat_groups *gs, uint64_t key)
{
    unsigned __int128 product = (unsigned __int128)(key ^ gs->seed) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

static inline size_t slot_of(const struct stat_groups *gs, uint64_t h) { return h >> 32 & (gs->nslots - 1); }

/* The number of a group + 1 that may well be the key's; 0: that has none. */
static inline uint32_t guess(const struct stat_groups *gs, uint64_t h)
{
    size_t i = slot_of(gs, h);
    while (gs->slots[i].known && gs->slots[i].tag != (uint32_t)h)
        i = (i + 1) & (gs->nslots - 1);
    return gs->slots[i].known;
}

/* The number of the key's group + 1; 0: it has none. */
static inline uint32_t look_up(const struct stat_groups *gs, uint64_t key, uint64_t h)
{
    if (!gs->nslots)
        return 0;
    for (size_t i = slot_of(gs, h); gs->slots[i].known; i = (i + 1) & (gs->nslots - 1))
        if (gs->slots[i].tag == (uint32_t)h && gs->list.v[gs->slots[i].known - 1].key == key)
            return gs->slots[i].known;
    return 0;
}

static void enter(struct stat_groups *gs, uint64_t h, uint32_t known)
{
    size_t i = slot_of(gs, h);
    while (gs->slots[i].known)
        i = (i + 1) & (gs->nslots - 1);
    gs->slots[i] = (struct stat_slot){(uint32_t)h, known};
}

/* Half of the slots are free. */
static bool has_slot(struct stat_groups *gs)
{
    if (2 * (gs->list.n + 1) <= gs->nslots)
        return true;
    size_t nslots = gs->nslots ? 2 * gs->nslots : MIN_SLOTS;
    struct stat_slot *slots = calloc(nslots, sizeof *slots);
    if (!slots)
        return false;
    free(gs->slots);
    gs->slots = slots;
    gs->nslots = nslots;
    for (size_t i = 0; i < gs->list.n; i++)
        enter(gs, hash(gs, gs->list.v[i].key), (uint32_t)i + 1);
    return true;
}

static COLD struct stat_group *add(struct stat_groups *gs, uint64_t key, uint64_t h)
{
    if (gs->list.n == gs->max || gs->failed)
        return &gs->others;
    uint32_t *spread = gs->want_spread ? spread_new(SPREAD_COARSE) : NULL;
    if ((gs->want_spread && !spread) || !VEC_ROOM(&gs->list) || !has_slot(gs)) {
        free(spread);
        gs->failed = true;
        return &gs->others;
    }
    struct stat_group *g = &gs->list.v[gs->list.n];
    *g = (struct stat_group){.key = key, .number = (uint32_t)gs->list.n++, .spread = spread};
    enter(gs, h, g->number + 1);
    return g;
}

static inline struct stat_group *find(struct stat_groups *gs, uint64_t key, uint64_t h)
{
    uint32_t known = look_up(gs, key, h);
    return known ? &gs->list.v[known - 1] : add(gs, key, h);
}

void stat_groups_prefetch(const struct stat_groups *gs, uint64_t key)
{
    uint32_t known = gs->nslots ? guess(gs, hash(gs, key)) : 0;
    if (known)
        __builtin_prefetch(&gs->list.v[known - 1], 1);
}

/* ---- counting --------------------------------------------------------------------------------------------------- */

static inline void count(struct stat_group *g, uint64_t n, uint64_t total)
{
    g->count += n;
    g->total += total;
    if (total > g->max)
        g->max = total;
    if (g->spread)
        spread_add(g->spread, SPREAD_COARSE, total);
}

/* ---- counted late ----------------------------------------------------------------------------------------------- */

/*
 * Keys come in no order, so where there are many groups, the index, the group and its spread each are a miss of the
 * cache, one after the other. What is counted late has them fetched, a step every few calls, while those of other keys
 * are on their way, too. Few groups are in the cache.
 */
enum { FEW = 512, LATE_FOUND = 3, LATE_TOUCHED = 5 };

static void settle_one(struct stat_groups *gs)
{
    const struct stat_late *l = &gs->late[gs->settled++ % STAT_LATE];
    struct stat_group *g = l->known ? &gs->list.v[l->known - 1] : NULL;
    count(g && g->key == l->key ? g : find(gs, l->key, l->hash), l->count, l->total);
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

static void add_late(struct stat_groups *gs, const struct stat_late *l)
{
    if (gs->nlate - gs->settled == STAT_LATE)
        settle_one(gs);
    gs->late[gs->nlate++ % STAT_LATE] = *l;
    struct stat_late *found = late_since(gs, LATE_FOUND), *touched = late_since(gs, LATE_TOUCHED);
    if (found && !found->known && (found->known = guess(gs, found->hash)))
        __builtin_prefetch(&gs->list.v[found->known - 1], 1);
    if (gs->want_spread && touched && touched->known)
        spread_prefetch(gs->list.v[touched->known - 1].spread, SPREAD_COARSE, touched->total);
}

void stat_groups_add_late(struct stat_groups *gs, uint64_t key, uint64_t n, uint64_t total)
{
    uint64_t h = hash(gs, key);
    if (gs->list.n < FEW) {
        count(find(gs, key, h), n, total);
        return;
    }
    __builtin_prefetch(&gs->slots[slot_of(gs, h)]);
    add_late(gs, &(struct stat_late){key, h, n, total, 0});
}

uint32_t stat_groups_add(struct stat_groups *gs, uint64_t key, uint64_t ns)
{
    if (gs->settled != gs->nlate)
        stat_groups_settle(gs);
    struct stat_group *g = find(gs, key, hash(gs, key));
    count(g, 1, ns);
    return g->number;
}

uint32_t stat_groups_add_found(struct stat_groups *gs, uint64_t key, uint64_t ns)
{
    uint64_t h = hash(gs, key);
    struct stat_group *g = find(gs, key, h);
    uint32_t number = g->number;
    if (gs->list.n < FEW)
        count(g, 1, ns);
    else
        add_late(gs, &(struct stat_late){key, h, 1, ns, number < gs->list.n ? number + 1 : 0});
    return number;
}

void stat_groups_sum(struct stat_groups *gs, uint64_t key, const struct stat_group *of)
{
    struct stat_group *g = find(gs, key, hash(gs, key));
    g->count += of->count;
    g->total += of->total;
    g->max = of->max > g->max ? of->max : g->max;
}

uint64_t stat_group_percentile(const struct stat_group *g, unsigned percent)
{
    return g->spread ? spread_percentile(g->spread, SPREAD_COARSE, percent, g->max) : g->max;
}
