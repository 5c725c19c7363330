/* Puts the events of all procs in one order by their sequence numbers, which all events had before 1.7. */
#include <stdlib.h>

#include "parser/gosort.h"
#include "parser/v1/parse.h"
#include "parser/v1/wire.h"

/* Makes keys[i].value the place of the event that belongs at i no more: that event is at i. */
static void permute(struct v1_event *ev, struct keyed *keys, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct v1_event first = ev[i];
        size_t to = i, from;
        for (; (from = keys[to].value) != i; to = from) {
            ev[to] = ev[from];
            keys[to].value = to;
        }
        ev[to] = first;
        keys[to].value = to;
    }
}

bool v1_sequence(struct v1_parse *s)
{
    struct v1_event *events = s->t->events;
    uint64_t args[V1_MAX_ARGS];
    size_t n = 0;
    struct keyed *keys = malloc(s->t->nevents * sizeof *keys);
    if (!keys)
        return v1_no_memory(s);
    for (size_t i = 0; i < s->procs.n; i++) {
        struct v1_proc *proc = &s->procs.v[i];
        for (; v1_proc_next(s, proc, &events[n], args); n++) {
            keys[n] = (struct keyed){proc->seq, n};
            if (events[n].id != V1_GoSysExit)
                continue;
            /* It is written once the thread has a proc again. */
            keys[n].key = (int64_t)args[1];
            if (args[2])
                events[n].time = (int64_t)args[2];
        }
    }
    if (!s->e->status) {
        gosort(keys, n);
        permute(events, keys, n);
    }
    free(keys);
    if (s->e->status)
        return false;
    for (size_t i = 1; i < n; i++)
        if (events[i].time < events[i - 1].time)
            return v1_fail(s->e, V1_BROKEN, events[i].at, events[i].id, "time stamps out of order");
    return true;
}
