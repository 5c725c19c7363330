#include "parser/reader.h"
#include "parser/rewrite/switches_model.h"

static bool refuse(struct switched *s, const struct gotrace_event *ev, const char *why)
{
    fail(s->f, GOTRACE_EINVAL, event_place(ev), "%s", why);
    return false;
}

/* ---- switches --------------------------------------------------------------------------------------------------- */

/* It has a processor, whatever was noted: it says something, or nobody knows. */
static bool is_on(struct switched *s, struct switched_thread *t, int64_t time)
{
    struct switched_go *go = switched_go_on(s, t);
    t->off = false;
    return !go || go->is == GO_RUNNING || (go->was != GO_RUNNING && !go->early) || switched_start(s, t, go, time);
}

static bool all_are_on(struct switched *s, int64_t time)
{
    for (size_t i = 0; i < s->threads.n; i++)
        if (!is_on(s, &s->threads.v[i], time))
            return false;
    return true;
}

static bool switch_out(struct switched *s, struct switched_thread *t, const struct thread_switch *at)
{
    struct switched_go *go = switched_go_on(s, t);
    if (go && go->late && at->begins_wait && !is_on(s, t, at->time))
        return false;
    t->off = true;
    if (go && go->late && at->begins_wait)
        return switched_block(s, t, go, at->time);
    if (go && go->is == GO_RUNNING)
        return switched_stop(s, t, go, at->time, at->kind);
    return (go && go->is == GO_SYSCALL) || switched_give_proc(s, t, at->time); /* it gives way, and has a proc still */
}

static bool switch_in(struct switched *s, struct switched_thread *t, const struct thread_switch *at)
{
    struct switched_go *go = switched_go_on(s, t);
    if (go && at->ends_wait && !go->early && (go->was == GO_WAITING || go->was == GO_RUNNABLE))
        go->early = true;
    return is_on(s, t, at->time) && switched_say_cpu(s, t, at->time);
}

/* Threads that the trace does not know of yet, or not any more, are passed over. */
static bool take_switch(struct switched *s, const struct thread_switch *at)
{
    uint32_t index = idmap_get(&s->thread_of, at->thread);
    if (at->kind == SWITCHES_LOST)
        return all_are_on(s, at->time);
    if (!index)
        return true;
    struct switched_thread *t = &s->threads.v[index - 1];
    if (at->kind == SWITCH_LOCK_NOTE)
        return true;
    if (at->kind == SWITCH_WAKING)
        return switched_wake(s, t, at);
    if (!at->at_begin)
        t->cpu = at->cpu + 1u;
    return at->kind == SWITCH_IN ? switch_in(s, t, at) : switch_out(s, t, at);
}

/* The thread was there. */
static void see(struct switched_thread *t, uint64_t stack)
{
    if (!stack || stack == t->seen)
        return;
    t->seen = stack;
    t->after = 0;
}

/* ---- goroutines ------------------------------------------------------------------------------------------------- */

static bool create(struct switched *s, const struct gotrace_event *ev, struct switched_thread *t)
{
    bool in_call = ev->type == EV_GoCreateSyscall;
    struct switched_go *go = switched_add_go(s, ev->args[0], in_call ? GO_SYSCALL : GO_RUNNABLE);
    if (!go)
        return false;
    go->root = ev->args[1];
    if (in_call)
        switched_bind(s, t, go);
    return (in_call || switched_take_proc(s, t, ev->time)) && switched_copy(s, ev, ev->args);
}

static bool start(struct switched *s, const struct gotrace_event *ev, struct switched_thread *t)
{
    struct switched_go *go = switched_go(s, ev->args[0]);
    if (!go)
        return refuse(s, ev, "nobody has made the goroutine");
    switched_bind(s, t, go);
    see(t, go->root);
    go->root = 0;
    go->was = GO_RUNNING;
    go->early = false;
    return go->is == GO_RUNNING || switched_start(s, t, go, ev->time);
}

/* One that is back already was woken by itself, as nobody else did before. */
static bool wake(struct switched *s, const struct gotrace_event *ev)
{
    struct switched_go *go = switched_go(s, ev->args[0]);
    if (!go)
        return refuse(s, ev, "nobody has made the goroutine");
    if (event_is_marked(&s->known->wrong, s->unblocks++))
        return true;
    go->was = GO_RUNNABLE;
    if (go->is != GO_WAITING)
        return true;
    go->is = GO_RUNNABLE;
    return switched_copy(s, ev, (uint64_t[]){go->id, ++go->seq, ev->args[2]});
}

