/* Rules about locks. Of a lock one thing is said: the first that applies, from what is most certain to what is least. */
#include "parser/analyze/findings_judge.h"

struct lock {
    const struct findings *f;
    const struct finding_object *o;
    uint32_t number;
    struct finding_deeds deeds;
    uint64_t waits, time, wall;
    bool is_executed;
};

static bool blames(const struct lock *l, uint64_t ns) { return finding_is_share(ns, l->deeds.total, LIMIT_MOST); }

/* What the owners did most of the time. */
static void say_doing(const struct lock *l, struct finding *it)
{
    finding_set_doing(l->f, it, &l->deeds, l->is_executed);
}

/*
 * Most of the time of writers' waits was ended where the lock is held for reading: who releases there was let in as a
 * reader, or others who wanted to read waited with the writer.
 */
static bool reader_blocks_writer(const struct lock *l, struct finding *it)
{
    uint64_t value = finding_key(l->number, 0, 0);
    uint64_t all = finding_sum(&l->f->writes, FINDING_OBJECT_MASK, value);
    const struct stat_group *top = finding_top(&l->f->writes, FINDING_OBJECT_MASK, value);
    if (!top || top->count < LIMIT_WAITS || !finding_is_share(top->total, all, LIMIT_MOST) ||
        !finding_is_share(all, l->time, LIMIT_MOST) || (!l->is_executed && !finding_is_blocked(l->f, l->number, &l->deeds)))
        return false;
    uint32_t site = finding_place_of(top->key);
    const struct stat_group *readers = finding_top(&l->f->modes, UINT64_MAX, finding_key(l->number, site, 0));
    const struct stat_group *writers = finding_top(&l->f->modes, UINT64_MAX, finding_key(l->number, site, 1));
    if (!readers || (writers && readers->count < 4 * writers->count))
        return false;
    it->kind = FINDING_READER_BLOCKS_WRITER;
    it->n = top->count;
    it->m = top->total;
    say_doing(l, it);
    it->site = site;
    return true;
}

static bool nested(const struct lock *l, struct finding *it)
{
    const struct finding_deed *d = &l->deeds.top_nested;
    if (!blames(l, l->deeds.nested) || !finding_is_share(d->ns, l->deeds.total, LIMIT_MOST / 2))
        return false;
    struct finding_deeds inner = finding_deeds_of(l->f, d->inner - 1);
    struct finding of_inner = finding_about(l->f, d->inner - 1, FINDING_NESTED_LOCK);
    bool executed = finding_is_executed(l->f, d->inner - 1, &inner);
    if (!executed && !finding_is_blocked(l->f, d->inner - 1, &inner))
        return false;
    finding_set_doing(l->f, &of_inner, &inner, executed);
    it->kind = FINDING_NESTED_LOCK;
    it->inner = d->inner;
    it->waiter = it->owner;
    it->place = it->site;
    it->owner = of_inner.owner;
    it->site = of_inner.site;
    it->doing = of_inner.doing;
    it->executes = executed;
    it->n = inner.total ? (uint64_t)(100.0 * (double)of_inner.part / (double)inner.total) : 0;
    it->part = l->deeds.nested;
    it->time = l->deeds.total;
    return true;
}

static bool over_call(const struct lock *l, struct finding *it)
{
    if (!finding_is_blocked(l->f, l->number, &l->deeds))
        return false;
    it->kind = FINDING_LOCK_OVER_CALL;
    say_doing(l, it);
    return true;
}

/* A single thread waits until several of others, who have another name, have had their turn. */
static bool served_in_order(const struct lock *l, struct finding *it)
{
    const struct stat_groups *turns = &l->f->turns;
    uint64_t value = finding_key(l->number, 0, 0);
    for (size_t i = 0; i < turns->list.n; i++) {
        const struct stat_group *g = &turns->list.v[i];
        if ((g->key & FINDING_OBJECT_MASK) != value || g->count < LIMIT_LINE_WAITS ||
            g->total < LIMIT_TURNS * g->count)
            continue;
        uint32_t name = finding_name_of(g->key);
        const struct stat_group *own = finding_top(&l->f->blame->sums.owners, UINT64_MAX,
                                                   blame_owner_key(l->number, name));
        uint32_t nown = own && own->number < l->f->blame->sums.nthreads.n
                            ? l->f->blame->sums.nthreads.v[own->number] : 0;
        const struct stat_group *place = finding_top(&l->f->waits, UINT64_MAX << 16, finding_key(l->number, name, 0));
        if (nown > 1 || it->owner == name || it->nowners < LIMIT_CONVOY || !place ||
            !finding_is_share(finding_sum(&l->f->waits, UINT64_MAX << 16, finding_key(l->number, name, 0)), l->wall,
                              LIMIT_WALL))
            continue;
        it->kind = FINDING_SERVED_IN_ORDER;
        it->waiter = name;
        it->place = finding_place_of(place->key);
        it->n = g->count;
        it->m = g->total;
        say_doing(l, it);
        return true;
    }
    return false;
}

/* Names of those who wait, and whether each has a place that no other has, and wakes no other one but by this lock. */
struct jobs {
    uint32_t names[16], places[16];
    size_t n;
    bool apart;
};

