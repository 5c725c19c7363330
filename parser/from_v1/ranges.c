/*
 * Collections, stops of the world and mark assists. What begins is dropped when its end cannot be said: how it ends is
 * known from the first time.
 */
#include "parser/from_v1/events.h"

/* The number of what begins; NO_NUMBER: it is to be dropped. */
static size_t begin(struct world *w)
{
    size_t n = w->nbegins++;
    if (w->writes)
        return w->begins.v[n] ? NO_NUMBER : n;
    if (VEC_ROOM(&w->begins))
        w->begins.v[w->begins.n++] = false;
    else
        w->no_memory = true;
    return w->no_memory ? NO_NUMBER : n;
}

static void drop_begin(struct world *w, size_t n)
{
    if (!w->writes && n != NO_NUMBER)
        w->begins.v[n] = true;
}

uint32_t runner(struct world *w, const struct gotrace_event *ev)
{
    uint32_t go = go_of(w, ev);
    return runs(w, go) ? go_at(w, go)->thread : any_runner(w);
}

void begin_gc(struct world *w, const struct gotrace_event *ev, uint64_t *args)
{
    uint32_t thread = runner(w, ev);
    size_t n = begin(w);
    if (!thread || n == NO_NUMBER) {
        drop(w, ev->type);
        return;
    }
    args[0] = ++w->gc_seq;
    w->collects = true;
    w->collection = n;
    put(w, thread, ev->type, args);
}

void end_gc(struct world *w, const struct gotrace_event *ev, uint64_t *args)
{
    uint32_t thread = runner(w, ev);
    if (!w->collects || !thread) {
        if (w->collects)
            drop_begin(w, w->collection);
        w->collects = false;
        drop(w, ev->type);
        return;
    }
    args[0] = ++w->gc_seq;
    w->collects = false;
    put(w, thread, ev->type, args);
}

/* Where a stop is noted; NULL: nowhere, as it is that of a proc which is none. */
static struct v2_stop *stop_of(struct world *w, const struct gotrace_event *ev)
{
    if (w->from->trace.form.stops_all)
        return &w->stop;
    uint32_t proc = proc_of(w, ev);
    return proc ? &w->procs.v[proc].stop : NULL;
}

void begin_stop(struct world *w, const struct gotrace_event *ev, const uint64_t *args)
{
    uint32_t go = go_of(w, ev);
    size_t n = begin(w);
    struct v2_stop *stop = stop_of(w, ev);
    if (!stop || !runs(w, go) || go_at(w, go)->stops || n == NO_NUMBER) {
        drop(w, ev->type);
        return;
    }
    *stop = (struct v2_stop){go, n};
    go_at(w, go)->stops = true;
    go_at(w, go)->stop = n;
    put(w, go_at(w, go)->thread, ev->type, args);
}

void end_stop(struct world *w, const struct gotrace_event *ev)
{
    struct v2_stop *stop = stop_of(w, ev);
    uint32_t go = stop ? stop->go : 0;
    if (go && runs(w, go)) {
        put(w, go_at(w, go)->thread, ev->type, NULL);
    } else {
        if (go)
            drop_begin(w, stop->number);
        drop(w, ev->type);
    }
    if (go) {
        go_at(w, go)->stops = false;
        stop->go = 0;
    }
}

void begin_assist(struct world *w, const struct gotrace_event *ev, const uint64_t *args)
{
    uint32_t go = go_of(w, ev);
    size_t n = begin(w);
    if (go)
        go_at(w, go)->assisted = true;
    if (!runs(w, go) || go_at(w, go)->assists || n == NO_NUMBER) {
        drop(w, ev->type);
        return;
    }
    go_at(w, go)->assists = true;
    go_at(w, go)->assist = n;
    put(w, go_at(w, go)->thread, ev->type, args);
}

/* One that began before the trace did is active at its beginning. */
void end_assist(struct world *w, const struct gotrace_event *ev)
{
    uint32_t go = go_of(w, ev);
    struct v2_go *g = go_at(w, go);
    if (runs(w, go) && !g->assists && !g->assisted)
        add_plan(w, g->id, PLAN_ASSIST);
    if (go && runs(w, go) && g->assists) {
        put(w, g->thread, ev->type, NULL);
    } else {
        if (go && g->assists)
            drop_begin(w, g->assist);
        drop(w, ev->type);
    }
    if (go) {
        g->assists = false;
        g->assisted = true;
    }
}

void end_all(struct world *w, const struct v2_go *g)
{
    if (g->assists)
        drop_begin(w, g->assist);
    if (g->stops)
        drop_begin(w, g->stop);
}
