/*
 * The beginning and the end of one trace among several. Goroutines that have no proc take turns with one. All that
 * happens has a moment of its own, some nanoseconds in all, so that the order is never in doubt.
 */
#include "parser/rewrite/merge_steps.h"

struct turns {
    struct merging *m;
    struct merge_part *p;
    struct trimming *t;
    int64_t time;
    struct trim_proc *proc; /* that turns are taken with */
    struct idmap go_on;     /* threads: index + 1 of the goroutine that runs or is in a system call there */
    struct idmap proc_on;   /* and of the proc that they hold */
    uint64_t unknown;       /* the string that says that of a reason */
};

static bool put(struct turns *o, uint64_t thread, uint8_t id, uint64_t a, uint64_t b, uint64_t c)
{
    return rewriter_event(&o->m->w, thread, o->time, id, (uint64_t[EVENT_MAX_ARGS]){a, b, c});
}

static bool refuse(const struct turns *o, const char *what, uint64_t thread)
{
    fail(o->m->f, GOTRACE_EINVAL, (struct place){.thread = thread}, "%s", what);
    return false;
}

static bool is_on_thread(const struct trim_go *go) { return go->status == GO_RUNNING || go->status == GO_SYSCALL; }
static bool is_held(const struct trim_proc *p) { return p->status == PROC_RUNNING || p->status == PROC_SYSCALL; }

static bool find_threads(struct turns *o)
{
    for (size_t i = 0; i < o->t->gos.n; i++) {
        const struct trim_go *go = &o->t->gos.v[i];
        if (go->status && is_on_thread(go) && !idmap_get(&o->go_on, go->thread) &&
            !idmap_add(&o->go_on, go->thread, (uint32_t)i + 1))
            return trim_no_memory(o->t);
    }
    for (size_t i = 0; i < o->t->procs.n; i++) {
        const struct trim_proc *proc = &o->t->procs.v[i];
        if (is_held(proc) && !idmap_get(&o->proc_on, proc->thread) &&
            !idmap_add(&o->proc_on, proc->thread, (uint32_t)i + 1))
            return trim_no_memory(o->t);
    }
    return true;
}

/* Goroutines that are with a proc on its thread have been seen to with that. */
static struct trim_go *go_with(const struct turns *o, const struct trim_proc *proc)
{
    uint32_t at = idmap_get(&o->go_on, proc->thread);
    return at ? &o->t->gos.v[at - 1] : NULL;
}

static bool begin_turn(struct turns *o, uint64_t thread)
{
    return put(o, thread, EV_ProcStart, o->proc->id, ++o->proc->seq, 0);
}

static bool end_turn(struct turns *o, uint64_t thread) { return put(o, thread, EV_ProcStop, 0, 0, 0); }

/* ---- the beginning ---------------------------------------------------------------------------------------------- */

static bool create(struct turns *o, uint64_t thread, struct trim_go *go)
{
    uint64_t root;
    go->stated = true;
    go->seq = 1;
    return rewriter_kept_stack(&o->m->w, &o->t->kept, go->root, &root) &&
           put(o, thread, EV_GoCreate, go->id, root, 0) && put(o, thread, EV_GoStart, go->id, go->seq, 0) &&
           (!go->assists || put(o, thread, EV_GCMarkAssistBegin, 0, 0, 0));
}

static bool call(struct turns *o, struct trim_go *go, struct trim_proc *proc)
{
    uint64_t stack;
    return rewriter_kept_stack(&o->m->w, &o->t->kept, go->stack, &stack) &&
           put(o, go->thread, EV_GoSyscallBegin, ++proc->seq, stack, 0);
}

static bool halt(struct turns *o, uint64_t thread, struct trim_go *go)
{
    uint64_t stack;
    uint8_t how = go->status == GO_WAITING ? EV_GoBlock : EV_GoStop;
    return rewriter_kept_stack(&o->m->w, &o->t->kept, how == EV_GoBlock ? go->stack : 0, &stack) &&
           put(o, thread, how, o->unknown, stack, 0);
}

static bool open_those_off(struct turns *o)
{
    uint64_t thread = o->p->thread;
    bool ok = begin_turn(o, thread);
    for (size_t i = 0; ok && i < o->t->gos.n; i++) {
        struct trim_go *go = &o->t->gos.v[i];
        if (!is_on_thread(go))
            ok = create(o, thread, go) && halt(o, thread, go);
    }
    return ok && end_turn(o, thread);
}

/* As if another thread had taken the proc since. */
static bool open_calls(struct turns *o)
{
    for (size_t i = 0; i < o->t->gos.n; i++) {
        struct trim_go *go = &o->t->gos.v[i];
        if (is_on_thread(go) && !idmap_get(&o->proc_on, go->thread) &&
            (!begin_turn(o, go->thread) || !create(o, go->thread, go) || !call(o, go, o->proc) ||
             !put(o, go->thread, EV_ProcSteal, o->proc->id, ++o->proc->seq, go->thread)))
            return false;
    }
    return true;
}

static bool open_held(struct turns *o, struct trim_proc *proc)
{
    struct trim_go *go = go_with(o, proc);
    bool ok = put(o, proc->thread, EV_ProcStart, proc->id, ++proc->seq, 0) &&
              (!proc->sweeps || put(o, proc->thread, EV_GCSweepBegin, 0, 0, 0)) && (!go || create(o, proc->thread, go));
    proc->status = go && go->status == GO_SYSCALL ? PROC_SYSCALL : PROC_RUNNING;
    return ok && (proc->status == PROC_RUNNING || call(o, go, proc));
}

