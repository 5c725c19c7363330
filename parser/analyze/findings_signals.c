/* Rules about conditions and semaphores, pipes, barriers. */
#include "parser/analyze/findings_judge.h"

#include <string.h>

/*
 * m of n who were woken could execute only after a call of who had woken them: that one had the mutex. None could
 * before, but for a tenth, for which there are other reasons to wait for a processor.
 */
static bool mutex_held(const struct findings *f, const struct finding_object *o, struct finding *it)
{
    const struct stat_group *top = finding_top(&f->mutex, FINDING_OBJECT_MASK, finding_key(it->object - 1, 0, 0));
    if (!top || o->with_mutex < LIMIT_LINE_WAITS || 10 * o->without_mutex > o->with_mutex ||
        !finding_is_share(o->mutex_wall, finding_wall(f), LIMIT_WALL))
        return false;
    it->kind = FINDING_MUTEX_HELD;
    it->cost = o->mutex_wall;
    it->doing = finding_name_of(top->key);
    it->site = finding_place_of(top->key);
    it->part = o->mutex_time;
    it->n = o->wakes;
    it->m = o->with_mutex;
    return true;
}

/*
 * n broadcasts woke several threads, m in sum, of whom most waited again at once, and some did not: else it might be
 * that there is little to do each time. A herd is when all but one did.
 */
static bool futile(const struct findings *f, const struct finding_object *o, struct finding *it)
{
    if (o->mixed < LIMIT_HERDS || !finding_is_share(o->mixed, o->broadcasts, LIMIT_MOST) ||
        o->mixed_again < LIMIT_FUTILE ||
        (double)o->mixed_again * 1e9 < (double)LIMIT_FUTILE_RATE * (double)finding_wall(f) ||
        !finding_is_share(o->again_time, finding_wall(f), LIMIT_FUTILE_WALL))
        return false;
    it->kind = finding_is_share(o->herds, o->mixed, LIMIT_MOST) ? FINDING_HERD : FINDING_FUTILE;
    it->cost = o->again_time < o->held ? o->again_time : o->held;
    it->part = o->again_time;
    it->n = o->mixed;
    it->m = o->mixed_woken;
    it->time = o->mixed_again;
    return true;
}

static bool late(const struct findings *f, const struct finding_object *o, struct finding *it)
{
    const struct stat_group *top = finding_top(&f->late, FINDING_OBJECT_MASK, finding_key(it->object - 1, 0, 0));
    if (!top || o->late < LIMIT_WAITS || !finding_is_share(o->late_time, it->time, LIMIT_MOST) ||
        !finding_is_share(o->held, finding_wall(f), LIMIT_WALL))
        return false;
    it->kind = FINDING_LATE_SIGNAL;
    it->doing = finding_name_of(top->key);
    it->site = finding_place_of(top->key);
    it->part = o->late_time;
    it->n = o->late;
    return true;
}

void findings_of_signals(const struct findings *f, uint32_t object, struct finding_list *list)
{
    const struct finding_object *o = &f->objects.v[object];
    struct finding it = finding_about(f, object, FINDING_HERD);
    if (mutex_held(f, o, &it) || futile(f, o, &it) || late(f, o, &it))
        finding_add(list, &it);
}

/* ---- pipes ------------------------------------------------------------------------------------------------------ */

/* The time in which somebody waited for the same pipe to be filled. */
static uint64_t held_empty(const struct findings *f, uint32_t object)
{
    const struct blame *b = f->blame;
    uint32_t other = idmap_get(&b->index, (uint64_t)b->objects.v[object].is.text << 1);
    return other && other <= f->objects.n ? f->objects.v[other - 1].held : 0;
}

static bool say_doing(const struct findings *f, uint32_t object, struct finding *it)
{
    struct finding_deeds d = finding_deeds_of(f, object);
    bool executed = finding_is_executed(f, object, &d);
    if (!executed && !finding_is_blocked(f, object, &d))
        return false;
    finding_set_doing(f, it, &d, executed);
    return true;
}

static void slow_reader(const struct findings *f, uint32_t object, struct finding_list *list)
{
    const struct finding_object *o = &f->objects.v[object];
    struct finding it = finding_about(f, object, FINDING_SLOW_READER);
    if (!f->blame->objects.v[object].full || it.waits < LIMIT_WAITS || !it.owner ||
        !finding_is_share(o->held, finding_wall(f), LIMIT_PIPE_WALL) || 5 * held_empty(f, object) > o->held ||
        !say_doing(f, object, &it))
        return;
    finding_add(list, &it);
}

/* ---- barriers --------------------------------------------------------------------------------------------------- */

/* Of those who met at the object, the owner of that number: how long the others waited for it. */
static uint64_t time_of(const struct findings *f, uint32_t object, uint64_t thread)
{
    const struct blame_sums *sums = &f->blame->sums;
    uint64_t ns = 0;
    for (size_t i = 0; i < sums->each.list.n; i++) {
        const struct stat_group *e = &sums->each.list.v[i];
        uint64_t owner = sums->owners.list.v[stat_pair_number(e->key)].key;
        if (stat_pair_is_of(e->key, thread) && (owner & BLAME_OBJECT_MASK) == blame_object_key(object))
            ns += e->total;
    }
    return ns;
}

/* It has twice the samples of the others, on average, and they wait for it most of the time. */
static void straggler(const struct findings *f, uint32_t object, struct finding_list *list)
{
    const struct finding_object *o = &f->objects.v[object];
    const struct finding_met *met = &o->met;
    struct finding it = finding_about(f, object, FINDING_STRAGGLER);
    if (met->n < 2 || met->most < LIMIT_CPU_SAMPLES || !finding_is_share(o->held, finding_wall(f), LIMIT_LONG_WALL) ||
        met->most * (met->n - 1) < LIMIT_CPU * (met->samples - met->most) ||
        !finding_is_share(time_of(f, object, met->who), it.time, LIMIT_MOST) || !say_doing(f, object, &it))
        return;
    it.who = met->who;
    it.owner = met->name;
    it.nwaiters = met->n - 1;
    it.n = met->most;
    it.m = met->samples - met->most;
    finding_add(list, &it);
}

void findings_of_others(const struct findings *f, uint32_t object, struct finding_list *list)
{
    switch (f->blame->objects.v[object].is.kind) {
    case WAIT_PIPE: slow_reader(f, object, list); break;
    case WAIT_BARRIER: straggler(f, object, list); break;
    default: break;
    }
}