static bool block(struct switched *s, const struct gotrace_event *ev, struct switched_go *go)
{
    go->late = event_is_marked(&s->known->late, s->blocks++); /* the first reading has found the switch */
    if (go->late)
        return rewriter_string(&s->w, ev->tables, ev->args[0], &go->reason) &&
               rewriter_stack(&s->w, ev->tables, ev->args[1], &go->stack);
    go->was = go->is = GO_WAITING;
    return switched_copy(s, ev, ev->args);
}

/* What becomes of one that runs. */
static bool leave(struct switched *s, const struct gotrace_event *ev, struct switched_thread *t)
{
    struct switched_go *go = switched_go(s, ev->goroutine);
    if (!go || go->is != GO_RUNNING || !t->proc)
        return refuse(s, ev, "the goroutine does not run");
    struct switched_proc *p = &s->procs.v[t->proc - 1];
    switch (ev->type) {
    case EV_GoSyscallBegin:
        go->was = go->is = GO_SYSCALL;
        p->since = ev->time;
        return rewriter_stack(&s->w, ev->tables, ev->args[1], &go->stack) &&
               switched_copy(s, ev, (uint64_t[]){++p->seq, ev->args[1]});
    case EV_GoDestroy:
        t->go = 0;
        return switched_copy(s, ev, ev->args) && switched_drop_go(s, go);
    case EV_GoBlock: return block(s, ev, go);
    default: go->was = go->is = GO_RUNNABLE; return switched_copy(s, ev, ev->args);
    }
}

/* Whether it has its proc still is another matter than in the trace that is read. */
static bool return_from_call(struct switched *s, const struct gotrace_event *ev, struct switched_thread *t)
{
    struct switched_go *go = switched_go(s, ev->goroutine);
    if (!go || go->is != GO_SYSCALL)
        return refuse(s, ev, "the goroutine is in no system call");
    go->was = ev->type == EV_GoSyscallEnd ? GO_RUNNING : GO_RUNNABLE;
    if (t->proc) {
        go->is = GO_RUNNING;
        return switched_put(s, t->id, ev->time, EV_GoSyscallEnd, NULL);
    }
    if (!switched_take_proc(s, t, ev->time) || !switched_put(s, t->id, ev->time, EV_GoSyscallEndBlocked, NULL))
        return false;
    go->is = GO_RUNNABLE;
    return go->was != GO_RUNNING || switched_start(s, t, go, ev->time);
}

/* Statuses are our own, but for one of what is not known yet. */
static bool status(struct switched *s, const struct gotrace_event *ev)
{
    uint8_t is = (uint8_t)ev->args[2];
    bool on_thread = is == GO_RUNNING || is == GO_SYSCALL;
    if (switched_go(s, ev->args[0]))
        return true;
    struct switched_go *go = switched_add_go(s, ev->args[0], is);
    struct switched_thread *t = go && on_thread ? switched_thread(s, ev->thread) : NULL;
    if (!go || (on_thread && !t))
        return false;
    if (t)
        switched_bind(s, t, go);
    uint64_t thread = t ? t->id : ID_NONE;
    return (is != GO_RUNNING || switched_take_proc(s, t, ev->time)) &&
           switched_put(s, thread, ev->time, EV_GoStatus, (uint64_t[]){go->id, thread, is});
}

/* ---- events ----------------------------------------------------------------------------------------------------- */

/* That there are more procs than CPUs now is our own matter. */
static bool procs_change(struct switched *s, const struct gotrace_event *ev, const struct switched_thread *t)
{
    bool grows = t->last == EV_GoStart && ev->args[0] == ev->proc + 1;
    if (grows || (s->max_said && s->max_procs == ev->args[0]))
        return true;
    s->max_said = true;
    s->max_procs = ev->args[0];
    return switched_copy(s, ev, ev->args);
}

static bool sample(struct switched *s, const struct gotrace_event *ev)
{
    struct gotrace_event copy = *ev;
    uint32_t index = idmap_get(&s->thread_of, ev->thread), proc = index ? s->threads.v[index - 1].proc : 0;
    if (index)
        see(&s->threads.v[index - 1], event_own_stack(ev));
    copy.proc = proc ? proc - 1 : ID_NONE;
    s->events++;
    return rewriter_sample(&s->w, &copy);
}

static bool proc_stop(struct switched *s, const struct gotrace_event *ev, struct switched_thread *t)
{
    const struct switched_go *go = switched_go_on(s, t);
    bool in_use = go && (go->is == GO_RUNNING || go->is == GO_SYSCALL);
    return in_use || switched_give_proc(s, t, ev->time);
}

