/* Procs, and collections of garbage. */
#include "parser/rewrite/steps.h"

struct trim_proc *trim_add_proc(struct trimming *t, uint64_t id, uint8_t status)
{
    struct trim_proc *p = trim_proc(t, id);
    if (p)
        return p;
    if (t->procs.n >= UINT32_MAX - 1 || !VEC_ROOM(&t->procs) || !idmap_add(&t->proc_of, id, (uint32_t)t->procs.n + 1)) {
        trim_no_memory(t);
        return NULL;
    }
    p = &t->procs.v[t->procs.n++];
    *p = (struct trim_proc){.id = id, .status = status};
    return p;
}

/* One that the thread of a goroutine that is left out keeps in a system call just goes on running. */
static bool status(struct trimming *t, const struct gotrace_event *ev)
{
    bool is_new = !trim_proc(t, ev->args[0]);
    uint8_t said = (uint8_t)ev->args[1];
    struct trim_proc *p = trim_add_proc(t, ev->args[0], said);
    if (!p)
        return false;
    if (!is_new)
        said = said == PROC_SYSCALL_ABANDONED && p->status == PROC_SYSCALL ? said : p->status;
    p->thread = ev->thread;
    p->seq = 0;
    p->stated |= t->writes;
    return trim_put(t, ev, ev->thread, EV_ProcStatus, (uint64_t[]){p->id, said});
}

static bool stop(struct trimming *t, const struct gotrace_event *ev, struct trim_proc *p, uint64_t thread)
{
    if (p->status == PROC_IDLE)
        return true;
    p->status = PROC_IDLE;
    return trim_put(t, ev, thread, EV_ProcStop, NULL);
}

static bool steal(struct trimming *t, const struct gotrace_event *ev)
{
    struct trim_proc *p = trim_proc(t, ev->args[0]);
    if (!p || !ev->args[1]) /* none of the trace: a goroutine that ends in a system call makes it */
        return true;
    if (!trim_state_proc(t, p, ev->thread))
        return false;
    if (p->status == PROC_RUNNING) /* as the call of who had it is left out, it cannot be stolen */
        return stop(t, ev, p, p->thread);
    if (p->status == PROC_IDLE)
        return true;
    p->status = PROC_IDLE;
    return trim_put(t, ev, ev->thread, EV_ProcSteal, (uint64_t[]){p->id, ++p->seq, ev->args[2]});
}

bool trim_proc_event(struct trimming *t, const struct gotrace_event *ev)
{
    struct trim_proc *p = trim_proc(t, ev->type == EV_ProcStart ? ev->args[0] : ev->proc);
    switch (ev->type) {
    case EV_ProcStatus: return status(t, ev);
    case EV_ProcSteal: return steal(t, ev);
    case EV_ProcStop: return !p || (trim_state_proc(t, p, ev->thread) && stop(t, ev, p, ev->thread));
    default: break;
    }
    if (!p)
        return true;
    if (!trim_state_proc(t, p, ev->thread))
        return false;
    p->status = PROC_RUNNING;
    p->thread = ev->thread;
    return trim_put(t, ev, ev->thread, EV_ProcStart, (uint64_t[]){p->id, ++p->seq});
}

/* ---- collections ------------------------------------------------------------------------------------------------ */

/* In the first generation a trace says once that it collects. */
static bool collection(struct trimming *t, const struct gotrace_event *ev)
{
    bool known = t->gc != TRIM_GC_UNKNOWN, first = t->w->generation == 1;
    t->gc = ev->type == EV_GCEnd ? TRIM_GC_OFF : TRIM_GC_ON;
    if (!t->writes || (ev->type == EV_GCActive && first && known))
        return true;
    t->gc_stated = true;
    uint64_t args[] = {++t->gc_seq, ev->args[1]};
    return trim_copy(t, ev, ev->thread, args);
}

static bool sweep(struct trimming *t, const struct gotrace_event *ev)
{
    struct trim_proc *p = trim_proc(t, ev->type == EV_GCSweepActive ? ev->args[0] : ev->proc);
    if (!p || !trim_state_proc(t, p, ev->thread))
        return !p;
    bool said = ev->type == EV_GCSweepActive && p->sweeps && t->w->generation == 1;
    bool begins = ev->type == EV_GCSweepBegin, ends = ev->type == EV_GCSweepEnd;
    if ((begins && p->sweeps) || (ends && !p->sweeps)) /* that it sweeps was said where nobody takes it from */
        return true;
    p->sweeps = ev->type != EV_GCSweepEnd;
    return said || trim_copy(t, ev, ev->thread, ev->args);
}

static bool of_goroutine(struct trimming *t, const struct gotrace_event *ev)
{
    struct trim_go *go = trim_go(t, ev->type == EV_GCMarkAssistActive ? ev->args[0] : ev->goroutine);
    bool said = false;
    if (!go || !go->kept || !trim_state_go(t, go, ev->thread))
        return !go || !go->kept;
    switch (ev->type) {
    case EV_STWBegin:
        if (go->stops)
            return true;
        go->stops = t->writes;
        break;
    case EV_STWEnd:
        if (!go->stops) /* no status says that the world is stopped */
            return true;
        go->stops = false;
        break;
    case EV_GCMarkAssistEnd:
        if (!go->assists) /* as above */
            return true;
        go->assists = false;
        break;
    default:
        said = ev->type == EV_GCMarkAssistActive && go->assists && t->w->generation == 1;
        if (ev->type == EV_GCMarkAssistBegin && go->assists)
            return true;
        go->assists = true;
    }
    return said || trim_copy(t, ev, ev->thread, ev->args);
}

bool trim_range_event(struct trimming *t, const struct gotrace_event *ev)
{
    switch (ev->type) {
    case EV_GCActive:
    case EV_GCBegin:
    case EV_GCEnd: return t->trim->keeps || collection(t, ev);
    case EV_GCSweepActive:
    case EV_GCSweepBegin:
    case EV_GCSweepEnd: return t->trim->keeps || sweep(t, ev);
    default: return of_goroutine(t, ev);
    }
}
