/* Stretches of time: garbage collections, sweeps, mark assists, stops of the world; and metrics. */
#include "parser/order.h"

typedef unsigned long long ull;

static uint8_t begin_of(uint8_t type)
{
    return event_table[type].pair ? event_table[type].pair : type;
}

static bool has(const struct spans *s, struct span span)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->v[i].type == span.type && s->v[i].detail == span.detail)
            return true;
    return false;
}

static enum step push(struct order *o, const struct gotrace_event *ev, struct spans *s, struct span span)
{
    if (!VEC_ROOM(s))
        return order_no_memory(o, ev);
    s->v[s->n++] = span;
    return STEP_OK;
}

static enum step begin(struct order *o, const struct gotrace_event *ev, struct spans *s, uint64_t detail)
{
    struct span span = {.type = ev->type, .detail = detail};
    if (has(s, span))
        return order_broken(o, ev, "a range is already in-flight for when starting event %s", event_name(ev->type));
    return push(o, ev, s, span);
}

static enum step active(struct order *o, const struct gotrace_event *ev, struct spans *s)
{
    struct span span = {.type = begin_of(ev->type)};
    bool known = has(s, span);
    if (o->generation != o->first_generation)
        return known ? STEP_OK : order_broken(o, ev, "resource is missing active range: %s", event_name(span.type));
    if (known)
        return order_broken(o, ev, "found named active range already in first gen: %s", event_name(span.type));
    return push(o, ev, s, span);
}

static enum step end(struct order *o, const struct gotrace_event *ev, struct spans *s, uint64_t *detail)
{
    uint8_t type = begin_of(ev->type);
    for (size_t i = 0; i < s->n; i++) {
        if (s->v[i].type == type) {
            *detail = s->v[i].detail;
            s->v[i] = s->v[--s->n];
            return STEP_OK;
        }
    }
    return order_broken(o, ev, "tried to end event %s, but not in-flight", event_name(type));
}

enum step step_go_span_begin(struct order *o, struct gotrace_event *ev, struct thread *t)
{
    if (order_require(o, ev, MUST, MUST))
        return STEP_BROKEN;
    struct go *go = current_go(o, t);
    if (!go)
        return order_broken(o, ev, "goroutine %llu doesn't exist", (ull)ev->goroutine);
    if (!order_more(go))
        return order_no_memory(o, ev);
    return begin(o, ev, &go->more->spans, ev->type == EV_STWBegin ? ev->args[0] : 0);
}

enum step step_go_span_active(struct order *o, struct gotrace_event *ev, struct thread *t)
{
    struct go *go = order_find_go(o, ev->args[0]); /* it need not run */
    if (!go)
        return order_broken(o, ev, "uninitialized goroutine %llu found during %s", (ull)ev->args[0],
                            event_name(ev->type));
    if (!order_more(go))
        return order_no_memory(o, ev);
    return active(o, ev, &go->more->spans);
}

enum step step_go_span_end(struct order *o, struct gotrace_event *ev, struct thread *t)
{
    if (order_require(o, ev, MUST, MUST))
        return STEP_BROKEN;
    struct go *go = current_go(o, t);
    if (!go)
        return order_broken(o, ev, "goroutine %llu doesn't exist", (ull)ev->goroutine);
    static struct spans none;
    uint64_t detail;
    enum step step = end(o, ev, go->more ? &go->more->spans : &none, &detail);
    if (!step && ev->type == EV_STWEnd)
        ev->args[0] = detail;
    return step;
}

enum step step_sweep_begin(struct order *o, struct gotrace_event *ev, struct thread *t)
{
    if (order_require(o, ev, MUST, MAY))
        return STEP_BROKEN;
    struct proc *p = current_proc(o, t);
    if (!p)
        return order_broken(o, ev, "the status of proc %llu is unknown", (ull)ev->proc);
    return begin(o, ev, &p->spans, 0);
}

enum step step_sweep_active(struct order *o, struct gotrace_event *ev, struct thread *t)
{
    struct proc *p = order_find_proc(o, ev->args[0]);
    if (!p)
        return order_broken(o, ev, "GCSweepActive for unknown proc %llu", (ull)ev->args[0]);
    return active(o, ev, &p->spans);
}

enum step step_sweep_end(struct order *o, struct gotrace_event *ev, struct thread *t)
{
    if (order_require(o, ev, MUST, MAY))
        return STEP_BROKEN;
    struct proc *p = current_proc(o, t);
    if (!p)
        return order_broken(o, ev, "the status of proc %llu is unknown", (ull)ev->proc);
    uint64_t detail;
    return end(o, ev, &p->spans, &detail);
}

enum step step_gc_active(struct order *o, struct gotrace_event *ev, struct thread *t)
{
    if (o->generation == o->first_generation) {
        if (o->gc_state != GC_UNDETERMINED)
            return order_broken(o, ev, "GCActive in the first generation isn't first GC event");
        o->gc_seq = ev->args[0];
        o->gc_state = GC_RUNNING;
        return STEP_OK;
    }
    if (ev->args[0] != o->gc_seq + 1)
        return STEP_WAIT;
    if (o->gc_state != GC_RUNNING)
        return order_broken(o, ev, "GCActive while GC was not in progress");
    o->gc_seq = ev->args[0];
    return order_require(o, ev, MUST, MUST);
}

enum step step_gc_begin(struct order *o, struct gotrace_event *ev, struct thread *t)
{
    bool first = o->gc_state == GC_UNDETERMINED;
    if (!first && ev->args[0] != o->gc_seq + 1)
        return STEP_WAIT;
    if (o->gc_state == GC_RUNNING)
        return order_broken(o, ev, "GCBegin while GC was already in progress");
    o->gc_seq = ev->args[0];
    o->gc_state = GC_RUNNING;
    return first ? STEP_OK : order_require(o, ev, MUST, MUST);
}

enum step step_gc_end(struct order *o, struct gotrace_event *ev, struct thread *t)
{
    if (ev->args[0] != o->gc_seq + 1)
        return STEP_WAIT;
    if (o->gc_state != GC_RUNNING)
        return order_broken(o, ev, o->gc_state == GC_UNDETERMINED ? "GCEnd when GC was in an undetermined state"
                                                                  : "GCEnd when GC was not in progress");
    o->gc_seq = ev->args[0];
    o->gc_state = GC_NOT_RUNNING;
    return order_require(o, ev, MUST, MUST);
}

enum step step_heap_metric(struct order *o, struct gotrace_event *ev, struct thread *t)
{
    return order_require(o, ev, MUST, MAY);
}

enum step step_plain(struct order *o, struct gotrace_event *ev, struct thread *t)
{
    return order_require(o, ev, MAY, MAY);
}