static bool other(struct switched *s, const struct gotrace_event *ev)
{
    struct gotrace_event copy = *ev;
    if (ev->type == EV_UserTaskBegin && ev->args[1] == GOTRACE_NONE) /* the reader's word for what is 0 on the wire */
        copy.args[1] = 0;
    return switched_copy(s, &copy, copy.args);
}

static bool of_thread(struct switched *s, const struct gotrace_event *ev, struct switched_thread *t)
{
    switch (ev->type) {
    case EV_ProcStart:
    case EV_ProcSteal: return true;
    case EV_ProcStop: return proc_stop(s, ev, t);
    case EV_ProcsChange: return procs_change(s, ev, t);
    case EV_GoCreate:
    case EV_GoCreateSyscall: return create(s, ev, t);
    case EV_GoStart: return start(s, ev, t);
    case EV_GoUnblock: return wake(s, ev);
    case EV_GoBlock:
    case EV_GoStop:
    case EV_GoDestroy:
    case EV_GoSyscallBegin: return leave(s, ev, t);
    case EV_GoSyscallEnd:
    case EV_GoSyscallEndBlocked: return return_from_call(s, ev, t);
    case EV_GoCreateBlocked:
    case EV_GoDestroySyscall:
    case EV_GoSwitch:
    case EV_GoSwitchDestroy: return refuse(s, ev, "no recording of thrace has such an event");
    default: return other(s, ev);
    }
}

static bool take_event(struct switched *s, const struct gotrace_event *ev)
{
    switch (ev->type) {
    case EV_ProcStatus: return true;
    case EV_GoStatus:
    case EV_GoStatusStack: return status(s, ev);
    case EV_HeapAlloc:
    case EV_HeapGoal: return switched_metric(s, ev);
    case EV_CPUSample: return sample(s, ev);
    default: break;
    }
    if (ev->thread == ID_NONE)
        return other(s, ev);
    struct switched_thread *t = switched_thread(s, ev->thread);
    if (!t || !is_on(s, t, ev->time))
        return false;
    uint8_t last = ev->type;
    see(t, event_own_stack(ev));
    bool ok = of_thread(s, ev, t) && switched_say_cpu(s, t, ev->time);
    t->last = last;
    return ok;
}

static bool begin_generation(struct switched *s, const struct gotrace_event *ev)
{
    struct gotrace_sync sync;
    if (!ev->tables)
        return true;
    gotrace_event_sync(ev, &sync);
    s->tables = ev->tables;
    return switched_block_all(s, ev->time - 1) &&
           rewriter_generation(&s->w, ev->time, sync.has_clock ? &sync.clock : NULL) &&
           rewriter_notes(&s->w, ev->tables, true) && rewriter_experiments(&s->w, ev->tables, ev->time) &&
           moves_write(&s->known->moves, &s->w) && delays_write(&s->known->delays, &s->w) && switched_state_all(s);
}

static bool read_failed(const struct gotrace_reader *r, struct failure *f)
{
    const struct gotrace_error *e = gotrace_reader_error(r);
    if (!e)
        return false;
    fail(f, e->status, (struct place){e->generation, e->thread, e->offset, e->event}, "%s", e->message);
    return true;
}

bool switches_merge(struct gotrace_reader *r, const struct thread_switches *switches,
                    const struct switches_known *known, bool lenient, FILE *to, struct switches_result *result,
                    struct failure *f)
{
    struct switched s = {.f = f, .known = known, .max_procs = known->max_procs};
    const struct gotrace_event *ev = gotrace_reader_next(r);
    bool ok = ev && rewriter_begin(&s.w, gotrace_reader_version(r), to, f);
    size_t next = 0;
    for (; ok && ev; ev = gotrace_reader_next(r)) {
        if (ev->type == EV_SYNC_POINT)
            s.tables = NULL;
        for (; ok && next < switches->n && switches->v[next].time < ev->time; next++)
            ok = take_switch(&s, &switches->v[next]);
        ok = ok && (ev->type == EV_SYNC_POINT ? begin_generation(&s, ev) : take_event(&s, ev));
    }
    ok = ok && (lenient || !read_failed(r, f)) && rewriter_end(&s.w);
    if (!ok)
        read_failed(r, f);
    *result = (struct switches_result){s.events + s.w.generation + 1, s.w.generation};
    switched_free(&s);
    return ok;
}
