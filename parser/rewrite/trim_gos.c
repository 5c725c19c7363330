/* Goroutines: created, started, stopped, woken, in system calls, switched to. */
#include "parser/event.h"
#include "parser/rewrite/steps.h"

static struct trim_go *add(struct trimming *t, uint64_t id)
{
    uint32_t at = t->free_gos.n ? t->free_gos.v[t->free_gos.n - 1] : (uint32_t)t->gos.n;
    if ((!t->free_gos.n && (t->gos.n >= UINT32_MAX - 1 || !VEC_ROOM(&t->gos))) || !idmap_add(&t->go_of, id, at + 1)) {
        trim_no_memory(t);
        return NULL;
    }
    if (t->free_gos.n)
        t->free_gos.n--;
    else
        t->gos.n++;
    bool kept = !t->trim->keeps || t->trim->keeps(t->trim->arg, t->appeared);
    t->appeared++;
    t->gos.v[at] = (struct trim_go){.id = id, .thread = ID_NONE, .kept = kept, .stated = t->writes && !t->over};
    return &t->gos.v[at];
}

static bool drop(struct trimming *t, struct trim_go *go)
{
    if (!VEC_ROOM(&t->free_gos))
        return trim_no_memory(t);
    idmap_remove(&t->go_of, go->id);
    go->status = 0;
    t->free_gos.v[t->free_gos.n++] = (uint32_t)(go - t->gos.v);
    return true;
}

/* Later statuses will want the stack, if they come before the stretch. */
static bool keep_stack(struct trimming *t, struct trim_go *go, const struct gotrace_event *ev, uint64_t id)
{
    struct gotrace_stack stack = event_stack(ev, id);
    go->stack = 0;
    if ((t->writes && !t->over && !t->again) || !go->kept || !t->has_stacks)
        return true;
    if (!go->root)
        go->root = kept_stack_root(&t->kept, stack);
    if (go->status == GO_WAITING || go->status == GO_SYSCALL)
        go->stack = kept_stack(&t->kept, stack);
    return !t->kept.failed || trim_no_memory(t);
}

static bool status(struct trimming *t, const struct gotrace_event *ev)
{
    struct trim_go *go = trim_go(t, ev->args[0]);
    bool on_thread = ev->args[2] == GO_SYSCALL || ev->args[2] == GO_RUNNING;
    /* Go's reader takes a new generation's word for it, and has it on both. In one generation nobody can say that. */
    if (go && go->status == GO_SYSCALL && ev->args[2] == GO_SYSCALL && go->thread != ev->thread) {
        fail(t->f, GOTRACE_EINVAL, event_place(ev), "the goroutine is in system calls on two threads");
        return false;
    }
    if (!go && !(go = add(t, ev->args[0])))
        return false;
    go->status = (uint8_t)ev->args[2];
    go->thread = on_thread ? ev->thread : ID_NONE;
    go->seq = 0;
    if (ev->type == EV_GoStatusStack && !keep_stack(t, go, ev, ev->args[3]))
        return false;
    if (!go->kept || t->over)
        return true;
    go->stated |= t->writes;
    return trim_copy(t, ev, ev->thread, ev->args);
}

static bool create(struct trimming *t, const struct gotrace_event *ev)
{
    struct trim_go *go = add(t, ev->args[0]);
    if (!go)
        return false;
    go->status = ev->type == EV_GoCreateSyscall ? GO_SYSCALL : ev->type == EV_GoCreate ? GO_RUNNABLE : GO_WAITING;
    if (ev->type == EV_GoCreateSyscall)
        go->thread = ev->thread;
    else if (!keep_stack(t, go, ev, ev->args[1]))
        return false;
    return !go->kept || trim_copy(t, ev, ev->thread, ev->args);
}

static bool wake(struct trimming *t, const struct gotrace_event *ev, struct trim_go *go, uint64_t stack)
{
    uint64_t args[] = {go->id, 0, 0};
    if (!trim_state_go(t, go, ev->thread) || (t->writes && !rewriter_stack(t->w, ev->tables, stack, &args[2])))
        return false;
    go->status = GO_RUNNABLE;
    if (!go->kept)
        return true;
    args[1] = ++go->seq;
    return trim_put(t, ev, ev->thread, EV_GoUnblock, args);
}

static bool start(struct trimming *t, const struct gotrace_event *ev, struct trim_go *go)
{
    if (!trim_state_go(t, go, ev->thread))
        return false;
    go->status = GO_RUNNING;
    go->thread = ev->thread;
    return !go->kept || trim_put(t, ev, ev->thread, EV_GoStart, (uint64_t[]){go->id, ++go->seq});
}

static bool halt(struct trimming *t, const struct gotrace_event *ev, struct trim_go *go)
{
    go->status = ev->type == EV_GoStop ? GO_RUNNABLE : GO_WAITING;
    go->thread = ID_NONE;
    return keep_stack(t, go, ev, ev->args[1]) && (!go->kept || trim_copy(t, ev, ev->thread, ev->args));
}

static bool end(struct trimming *t, const struct gotrace_event *ev, struct trim_go *go)
{
    return (!go->kept || trim_put(t, ev, ev->thread, EV_GoDestroy, NULL)) && drop(t, go);
}

