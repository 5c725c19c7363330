#include "parser/rewrite/align.h"

#include <string.h>

/* 146 years, so that no sum of a time and a shift is out of range. */
static const int64_t MOST = INT64_MAX / 4;

bool merge_has_clock(enum merge_clock clock, const struct origin *o)
{
    return o->has_clock || clock == MERGE_START || clock == MERGE_NONE;
}

/* The first one of the same boot: its wall clock goes for all of them, as that may have been set in the meantime. */
static const struct origin *of_boot(const struct origin *o, const struct origin *const *origins)
{
    if (!*o->boot)
        return o;
    while (!(*origins)->has_clock || strcmp((*origins)->boot, o->boot) != 0)
        origins++;
    return *origins;
}

/* When it begins, on the clock. */
static __int128 begin_of(enum merge_clock clock, const struct merge_moment *m, const struct origin *o,
                         const struct origin *const *origins)
{
    __int128 since = (__int128)m->begin - o->trace + m->moved;
    switch (clock) {
    case MERGE_START: return m->moved;
    case MERGE_NONE: return (__int128)m->begin + m->moved;
    case MERGE_MONOTONIC: return o->mono + since;
    default: break;
    }
    const struct origin *first = of_boot(o, origins);
    return (__int128)first->wall - first->mono + o->mono + since;
}

/* The first of the clocks that are known is that of all. */
static void say_clock(struct merge_moment *const *moments, const struct origin *const *origins, size_t n,
                      struct origin *all)
{
    bool one = true;
    *all = (struct origin){0};
    for (size_t i = 0; i < n; i++) {
        if (!origins[i]->has_clock)
            continue;
        if (!all->has_clock) {
            *all = *origins[i];
            all->trace += moments[i]->shift;
        }
        one &= !strcmp(all->boot, origins[i]->boot);
    }
    if (!one)
        *all->boot = 0;
}

static bool is_near(__int128 time) { return time > -MOST && time < MOST; }

bool merge_align(enum merge_clock clock, struct merge_moment *const *moments, const struct origin *const *origins,
                 size_t n, struct origin *all)
{
    __int128 earliest = 0;
    size_t first = n;
    for (size_t i = 0; i < n; i++) {
        __int128 begin = begin_of(clock, moments[i], origins[i], origins);
        if (!is_near(moments[i]->begin) || !is_near(moments[i]->moved) || !is_near(origins[i]->trace))
            return false;
        if (first == n || begin < earliest) {
            earliest = begin;
            first = i;
        }
    }
    for (size_t i = 0; i < n; i++) {
        __int128 later = begin_of(clock, moments[i], origins[i], origins) - earliest;
        __int128 shift = moments[first]->begin + later - moments[i]->begin;
        if (!is_near(later) || !is_near(shift))
            return false;
        moments[i]->shift = (int64_t)shift;
    }
    say_clock(moments, origins, n, all);
    return true;
}
