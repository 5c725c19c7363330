/* Rules about threads: the slowest of several, one that all others wait for, sleeps in vain, too many that execute. */
#include "parser/analyze/findings_judge.h"

#include <stdlib.h>
#include <string.h>

static const char *text(const struct findings *f, uint32_t n) { return stat_text_of(&f->spans->texts, n); }

/* ---- the slowest ------------------------------------------------------------------------------------------------ */

/* The object that is the end of that goroutine, by the number behind its name. */
static uint32_t end_of(const struct findings *f, uint64_t thread)
{
    const struct blame *b = f->blame;
    for (uint32_t i = 0; i < b->objects.n && i < f->objects.n; i++) {
        const char *name = text(f, b->objects.v[i].is.name), *number = strrchr(name, ' ');
        if (b->objects.v[i].is.kind == WAIT_THREAD && number && strtoull(number, NULL, 10) == thread)
            return i + 1;
    }
    return 0;
}

static void slowest(const struct findings *f, const struct phase *ph, struct finding_list *list)
{
    const struct phase_worst *w = &ph->worst;
    if (w->n < LIMIT_CONVOY || !finding_is_share(w->alone, w->length, LIMIT_ALONE) ||
        !finding_is_share(w->alone, finding_wall(f), LIMIT_LONG_WALL))
        return;
    uint32_t object = end_of(f, w->last.id);
    if (!object)
        return;
    struct finding_deeds d = finding_deeds_of(f, object - 1);
    bool computed = w->last.samples >= LIMIT_CPU_SAMPLES && w->last.samples * (w->n - 1) >= LIMIT_CPU * w->others &&
                    finding_is_executed(f, object - 1, &d);
    if (!d.total || (!computed && !finding_is_blocked(f, object - 1, &d)))
        return;
    struct finding it = finding_about(f, object - 1, FINDING_SLOWEST_JOIN);
    finding_set_doing(f, &it, &d, computed);
    it.cost = w->alone;
    it.who = w->last.id;
    it.owner = ph->name;
    it.n = w->n;
    it.m = w->length;
    finding_add(list, &it);
}

/* ---- one that all wait for -------------------------------------------------------------------------------------- */

/* The object that others waited for most, as far as this thread was to blame. */
static uint32_t main_object(const struct findings *f, uint64_t thread)
{
    const struct blame_sums *sums = &f->blame->sums;
    uint64_t most = 0;
    uint32_t object = 0;
    for (size_t i = 0; i < sums->each.list.n; i++) {
        const struct stat_group *e = &sums->each.list.v[i];
        if (!stat_pair_is_of(e->key, thread) || e->total <= most)
            continue;
        uint32_t number = (uint32_t)(sums->owners.list.v[stat_pair_number(e->key)].key >> 49);
        enum wait_class class = number < f->objects.n ? f->objects.v[number].class : WAIT_CLASS_END;
        if (class == WAIT_CLASS_END || class == WAIT_CLASS_MEETING)
            continue;
        most = e->total;
        object = number + 1;
    }
    return object;
}

/* It has the processor most of the time, by its samples, too, while the others wait for it, again and again. */
static void everybody(const struct findings *f, const struct finding_owner *o, struct finding_list *list)
{
    uint64_t wall = finding_wall(f);
    if (o->nthreads < 2 || o->waits < LIMIT_VICTIM_WAITS * (uint64_t)o->nthreads ||
        !finding_is_share(o->time, wall * o->nthreads, LIMIT_MOST) || !finding_is_share(o->run, wall, LIMIT_BUSY))
        return;
    uint32_t object = main_object(f, o->id);
    if (!object || finding_has_object(list, object - 1))
        return;
    struct finding_deeds d = finding_deeds_of(f, object - 1);
    if (!finding_is_executed(f, object - 1, &d))
        return;
    bool pool = f->objects.v[object - 1].nthreads == o->nthreads;
    struct finding it = finding_about(f, object - 1, pool ? FINDING_STARVED : FINDING_EVERYBODY);
    if (it.owner != o->name || (!pool && o->nthreads < LIMIT_CONVOY))
        return;
    finding_set_doing(f, &it, &d, true);
    it.cost = o->time / o->nthreads;
    it.nwaiters = o->nthreads;
    it.waits = o->waits;
    it.who = o->id;
    it.n = o->run;
    finding_add(list, &it);
}

/* ---- sleeps in vain --------------------------------------------------------------------------------------------- */

static void polling(const struct findings *f, const struct stat_group *g, struct finding_list *list)
{
    const struct stat_group *naps = finding_top(&f->naps, UINT64_MAX, g->key);
    if (!naps || g->count < LIMIT_POLLS || naps->total < LIMIT_ALL_NAPS ||
        g->number >= f->polled.n ||
        !finding_is_share(f->polled.v[g->number].wall, finding_wall(f), LIMIT_LONG_WALL))
        return;
    struct finding it = {.kind = FINDING_POLLING,
                         .cost = f->polled.v[g->number].wall,
                         .owner = finding_name_of(g->key),
                         .doing = finding_place_of(g->key),
                         .time = g->total,
                         .part = g->total,
                         .n = naps->total,
                         .m = g->count};
    finding_add(list, &it);
}

/* ---- too many that execute -------------------------------------------------------------------------------------- */

static void crowd(const struct findings *f, struct finding_list *list)
{
    const struct stat_group *hot = finding_top(&f->hot, 0, 0);
    if (!hot || !finding_is_share(f->crowded, finding_wall(f), LIMIT_PIPE_WALL))
        return;
    uint32_t name = finding_name_of(hot->key);
    const struct stat_group *maker = finding_top(&f->makers, UINT64_MAX << 16, finding_key(0, name, 0));
    struct finding it = {.kind = FINDING_CROWD,
                         .cost = f->crowded,
                         .owner = name,
                         .site = maker ? finding_place_of(maker->key) : 0,
                         .doing = finding_line_of(f, finding_place_of(hot->key)),
                         .executes = true,
                         .nowners = maker ? maker->count : 0,
                         .time = f->crowd,
                         .part = hot->total,
                         .n = f->crowd / f->crowded,
                         .m = f->ncpu};
    finding_add(list, &it);
}

/* Others have the processors, or a limit keeps them away. */
static void denied(const struct findings *f, struct finding_list *list)
{
    const struct finding_denied *d = &f->denials;
    const struct stat_group *most = finding_top(&f->denied, 0, 0);
    if (!most || most->count < LIMIT_DENIALS ||
        !finding_is_share(d->wall, finding_wall(f), LIMIT_PIPE_WALL))
        return;
    uint32_t name = finding_name_of(most->key);
    const struct stat_group *maker = finding_top(&f->makers, UINT64_MAX << 16, finding_key(0, name, 0));
    struct finding it = {.kind = FINDING_DENIED,
                         .cost = d->wall,
                         .owner = name,
                         .nowners = maker ? maker->count : 0,
                         .waits = most->count,
                         .time = most->total,
                         .part = d->longest,
                         .m = f->ncpu};
    finding_add(list, &it);
}

void findings_of_threads(const struct findings *f, struct finding_list *list)
{
    for (size_t i = 0; i < f->phases.list.n; i++)
        slowest(f, &f->phases.list.v[i], list);
    for (size_t i = 0; i < f->owners.n; i++)
        everybody(f, &f->owners.v[i], list);
    for (size_t i = 0; i < f->polls.list.n; i++)
        polling(f, &f->polls.list.v[i], list);
    crowd(f, list);
    denied(f, list);
}