static bool state_procs(struct turns *o)
{
    if (!o->t->procs.n && !trim_add_proc(o->t, DISTINCT_SPARE_PROC, PROC_IDLE))
        return false;
    o->proc = &o->t->procs.v[0];
    for (size_t i = 0; i < o->t->procs.n; i++) {
        struct trim_proc *proc = &o->t->procs.v[i];
        proc->stated = true;
        proc->seq = 0;
        proc->sweeps &= is_held(proc);
        if (!put(o, o->p->thread, EV_ProcStatus, proc->id, PROC_IDLE, 0))
            return false;
    }
    return true;
}

static bool open_all(struct turns *o)
{
    bool off = false;
    o->unknown = gotrace_builder_string(o->m->w.builder, "(unknown)", sizeof "(unknown)" - 1);
    for (size_t i = 0; i < o->t->gos.n; i++)
        off |= !is_on_thread(&o->t->gos.v[i]);
    if (!o->t->procs.n && !o->t->gos.n)
        return true;
    if (!find_threads(o) || !state_procs(o) || (off && !open_those_off(o)) || !open_calls(o))
        return false;
    for (size_t i = 0; i < o->t->procs.n; i++)
        if (is_held(&o->t->procs.v[i]) && !open_held(o, &o->t->procs.v[i]))
            return false;
    return true;
}

static struct turns turns_of(struct merging *m, struct merge_part *p, int64_t time)
{
    m->w.source = &p->source;
    return (struct turns){.m = m, .p = p, .t = &p->t, .time = time};
}

bool merge_open(struct merging *m, struct merge_part *p, int64_t time)
{
    struct turns o = turns_of(m, p, time);
    p->t.w = &m->w;
    p->t.f = m->f;
    p->t.writes = p->t.again = p->t.gc_stated = true;
    p->open = true;
    m->collecting += p->collects;
    bool ok = open_all(&o);
    idmap_free(&o.go_on);
    idmap_free(&o.proc_on);
    return ok;
}

/* ---- the end ---------------------------------------------------------------------------------------------------- */

static bool end_go(struct turns *o, uint64_t thread, struct trim_go *go)
{
    bool ok = (!go->stops || put(o, thread, EV_STWEnd, 0, 0, 0)) &&
              (!go->assists || put(o, thread, EV_GCMarkAssistEnd, 0, 0, 0)) &&
              put(o, thread, EV_GoDestroy, 0, 0, 0);
    o->m->stops -= go->stops && o->m->stops;
    go->status = 0;
    return ok;
}

static bool close_held(struct turns *o, struct trim_proc *proc)
{
    uint64_t thread = proc->thread;
    struct trim_go *go = go_with(o, proc);
    bool calls = go && go->status == GO_SYSCALL;
    if (calls && proc->status == PROC_RUNNING) /* it has come back without its proc, and not said so */
        return refuse(o, "the trace ends with a proc that runs on a thread in a system call", thread);
    proc->status = PROC_IDLE;
    return (!calls || put(o, thread, EV_GoSyscallEnd, 0, 0, 0)) && (!go || end_go(o, thread, go)) &&
           (!proc->sweeps || put(o, thread, EV_GCSweepEnd, 0, 0, 0)) && end_turn(o, thread);
}

static bool close_off(struct turns *o, struct trim_go *go)
{
    uint64_t thread = o->p->thread;
    if (go->status == GO_WAITING && !put(o, thread, EV_GoUnblock, go->id, ++go->seq, 0))
        return false;
    return put(o, thread, EV_GoStart, go->id, ++go->seq, 0) && end_go(o, thread, go);
}

static bool choose_proc(struct turns *o)
{
    for (size_t i = 0; !o->proc && i < o->t->procs.n; i++)
        if (o->t->procs.v[i].status == PROC_IDLE)
            o->proc = &o->t->procs.v[i];
    if (o->proc)
        return true;
    o->proc = trim_add_proc(o->t, DISTINCT_SPARE_PROC, PROC_IDLE);
    return o->proc && trim_state_proc(o->t, o->proc, o->p->thread);
}

static bool close_all(struct turns *o)
{
    if (!find_threads(o))
        return false;
    for (size_t i = 0; i < o->t->procs.n; i++)
        if (is_held(&o->t->procs.v[i]) && !close_held(o, &o->t->procs.v[i]))
            return false;
    bool ok = choose_proc(o);
    for (size_t i = 0; ok && i < o->t->gos.n; i++) {
        struct trim_go *go = &o->t->gos.v[i];
        if (go->status == GO_SYSCALL) {
            ok = put(o, go->thread, EV_GoDestroySyscall, 0, 0, 0);
            go->status = 0;
        } else if (go->status == GO_RUNNING) {
            ok = begin_turn(o, go->thread) && end_go(o, go->thread, go) && end_turn(o, go->thread);
        }
    }
    ok = ok && begin_turn(o, o->p->thread);
    for (size_t i = 0; ok && i < o->t->gos.n; i++)
        ok = !o->t->gos.v[i].status || close_off(o, &o->t->gos.v[i]);
    return ok && end_turn(o, o->p->thread);
}

bool merge_close(struct merging *m, struct merge_part *p, int64_t time)
{
    struct turns o = turns_of(m, p, time);
    bool ok = trim_state_before(&p->t, INT64_MAX, ID_NONE) && ((!p->t.procs.n && !p->t.gos.n) || close_all(&o));
    idmap_free(&o.go_on);
    idmap_free(&o.proc_on);
    p->open = false;
    m->collecting -= p->collects;
    for (unsigned i = 0; i < MERGE_METRICS; i++) {
        m->metrics[i].sum -= p->metrics[i];
        m->metrics[i].due |= p->metrics[i] != 0;
    }
    p->collects = false;
    trim_free(&p->t);
    distinct_release(&p->distinct);
    return ok;
}
