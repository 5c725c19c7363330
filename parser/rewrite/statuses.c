/* What is when the stretch begins. */
#include "parser/rewrite/steps.h"

/* A status at the next moment: events come later. */
static bool put(struct trimming *t, uint64_t thread, uint8_t id, const uint64_t *args)
{
    return rewriter_event(t->w, thread, t->w->last + 1, id, args);
}

/*
 * Of who runs or may run, no more is known than what it began with; the stack of its last wait would be a lie.
 */
static bool status_stack(struct trimming *t, const struct trim_go *go, uint64_t *stack)
{
    bool halts = go->status == GO_WAITING || go->status == GO_SYSCALL;
    return rewriter_kept_stack(t->w, &t->kept, halts ? go->stack : go->root, stack);
}

bool trim_state_go(struct trimming *t, struct trim_go *go, uint64_t thread)
{
    if (!t->writes || go->stated || !go->kept)
        return true;
    bool runs = go->status == GO_RUNNING || go->status == GO_SYSCALL;
    uint64_t args[] = {go->id, runs ? go->thread : ID_NONE, go->status, 0};
    go->stated = true;
    go->seq = 0;
    thread = runs ? go->thread : thread;
    if (t->has_stacks && !status_stack(t, go, &args[3]))
        return false;
    if (!put(t, thread, args[3] ? EV_GoStatusStack : EV_GoStatus, args))
        return false;
    return !go->assists || put(t, thread, EV_GCMarkAssistActive, args);
}

bool trim_state_proc(struct trimming *t, struct trim_proc *p, uint64_t thread)
{
    if (!t->writes || p->stated)
        return true;
    bool held = p->status == PROC_RUNNING || p->status == PROC_SYSCALL;
    const uint64_t args[] = {p->id, p->status};
    p->stated = true;
    p->seq = 0;
    thread = held ? p->thread : thread;
    return put(t, thread, EV_ProcStatus, args) && (!p->sweeps || put(t, thread, EV_GCSweepActive, args));
}

static bool state_collection(struct trimming *t, uint64_t thread)
{
    if (t->gc_stated)
        return true;
    t->gc_stated = true;
    return t->gc != TRIM_GC_ON || put(t, thread, EV_GCActive, (uint64_t[]){++t->gc_seq});
}

bool trim_state_before(struct trimming *t, int64_t time, uint64_t thread)
{
    if (!t->writes || !state_collection(t, thread))
        return false;
    while (t->next_proc < t->procs.n && t->w->last < time - 2)
        if (!trim_state_proc(t, &t->procs.v[t->next_proc++], thread))
            return false;
    while (t->next_go < t->gos.n && t->w->last < time - 2) {
        struct trim_go *go = &t->gos.v[t->next_go++];
        if (go->status && !trim_state_go(t, go, thread))
            return false;
    }
    return true;
}

bool trim_mark_end(struct trimming *t, int64_t time)
{
    if (t->w->last >= time)
        return true;
    for (size_t i = 0; i < t->procs.n; i++) {
        const struct trim_proc *p = &t->procs.v[i];
        if (p->stated && p->status != PROC_SYSCALL_ABANDONED)
            return rewriter_event(t->w, p->thread, time, EV_ProcStatus, (uint64_t[]){p->id, p->status});
    }
    for (size_t i = 0; i < t->gos.n; i++) {
        const struct trim_go *go = &t->gos.v[i];
        bool runs = go->status == GO_RUNNING || go->status == GO_SYSCALL;
        if (go->status && go->stated && go->kept)
            return rewriter_event(t->w, go->thread, time, EV_GoStatus,
                                  (uint64_t[]){go->id, runs ? go->thread : ID_NONE, go->status});
    }
    return true;
}