static void add_job(struct jobs *jobs, uint32_t name, uint32_t place)
{
    enum { MAX = sizeof jobs->names / sizeof *jobs->names };
    bool known = false;
    for (size_t i = 0; i < jobs->n; i++) {
        jobs->apart &= jobs->places[i] != place || jobs->names[i] == name;
        known |= jobs->places[i] == place && jobs->names[i] == name;
    }
    if (!known && jobs->n < MAX) {
        jobs->names[jobs->n] = name;
        jobs->places[jobs->n++] = place;
    }
}

static bool talk(const struct findings *f, uint32_t a, uint32_t b)
{
    return idmap_get(&f->talks, (uint64_t)a << 16 | b) || idmap_get(&f->talks, (uint64_t)b << 16 | a);
}

/* Whom of another name the owner has made wait for the longest time. */
static uint32_t other_waiter(const struct lock *l, uint32_t owner)
{
    const struct stat_groups *pairs = &l->f->pairs;
    const struct stat_group *most = NULL;
    for (size_t i = 0; i < pairs->list.n; i++) {
        const struct stat_group *g = &pairs->list.v[i];
        if ((g->key & FINDING_OBJECT_MASK) == finding_key(l->number, 0, 0) && finding_place_of(g->key) == owner &&
            finding_name_of(g->key) != owner && (!most || g->total > most->total))
            most = g;
    }
    return most ? finding_name_of(most->key) : 0;
}

/*
 * Threads of at least three names take the lock, all in places of their own, and most of the time they wait for those of
 * another name, with whom they have nothing else to do.
 */
static bool shared(const struct lock *l, struct finding *it)
{
    struct jobs jobs = {.apart = true};
    const struct stat_groups *waits = &l->f->waits, *pairs = &l->f->pairs;
    uint64_t value = finding_key(l->number, 0, 0), across = 0, all = 0;
    uint32_t names[16], nnames = 0;
    for (size_t i = 0; i < waits->list.n; i++)
        if ((waits->list.v[i].key & FINDING_OBJECT_MASK) == value)
            add_job(&jobs, finding_name_of(waits->list.v[i].key), finding_place_of(waits->list.v[i].key));
    for (size_t i = 0; i < jobs.n; i++) {
        uint32_t k = 0;
        while (k < nnames && names[k] != jobs.names[i])
            k++;
        if (k == nnames && finding_sum(&l->f->pairs, UINT64_MAX << 16, finding_key(l->number, jobs.names[i], 0)) >
                               l->time / 20)
            names[nnames++] = jobs.names[i];
    }
    if (!jobs.apart || nnames < LIMIT_JOBS)
        return false;
    for (size_t i = 0; i < nnames; i++)
        for (size_t k = i + 1; k < nnames; k++)
            if (talk(l->f, names[i], names[k]))
                return false;
    for (size_t i = 0; i < pairs->list.n; i++) {
        const struct stat_group *g = &pairs->list.v[i];
        if ((g->key & FINDING_OBJECT_MASK) != value)
            continue;
        all += g->total;
        across += finding_name_of(g->key) != finding_place_of(g->key) ? g->total : 0;
    }
    if (!finding_is_share(across, all, LIMIT_MOST))
        return false;
    it->kind = FINDING_SHARED_LOCK;
    it->n = nnames;
    it->m = across;
    say_doing(l, it);
    it->waiter = other_waiter(l, it->owner);
    const struct stat_group *place = finding_top(waits, UINT64_MAX << 16, finding_key(l->number, it->waiter, 0));
    it->place = place ? finding_place_of(place->key) : 0;
    return true;
}

static bool convoy(const struct lock *l, struct finding *it)
{
    if (!l->is_executed || l->o->nthreads < LIMIT_CONVOY || (double)l->time < 1.3 * (double)l->o->held)
        return false;
    it->kind = FINDING_CONVOY;
    say_doing(l, it);
    return true;
}

static bool long_hold(const struct lock *l, struct finding *it)
{
    if (!l->is_executed || l->deeds.samples < 2 * LIMIT_SAMPLES ||
        !finding_is_share(l->o->held, l->wall, LIMIT_LONG_WALL))
        return false;
    it->kind = FINDING_LONG_HOLD;
    say_doing(l, it);
    return true;
}

void findings_of_locks(const struct findings *f, uint32_t object, struct finding_list *list)
{
    struct finding it = finding_about(f, object, FINDING_CONVOY);
    struct lock l = {.f = f, .o = &f->objects.v[object], .number = object, .waits = it.waits, .time = it.time,
                     .wall = finding_wall(f)};
    if (l.waits < LIMIT_WAITS || !finding_is_share(l.o->held, l.wall, LIMIT_WALL) || !it.owner)
        return;
    l.deeds = finding_deeds_of(f, object);
    l.is_executed = finding_is_executed(f, object, &l.deeds);
    bool line = l.waits >= LIMIT_LINE_WAITS && l.is_executed;
    if (reader_blocks_writer(&l, &it) || nested(&l, &it) || over_call(&l, &it) ||
        (line && (served_in_order(&l, &it) || shared(&l, &it) || convoy(&l, &it) || long_hold(&l, &it))))
        finding_add(list, &it);
}
