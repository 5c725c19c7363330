/* From the ticks at which events were written to those at which they happened, and to nanoseconds. */
#include <stdlib.h>
#include <string.h>

#include "parser/v1/parse.h"

/* A system call that returned earlier than its event was written. */
struct early {
    struct v1_event ev;
    size_t after; /* so many of the other events came before it */
    size_t number;
};

static int earlier(const void *a, const void *b)
{
    const struct early *l = a, *r = b;
    if (l->ev.time != r->ev.time)
        return l->ev.time < r->ev.time ? -1 : 1;
    return l->number < r->number ? -1 : 1;
}

/*
 * Sorts events by time, of which all but exits are sorted already; those with the same time stay in order. Takes exits
 * out, sorts them, and lets both fall into place from the end.
 */
static bool move_exits(struct v1_parse *s)
{
    struct v1_event *ev = s->t->events;
    size_t n = s->t->nevents, k = s->exits.n, kept = 0;
    if (!k)
        return true;
    struct early *exits = malloc(k * sizeof *exits);
    if (!exits)
        return v1_no_memory(s);
    for (size_t i = 0, e = 0; i < n; i++) {
        if (e < k && s->exits.v[e] == i) {
            exits[e] = (struct early){ev[i], kept, e};
            e++;
        } else {
            ev[kept++] = ev[i];
        }
    }
    qsort(exits, k, sizeof *exits, earlier);
    for (size_t to = n; k; to--) {
        const struct early *x = &exits[k - 1];
        const struct v1_event *o = kept ? &ev[kept - 1] : NULL;
        if (o && (o->time > x->ev.time || (o->time == x->ev.time && kept > x->after)))
            ev[to - 1] = ev[--kept];
        else
            ev[to - 1] = exits[--k].ev;
    }
    free(exits);
    return true;
}

bool v1_clock(struct v1_parse *s)
{
    struct v1_trace *t = s->t;
    if (!move_exits(s))
        return false;
    s->ns_per_tick = 1e9 / (double)t->ticks_per_second;
    s->first = (uint64_t)t->events[0].time;
    return true;
}
