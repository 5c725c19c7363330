/* Goroutines and procs as a reader of v1 sees them, and what is written on each proc. */
#include <inttypes.h>

#include "parser/as_v1/steps.h"

static int64_t no_memory(struct as_v1 *v)
{
    v->b.no_memory = true;
    return -1;
}

int64_t as_v1_go(struct as_v1 *v, uint64_t g)
{
    uint32_t at = idmap_get(&v->go_of, g);
    if (LIKELY(at))
        return at - 1;
    if (v->gos.n >= UINT32_MAX - 1 || !VEC_ROOM(&v->gos) || !idmap_add(&v->go_of, g, (uint32_t)v->gos.n + 1))
        return no_memory(v);
    v->gos.v[v->gos.n] = (struct as_v1_go){0};
    return (int64_t)v->gos.n++;
}

int64_t as_v1_proc(struct as_v1 *v, uint64_t p)
{
    uint32_t at = idmap_get(&v->proc_of, p);
    if (LIKELY(at))
        return at - 1;
    if (p != ID_NONE && (p > V1_GC_P || v->procs.n > AS_V1_MAX_PROCS)) {
        fail(v->f, GOTRACE_EBROKEN, (struct place){.thread = ID_NONE},
             p > V1_GC_P ? "v1 has no proc %" PRIu64 : "v1 has not so many procs as to have proc %" PRIu64, p);
        return -1;
    }
    if (!VEC_ROOM(&v->procs) || !idmap_add(&v->proc_of, p, (uint32_t)v->procs.n + 1))
        return no_memory(v);
    v->procs.v[v->procs.n] = (struct as_v1_proc){.p = p == ID_NONE ? -1 : (int32_t)p};
    return (int64_t)v->procs.n++;
}

int64_t as_v1_place(struct as_v1 *v, const struct gotrace_event *ev)
{
    uint32_t at = ev->goroutine == ID_NONE ? 0 : idmap_get(&v->go_of, ev->goroutine);
    if (ev->proc == ID_NONE)
        return NOWHERE;
    if (ev->proc < V1_TIMER_P)
        return as_v1_proc(v, ev->proc);
    const struct as_v1_go *go = at ? &v->gos.v[at - 1] : NULL;
    if (!go || go->state != V1G_RUNS)
        return NOWHERE;
    if (ev->proc == V1_TIMER_P && !go->timers) {
        v->gos.v[at - 1].timers = true;
        v1_builder_timers(&v->b, ev->goroutine);
    }
    return go->proc - 1;
}

uint64_t as_v1_ticks(const struct as_v1 *v, const struct gotrace_event *ev)
{
    return AS_V1_START_TICKS + ((uint64_t)ev->time - (uint64_t)v->zero);
}

static struct v1_made fill_in(struct as_v1 *v, uint32_t proc, const struct gotrace_event *ev, struct v1_made made)
{
    struct as_v1_proc *p = &v->procs.v[proc];
    made.p = p->p;
    if (!made.seq)
        made.seq = ++v->seq;
    if (!made.ticks)
        made.ticks = as_v1_ticks(v, ev);
    p->last = made.ticks;
    return made;
}

bool as_v1_put(struct as_v1 *v, uint32_t proc, const struct gotrace_event *ev, struct v1_made made)
{
    if (!as_v1_release(v, proc))
        return false;
    made = fill_in(v, proc, ev, made);
    return v1_builder_event(&v->b, &made);
}

bool as_v1_hold(struct as_v1 *v, uint32_t proc, const struct gotrace_event *ev, struct v1_made made)
{
    if (!as_v1_release(v, proc))
        return false;
    made = fill_in(v, proc, ev, made);
    v->procs.v[proc].held = made;
    v->procs.v[proc].has_held = true;
    return true;
}

bool as_v1_release(struct as_v1 *v, uint32_t proc)
{
    struct as_v1_proc *p = &v->procs.v[proc];
    if (!p->has_held)
        return true;
    p->has_held = false;
    return v1_builder_event(&v->b, &p->held);
}

bool as_v1_drop(struct as_v1 *v, const struct gotrace_event *ev)
{
    v->losses.events[ev->type]++;
    return true;
}

uint64_t as_v1_string(struct as_v1 *v, struct gotrace_str s)
{
    return v->b.form.names ? v1_builder_string(&v->b, s.data, s.len) : 0;
}

/* Each stack of a generation is gone through once. */
uint64_t as_v1_stack(struct as_v1 *v, struct gotrace_stack s)
{
    size_t n = gotrace_stack_len(s);
    if (!n)
        return 0;
    if (v->serial != s.serial)
        idmap_clear(&v->stacks);
    v->serial = s.serial;
    uint64_t id = idmap_get(&v->stacks, s.id);
    if (LIKELY(id))
        return id;
    struct v1_frame frames[V1_MAX_FRAMES];
    struct gotrace_frame f;
    n = n < V1_MAX_FRAMES ? n : V1_MAX_FRAMES;
    for (size_t i = 0; i < n && gotrace_stack_frame(s, i, &f); i++) {
        frames[i] = (struct v1_frame){f.pc, as_v1_string(v, f.function), as_v1_string(v, f.file), f.line};
        v->losses.frames += !v->b.form.names && f.function.len;
    }
    id = v1_builder_stack(&v->b, frames, n);
    if (id && (id > UINT32_MAX || !idmap_add(&v->stacks, s.id, (uint32_t)id)))
        no_memory(v);
    return id;
}
