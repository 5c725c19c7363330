/* Collections of garbage, stops of the world, and what users say. */
#include <string.h>

#include "parser/as_v1/steps.h"

static const char *const stop_reasons[] = {
#define V1_STOP_REASON(number, text, text_v2) [number] = text_v2,
#include "parser/v1/stop_reasons.def"
#undef V1_STOP_REASON
};

enum { NREASONS = sizeof stop_reasons / sizeof *stop_reasons };

static bool put_at(struct as_v1 *v, int64_t place, const struct gotrace_event *ev, struct v1_made made)
{
    return place >= 0 && as_v1_put(v, (uint32_t)place, ev, made);
}

/* Its number, from 1.10 to 1.20 that of the two that a collection has; -1: it has none. */
static int stop_kind(struct as_v1 *v, struct gotrace_str reason)
{
    int kind = 0;
    while (kind < NREASONS &&
           (strlen(stop_reasons[kind]) != reason.len || memcmp(stop_reasons[kind], reason.data, reason.len)))
        kind++;
    if (!v->b.form.stops_all) /* nothing says why */
        return 0;
    if (!v->b.form.stop_reasons)
        return kind == 1 || kind == 2 ? kind - 1 : -1;
    v->losses.reasons += kind == NREASONS;
    return kind % NREASONS;
}

/*
 * Since 1.10 there is one stop at a time, by a goroutine that may go on elsewhere; before, each proc has its own, and the
 * end is on the proc of the beginning.
 */
static bool stop_world(struct as_v1 *v, const struct gotrace_event *ev)
{
    struct gotrace_range range = {0};
    gotrace_event_range(ev, &range);
    int kind = stop_kind(v, range.detail);
    int64_t place = as_v1_place(v, ev);
    if (place < 0)
        return false;
    struct as_v1_proc *p = &v->procs.v[place];
    if (kind < 0 || (v->b.form.stops_all ? v->stop_proc != 0 : p->stopped))
        return as_v1_drop(v, ev);
    p->stopped = true;
    v->stop_proc = (uint32_t)place + 1;
    v->stop_g = ev->goroutine;
    return put_at(v, place, ev, (struct v1_made){.id = V1_STWStart, .args = {(uint64_t)kind}});
}

static bool go_on(struct as_v1 *v, const struct gotrace_event *ev)
{
    int64_t place = as_v1_place(v, ev);
    if (place < 0)
        return false;
    bool here = v->procs.v[place].stopped;
    if (!v->stop_proc || (!here && ev->goroutine != v->stop_g)) /* of a stop that was dropped */
        return as_v1_drop(v, ev);
    struct as_v1_proc *began = &v->procs.v[here ? place : v->stop_proc - 1];
    if (!began->stopped)
        return as_v1_drop(v, ev);
    began->stopped = false;
    if (v->b.form.stops_all)
        v->stop_proc = 0;
    else
        place = began - v->procs.v;
    return put_at(v, place, ev, (struct v1_made){.id = V1_STWDone});
}

static bool collect(struct as_v1 *v, const struct gotrace_event *ev)
{
    if (v->collects)
        return ev->type == EV_GCActive || as_v1_drop(v, ev);
    v->collects = true;
    return put_at(v, as_v1_place(v, ev), ev,
                  (struct v1_made){.id = V1_GCStart,
                                   .args = {v->gc_seq++},
                                   .stack = as_v1_stack(v, gotrace_event_stack(ev))});
}

static bool end_collection(struct as_v1 *v, const struct gotrace_event *ev)
{
    if (!v->collects)
        return as_v1_drop(v, ev);
    v->collects = false;
    return put_at(v, as_v1_place(v, ev), ev, (struct v1_made){.id = V1_GCDone});
}

static bool sweep(struct as_v1 *v, const struct gotrace_event *ev)
{
    bool ends = ev->type == EV_GCSweepEnd;
    int64_t place = ev->type == EV_GCSweepActive ? as_v1_proc(v, ev->args[0]) : as_v1_place(v, ev);
    if (place < 0)
        return false;
    struct as_v1_proc *p = &v->procs.v[place];
    if (p->sweeps && ev->type == EV_GCSweepActive)
        return true;
    if (place == NOWHERE || p->sweeps != ends)
        return as_v1_drop(v, ev);
    p->sweeps = !ends;
    if (ends)
        return put_at(v, place, ev, (struct v1_made){.id = V1_GCSweepDone, .args = {ev->args[0], ev->args[1]}});
    return put_at(v, place, ev,
                  (struct v1_made){.id = V1_GCSweepStart, .stack = as_v1_stack(v, gotrace_event_stack(ev))});
}

