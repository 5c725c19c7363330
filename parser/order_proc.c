/* Procs: who holds one, and how it changes hands. */
#include "parser/order.h"

typedef unsigned long long ull;

static const char *status_name(unsigned status)
{
    static const char *const names[] = {"Bad", "Running", "Idle", "Syscall", "SyscallAbandoned"};
    return status < sizeof names / sizeof names[0] ? names[status] : "?";
}

/* The thread that holds proc id. There are few threads, and this is rare. */
static struct thread *holder(struct order *o, uint64_t id)
{
    for (size_t i = o->threads.n; i > 0; i--) {
        struct thread *t = pool_get(&o->threads, i);
        if (t->proc == id)
            return t;
    }
    return NULL;
}

static struct proc *add_proc(struct order *o, uint64_t id, uint8_t status)
{
    struct proc *p = o->procs.n < UINT32_MAX ? pool_add(&o->procs) : NULL;
    if (!p || !idmap_add(&o->proc_of, id, (uint32_t)o->procs.n))
        return NULL;
    p->id = id;
    p->status = status;
    return p;
}

enum step step_proc_status(struct order *o, struct gotrace_event *ev, struct thread *t)
{
    uint64_t id = ev->args[0];
    uint8_t status = (uint8_t)ev->args[1];
    struct proc *p = order_find_proc(o, id);
    /* Go looks at no more than 8 bits, but chokes on the others later, unless it replaces the status on the way. */
    bool replaced = status == PROC_SYSCALL_ABANDONED && p &&
                    (p->status == PROC_SYSCALL || p->status == PROC_SYSCALL_ABANDONED);
    if (status > PROC_SYSCALL_ABANDONED || (status != ev->args[1] && !replaced))
        return order_broken(o, ev, "invalid status for proc %llu: %llu", (ull)id, (ull)ev->args[1]);
    uint8_t from = proc_states[status], to = from;
    bool promoted = false;
    if (!p) {
        from = o->generation == o->first_generation ? GOTRACE_STATE_UNDETERMINED : GOTRACE_STATE_NOT_EXIST;
        if (!(p = add_proc(o, id, status)))
            return order_no_memory(o, ev);
    } else if (status == PROC_SYSCALL_ABANDONED && p->status == PROC_SYSCALL) {
        /* What abandoning a system call loses is who holds the proc; here that is known. */
        from = to = GOTRACE_STATE_RUNNING;
        promoted = true;
    } else if (p->status != status) {
        return order_broken(o, ev, "inconsistent status for proc %llu: old %s vs. new %s", (ull)id,
                            status_name(p->status), status_name(status));
    }
    p->seq = (struct seq){o->generation, 0};
    ev->from = from;
    ev->to = to;
    if (promoted) {
        /* The status comes from whoever is about to steal the proc; the event belongs to the thread that has it. */
        const struct thread *owner = holder(o, id);
        if (!owner)
            return order_broken(o, ev, "failed to find sched context for proc %llu that's about to be stolen", (ull)id);
        ev->thread = owner->id;
        ev->proc = id;
        ev->goroutine = owner->goroutine;
    }
    if ((status == PROC_RUNNING || status == PROC_SYSCALL) && t->id != ID_NONE)
        t->proc = id;
    return STEP_OK;
}

enum step step_proc_start(struct order *o, struct gotrace_event *ev, struct thread *t)
{
    struct proc *p = order_find_proc(o, ev->args[0]);
    /* With a proc in hand, the thread is in a system call that has yet to lose it. */
    if (!p || p->status != PROC_IDLE || !seq_follows(o, ev->args[1], p->seq) || ev->proc != ID_NONE)
        return STEP_WAIT;
    if (order_require(o, ev, MUST_NOT, MAY))
        return STEP_BROKEN;
    p->status = PROC_RUNNING;
    p->seq.n = ev->args[1];
    t->proc = p->id;
    t->proc_hint = p;
    return STEP_OK;
}

enum step step_proc_stop(struct order *o, struct gotrace_event *ev, struct thread *t)
{
    struct proc *p = current_proc(o, t);
    if (!p)
        return order_broken(o, ev, "ProcStop for proc %lld that doesn't exist", (long long)ev->proc);
    if (p->status != PROC_RUNNING && p->status != PROC_SYSCALL)
        return order_broken(o, ev, "proc %llu is %s, not Running or Syscall", (ull)p->id, status_name(p->status));
    if (order_require(o, ev, MUST, MAY))
        return STEP_BROKEN;
    p->status = PROC_IDLE;
    t->proc = ID_NONE;
    return STEP_OK;
}