/* ---- coroutines ------------------------------------------------------------------------------------------------- */

/* The reader makes three events of it; where one of the two is left out, the other's are written by themselves. */
static bool switch_to(struct trimming *t, const struct gotrace_event *ev, struct trim_go *go)
{
    struct trim_go *next = trim_go(t, ev->args[0]);
    bool ends = ev->type == EV_GoSwitchDestroy, both = next && next->kept && go->kept;
    t->skip = 2;
    if (!next || !trim_state_go(t, next, ev->thread))
        return !next;
    if (both && !trim_put(t, ev, ev->thread, ev->type, (uint64_t[]){next->id, ++next->seq}))
        return false;
    if (both)
        t->w->last += t->skip;
    if (!both && next->kept && !wake(t, ev, next, 0))
        return false;
    if (!both && go->kept && !trim_put(t, ev, ev->thread, ends ? EV_GoDestroy : EV_GoBlock, (uint64_t[]){0, 0}))
        return false;
    next->status = GO_RUNNING;
    next->thread = ev->thread;
    next->stack = 0;
    if (!both && next->kept && !trim_put(t, ev, ev->thread, EV_GoStart, (uint64_t[]){next->id, ++next->seq}))
        return false;
    go->status = GO_WAITING;
    go->thread = ID_NONE;
    go->stack = 0;
    return !ends || drop(t, go);
}

/* ---- system calls ----------------------------------------------------------------------------------------------- */

static bool call(struct trimming *t, const struct gotrace_event *ev, struct trim_go *go)
{
    struct trim_proc *p = trim_proc(t, ev->proc);
    uint64_t args[] = {0, ev->args[1]};
    go->status = GO_SYSCALL;
    go->thread = ev->thread;
    if (!keep_stack(t, go, ev, ev->args[1]))
        return false;
    if (!go->kept || !p)
        return true;
    p->status = PROC_SYSCALL;
    args[0] = ++p->seq;
    return trim_copy(t, ev, ev->thread, args);
}

static bool return_from_call(struct trimming *t, const struct gotrace_event *ev, struct trim_go *go)
{
    struct trim_proc *p = trim_proc(t, ev->proc);
    bool stays = ev->type == EV_GoSyscallEnd;
    go->status = stays ? GO_RUNNING : GO_RUNNABLE;
    if (!stays)
        go->thread = ID_NONE;
    if (!go->kept)
        return true;
    if (stays && p)
        p->status = PROC_RUNNING;
    return trim_put(t, ev, ev->thread, ev->type, NULL);
}

/* The reader makes two events of it where there is a proc: that is taken from it first. */
static bool end_with_proc(struct trimming *t, const struct gotrace_event *ev, struct trim_proc *p)
{
    p->status = PROC_SYSCALL_ABANDONED;
    if (!t->writes)
        return true;
    bool ok = rewriter_event(t->w, ev->thread, ev->time - 1, EV_GoDestroySyscall, NULL);
    t->w->last++;
    return ok;
}

static bool end_in_call(struct trimming *t, const struct gotrace_event *ev, struct trim_go *go)
{
    struct trim_proc *p = trim_proc(t, ev->proc);
    bool ok = true;
    if (go->kept) {
        ok = p ? end_with_proc(t, ev, p) : trim_put(t, ev, ev->thread, EV_GoDestroySyscall, NULL);
    } else if (p && p->status != PROC_IDLE) {
        p->status = PROC_IDLE;
        ok = trim_put(t, ev, ev->thread, EV_ProcStop, NULL);
    }
    return ok && drop(t, go);
}

bool trim_late_status(struct trimming *t, const struct gotrace_event *ev)
{
    bool is_status = ev->type == EV_GoStatus || ev->type == EV_GoStatusStack;
    if (!is_status || ev->from != GOTRACE_STATE_UNDETERMINED || trim_go(t, ev->args[0]))
        return true;
    return status(t, ev);
}

bool trim_go_event(struct trimming *t, const struct gotrace_event *ev)
{
    bool named = ev->type == EV_GoStart || ev->type == EV_GoUnblock;
    struct trim_go *go = trim_go(t, named ? ev->args[0] : ev->goroutine);
    switch (ev->type) {
    case EV_GoStatus:
    case EV_GoStatusStack: return status(t, ev);
    case EV_GoCreate:
    case EV_GoCreateBlocked:
    case EV_GoCreateSyscall: return create(t, ev);
    default: break;
    }
    if (!go)
        return true;
    switch (ev->type) {
    case EV_GoStart: return start(t, ev, go);
    case EV_GoUnblock: return wake(t, ev, go, ev->args[2]);
    case EV_GoStop:
    case EV_GoBlock: return halt(t, ev, go);
    case EV_GoDestroy: return end(t, ev, go);
    case EV_GoSwitch:
    case EV_GoSwitchDestroy: return switch_to(t, ev, go);
    case EV_GoSyscallBegin: return call(t, ev, go);
    case EV_GoSyscallEnd:
    case EV_GoSyscallEndBlocked: return return_from_call(t, ev, go);
    default: return end_in_call(t, ev, go);
    }
}