/* The goroutine of the event, if it runs; its events are on its proc. */
static struct as_v1_go *running(struct as_v1 *v, const struct gotrace_event *ev)
{
    uint32_t at = ev->goroutine == ID_NONE ? 0 : idmap_get(&v->go_of, ev->goroutine);
    struct as_v1_go *go = at ? &v->gos.v[at - 1] : NULL;
    return go && go->state == V1G_RUNS ? go : NULL;
}

/* One that is active in a generation began in one before; at the beginning its end tells that it was there. */
static bool assist(struct as_v1 *v, const struct gotrace_event *ev)
{
    struct as_v1_go *go = running(v, ev);
    if (ev->type == EV_GCMarkAssistActive)
        return true;
    bool ends = ev->type == EV_GCMarkAssistEnd;
    if (!go || (go->assists && !ends) || v->b.form.shapes[V1_GCMarkAssistStart].cls == V1_IS_NONE)
        return as_v1_drop(v, ev);
    go->assists = !ends;
    return as_v1_put(v, go->proc - 1, ev,
                     (struct v1_made){.id = ends ? V1_GCMarkAssistDone : V1_GCMarkAssistStart,
                                      .stack = ends ? 0 : as_v1_stack(v, gotrace_event_stack(ev))});
}

bool as_v1_range(struct as_v1 *v, const struct gotrace_event *ev)
{
    switch (ev->type) {
    case EV_STWBegin:
        return stop_world(v, ev);
    case EV_STWEnd:
        return go_on(v, ev);
    case EV_GCActive:
    case EV_GCBegin:
        return collect(v, ev);
    case EV_GCEnd:
        return end_collection(v, ev);
    case EV_GCSweepActive:
    case EV_GCSweepBegin:
    case EV_GCSweepEnd:
        return sweep(v, ev);
    default:
        return assist(v, ev);
    }
}

/* ---- users ------------------------------------------------------------------------------------------------------- */

static bool task(struct as_v1 *v, const struct gotrace_event *ev, struct v1_made *made)
{
    struct gotrace_task t;
    gotrace_event_task(ev, &t);
    made->args[0] = t.id;
    if (ev->type == EV_UserTaskEnd) {
        made->id = V1_UserTaskEnd;
        if (idmap_get(&v->tasks, t.id))
            idmap_remove(&v->tasks, t.id);
        return true;
    }
    made->id = V1_UserTaskCreate;
    made->args[1] = t.parent == GOTRACE_NONE ? 0 : t.parent;
    made->args[2] = as_v1_string(v, t.type);
    if (idmap_get(&v->tasks, t.id))
        return false;
    v->b.no_memory |= !idmap_add(&v->tasks, t.id, 1);
    return true;
}

static void region(struct as_v1 *v, const struct gotrace_event *ev, struct v1_made *made)
{
    struct gotrace_region r;
    gotrace_event_region(ev, &r);
    made->id = V1_UserRegion;
    made->args[0] = r.task;
    made->args[1] = ev->type == EV_UserRegionEnd;
    made->args[2] = as_v1_string(v, r.type);
}

static void log_message(struct as_v1 *v, const struct gotrace_event *ev, struct v1_made *made)
{
    struct gotrace_log l;
    gotrace_event_log(ev, &l);
    made->id = V1_UserLog;
    made->args[0] = l.task;
    made->args[1] = as_v1_string(v, l.category);
    made->message = (struct v1_text){l.message.data, l.message.len};
}

bool as_v1_user(struct as_v1 *v, const struct gotrace_event *ev)
{
    const struct as_v1_go *go = running(v, ev);
    struct v1_made made = {0};
    if (v->b.form.shapes[V1_UserLog].cls == V1_IS_NONE)
        return as_v1_drop(v, ev);
    int64_t place = go ? go->proc - 1 : as_v1_place(v, ev);
    if (place < 0)
        return false;
    if (ev->type == EV_UserTaskBegin || ev->type == EV_UserTaskEnd) {
        if (!task(v, ev, &made))
            return as_v1_drop(v, ev);
    } else if (ev->type == EV_UserLog) {
        log_message(v, ev, &made);
    } else {
        region(v, ev, &made);
    }
    made.stack = as_v1_stack(v, gotrace_event_stack(ev));
    return put_at(v, place, ev, made);
}