enum step step_proc_steal(struct order *o, struct gotrace_event *ev, struct thread *t)
{
    uint64_t id = ev->args[0], victim = ev->args[2];
    struct proc *p = order_find_proc(o, id);
    if (!p || (p->status != PROC_SYSCALL && p->status != PROC_SYSCALL_ABANDONED) ||
        !seq_follows(o, ev->args[1], p->seq))
        return STEP_WAIT;
    if (order_require(o, ev, MAY, MAY))
        return STEP_BROKEN;
    bool abandoned = p->status == PROC_SYSCALL_ABANDONED;
    ev->from = abandoned ? GOTRACE_STATE_IDLE : GOTRACE_STATE_RUNNING;
    p->status = PROC_IDLE;
    p->seq.n = ev->args[1];
    if (abandoned) /* the thread that had it may have moved on */
        return STEP_OK;
    struct thread *from = victim == t->id ? t : order_find_thread(o, victim);
    if (!from)
        return order_broken(o, ev, "stole proc from non-existent thread %llu", (ull)victim);
    if (from->proc != id)
        return order_broken(o, ev, "tried to %s proc %llu from thread %llu, but got proc %lld",
                            from == t ? "self-steal" : "steal", (ull)id, (ull)victim, (long long)from->proc);
    from->proc = ID_NONE;
    return STEP_OK;
}

static enum step begin_syscall(struct order *o, struct gotrace_event *ev, struct go *go, struct proc *p)
{
    if (!p)
        return order_broken(o, ev, "the status of proc %llu is unknown", (ull)ev->proc);
    if (!seq_follows(o, ev->args[0], p->seq))
        return order_broken(o, ev,
                            "GoSyscallBegin: can't make sequence: proc %llu is at %llu of generation %llu, the event "
                            "says %llu",
                            (ull)p->id, (ull)p->seq.n, (ull)p->seq.generation, (ull)ev->args[0]);
    go->status = GO_SYSCALL;
    p->status = PROC_SYSCALL;
    p->seq.n = ev->args[0];
    return STEP_OK;
}

enum step step_syscall_begin(struct order *o, struct gotrace_event *ev, struct thread *t)
{
    if (order_require(o, ev, MUST, MUST))
        return STEP_BROKEN;
    struct go *go = current_go(o, t);
    if (!go)
        return order_broken(o, ev, "goroutine %llu doesn't exist", (ull)ev->goroutine);
    if (go->status != GO_RUNNING)
        return order_broken(o, ev, "%s event for goroutine that's not Running: %llu", event_name(ev->type),
                            (ull)go->id);
    return begin_syscall(o, ev, go, current_proc(o, t));
}

static struct go *in_syscall(struct order *o, struct gotrace_event *ev, struct thread *t)
{
    struct go *go = current_go(o, t);
    if (!go)
        order_broken(o, ev, "goroutine %llu doesn't exist", (ull)ev->goroutine);
    else if (go->status != GO_SYSCALL)
        order_broken(o, ev, "%s event for goroutine that's not Syscall: %llu", event_name(ev->type), (ull)go->id);
    else
        return go;
    return NULL;
}

enum step step_syscall_end(struct order *o, struct gotrace_event *ev, struct thread *t)
{
    if (order_require(o, ev, MUST, MUST))
        return STEP_BROKEN;
    struct go *go = in_syscall(o, ev, t);
    if (!go)
        return STEP_BROKEN;
    struct proc *p = current_proc(o, t);
    if (!p)
        return order_broken(o, ev, "the status of proc %llu is unknown", (ull)ev->proc);
    if (p->status != PROC_SYSCALL)
        return order_broken(o, ev, "expected proc %llu in state Syscall, but got %s instead", (ull)p->id,
                            status_name(p->status));
    go->status = GO_RUNNING;
    p->status = PROC_RUNNING;
    return STEP_OK;
}

enum step step_syscall_end_blocked(struct order *o, struct gotrace_event *ev, struct thread *t)
{
    if (ev->proc != ID_NONE) {
        const struct proc *p = current_proc(o, t);
        if (!p)
            return order_broken(o, ev, "the status of proc %llu is unknown", (ull)ev->proc);
        /* That the call blocked means that the proc gets lost, by ProcStop or ProcSteal; not until then. */
        if (p->status == PROC_SYSCALL)
            return STEP_WAIT;
    }
    if (order_require(o, ev, MAY, MUST))
        return STEP_BROKEN;
    struct go *go = in_syscall(o, ev, t);
    if (!go)
        return STEP_BROKEN;
    go->status = GO_RUNNABLE;
    t->goroutine = ID_NONE;
    return STEP_OK;
}

enum step step_go_destroy_syscall(struct order *o, struct gotrace_event *ev, struct thread *t)
{
    if (order_require(o, ev, MAY, MUST))
        return STEP_BROKEN;
    struct go *go = in_syscall(o, ev, t);
    if (!go)
        return STEP_BROKEN;
    if (ev->proc != ID_NONE) {
        struct proc *p = current_proc(o, t);
        if (!p)
            return order_broken(o, ev, "proc %llu doesn't exist", (ull)ev->proc);
        if (p->status != PROC_SYSCALL)
            return order_broken(o, ev, "proc %llu in unexpected state %s, not Syscall", (ull)p->id,
                                status_name(p->status));
        /* The thread's ID may be reused, so it loses its proc as well, as if it had stolen it from itself. */
        p->status = PROC_SYSCALL_ABANDONED;
        t->proc = ID_NONE;
        o->several[0] = *ev;
        o->several[0].type = EV_ProcSteal;
        o->several[0].args[0] = ev->proc;
        o->several[0].from = GOTRACE_STATE_RUNNING;
        o->several[1] = *ev;
        o->nseveral = 2;
    }
    order_remove_go(o, go);
    t->goroutine = ID_NONE;
    return STEP_OK;
}
