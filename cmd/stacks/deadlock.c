#include "config.h"

#include "cmd/stacks/deadlock.h"

#include <stdlib.h>
#include <string.h>

static size_t number_of(const struct threads *ts, pid_t own_tid)
{
    const struct thread *t = own_tid ? threads_find(ts, own_tid) : NULL;
    return t ? (size_t)(t - ts->list.v) : SIZE_MAX;
}

/* Those that are on a circle of the arrows, each of which leads from a thread to at most one other. */
static void mark_circles(const size_t *next, size_t n, bool *in_circle)
{
    for (size_t i = 0; i < n; i++) {
        size_t at = next[i], steps = 0;
        while (at != SIZE_MAX && at != i && steps++ < n)
            at = next[at];
        in_circle[i] = at == i;
    }
}

bool deadlocks_find(const struct process *p, const struct threads *ts, const struct wait *waits, size_t *next,
                    bool *in_circle)
{
    size_t n = ts->list.n;
    struct thread_moment *before = calloc(n + 1, sizeof *before);
    if (!before)
        return false;
    for (size_t i = 0; i < n; i++)
        next[i] = waits[i].is_limited ? SIZE_MAX : number_of(ts, waits[i].other);
    mark_circles(next, n, in_circle);
    for (size_t i = 0; i < n; i++)
        if (in_circle[i] && !thread_moment(p, &ts->list.v[i], &before[i]))
            next[i] = SIZE_MAX;
    for (size_t i = 0; i < n; i++)
        if (in_circle[i] && next[i] != number_of(ts, wait_other(&waits[i], p)))
            next[i] = SIZE_MAX;
    for (size_t i = 0; i < n; i++) {
        struct thread_moment after = {0};
        bool same = in_circle[i] && thread_moment(p, &ts->list.v[i], &after) &&
                    !memcmp(&after, &before[i], sizeof after);
        if (in_circle[i] && !same)
            next[i] = SIZE_MAX;
    }
    mark_circles(next, n, in_circle);
    free(before);
    return true;
}
