/* Goroutines: created, started, stopped, woken, switched to. */
#include "parser/order.h"

typedef unsigned long long ull;

static const char *status_name(unsigned status)
{
    static const char *const names[] = {"Bad", "Runnable", "Running", "Syscall", "Waiting"};
    return status < sizeof names / sizeof names[0] ? names[status] : "?";
}

/* A goroutine that is in a system call on some thread. */
static enum step status_in_syscall(struct order *o, struct gotrace_event *ev, struct thread *t)
{
    uint64_t id = ev->args[0], on = ev->args[1];
    if (on == ID_NONE)
        return order_broken(o, ev, "goroutine %llu in syscall without a thread", (ull)id);
    if (on == t->id) {
        /* After the first generation the binding must have been seen, in the generation before at the latest. */
        if (o->generation != o->first_generation && ev->goroutine != id)
            return order_broken(o, ev, "inconsistent thread for syscalling goroutine %llu: thread has goroutine %lld",
                                (ull)id, (long long)ev->goroutine);
        t->goroutine = id;
        return STEP_OK;
    }
    struct thread *other = order_find_thread(o, on);
    if (other && other->goroutine != id)
        return order_broken(o, ev, "inconsistent thread for syscalling goroutine %llu: thread has goroutine %lld",
                            (ull)id, (long long)other->goroutine);
    if (other) {
        ev->goroutine = id;
    } else {
        if (!(other = order_thread(o, on)))
            return order_no_memory(o, ev);
        other->goroutine = id;
    }
    ev->thread = on;
    return STEP_OK;
}

enum step step_go_status(struct order *o, struct gotrace_event *ev, struct thread *t)
{
    uint64_t id = ev->args[0];
    uint8_t status = (uint8_t)ev->args[2]; /* Go does not look at more either */
    if (status > GO_WAITING)
        return order_broken(o, ev, "invalid status for goroutine %llu: %u", (ull)id, status);
    uint8_t from = go_states[status];
    struct go *go = order_find_go(o, id);
    if (go) {
        if (go->status != status)
            return order_broken(o, ev, "inconsistent status for goroutine %llu: old %s vs. new %s", (ull)id,
                                status_name(go->status), status_name(status));
        go->seq = (struct seq){o->generation, 0};
    } else {
        if (o->generation != o->first_generation)
            return order_broken(o, ev, "status of a new goroutine after the first generation: %llu", (ull)id);
        if (!order_add_go(o, id, status))
            return order_no_memory(o, ev);
        from = GOTRACE_STATE_UNDETERMINED;
    }
    ev->from = from;
    ev->to = go_states[status];
    if (status == GO_RUNNING && t->id != ID_NONE)
        t->goroutine = id;
    return status == GO_SYSCALL ? status_in_syscall(o, ev, t) : STEP_OK;
}

enum step step_go_create(struct order *o, struct gotrace_event *ev, struct thread *t)
{
    if (order_require(o, ev, MUST, MAY))
        return STEP_BROKEN;
    const struct go *creator = current_go(o, t);
    if (creator && creator->status != GO_RUNNING)
        return order_broken(o, ev, "%s event for goroutine that's not Running: %llu", event_name(ev->type),
                            (ull)creator->id);
    if (order_find_go(o, ev->args[0]))
        return order_broken(o, ev, "tried to create goroutine %llu that already exists", (ull)ev->args[0]);
    if (!order_add_go(o, ev->args[0], ev->type == EV_GoCreateBlocked ? GO_WAITING : GO_RUNNABLE))
        return order_no_memory(o, ev);
    return STEP_OK;
}

enum step step_go_create_syscall(struct order *o, struct gotrace_event *ev, struct thread *t)
{
    if (order_require(o, ev, MAY, MUST_NOT))
        return STEP_BROKEN;
    if (order_find_go(o, ev->args[0]))
        return order_broken(o, ev, "tried to create goroutine %llu in syscall that already exists", (ull)ev->args[0]);
    const struct go *go = order_add_go(o, ev->args[0], GO_SYSCALL);
    if (!go)
        return order_no_memory(o, ev);
    run_go(o, t, go);
    return STEP_OK;
}

/* The goroutine that runs on t, with a proc; NULL: it does not. */
static struct go *running(struct order *o, struct gotrace_event *ev, struct thread *t)
{
    if (order_require(o, ev, MUST, MUST))
        return NULL;
    struct go *go = current_go(o, t);
    if (UNLIKELY(!go))
        order_broken(o, ev, "goroutine %llu doesn't exist", (ull)ev->goroutine);
    else if (UNLIKELY(go->status != GO_RUNNING))
        order_broken(o, ev, "%s event for goroutine that's not Running: %llu", event_name(ev->type), (ull)go->id);
    else
        return go;
    return NULL;
}

enum step step_go_destroy(struct order *o, struct gotrace_event *ev, struct thread *t)
{
    struct go *go = running(o, ev, t);
    if (!go)
        return STEP_BROKEN;
    order_remove_go(o, go);
    t->goroutine = ID_NONE;
    return STEP_OK;
}

static enum step stop(struct order *o, struct gotrace_event *ev, struct thread *t, uint8_t status)
{
    struct go *go = running(o, ev, t);
    if (!go)
        return STEP_BROKEN;
    go->status = status;
    t->goroutine = ID_NONE;
    return STEP_OK;
}

enum step step_go_stop(struct order *o, struct gotrace_event *ev, struct thread *t)
{
    return stop(o, ev, t, GO_RUNNABLE);
}

enum step step_go_block(struct order *o, struct gotrace_event *ev, struct thread *t)
{
    return stop(o, ev, t, GO_WAITING);
}

enum step step_go_start(struct order *o, struct gotrace_event *ev, struct thread *t)
{
    struct go *go = order_find_go(o, ev->args[0]);
    /* It may yet be created, or woken, or stopped on another thread. */
    if (!go || go->status != GO_RUNNABLE || !seq_follows(o, ev->args[1], go->seq))
        return STEP_WAIT;
    if (order_require(o, ev, MUST, MUST_NOT))
        return STEP_BROKEN;
    go->status = GO_RUNNING;
    go->seq.n = ev->args[1];
    run_go(o, t, go);
    return STEP_OK;
}

enum step step_go_unblock(struct order *o, struct gotrace_event *ev, struct thread *t)
{
    struct go *go = order_find_go(o, ev->args[0]);
    if (!go || go->status != GO_WAITING || !seq_follows(o, ev->args[1], go->seq))
        return STEP_WAIT;
    go->status = GO_RUNNABLE;
    go->seq.n = ev->args[1];
    return STEP_OK;
}

static struct gotrace_event made_of(const struct gotrace_event *ev, uint8_t type)
{
    struct gotrace_event made = *ev;
    made.type = type;
    made.args[0] = made.args[1] = 0;
    return made;
}

/*
 * A coroutine switch is three events: the next goroutine is unblocked, the current one blocks or ends, the next one
 * starts. The first takes the shape of the switch itself.
 */
enum step step_go_switch(struct order *o, struct gotrace_event *ev, struct thread *t)
{
    struct go *go = running(o, ev, t);
    if (!go)
        return STEP_BROKEN;
    struct go *next = order_find_go(o, ev->args[0]);
    if (!next || next->status != GO_WAITING || !seq_follows(o, ev->args[1], next->seq))
        return STEP_WAIT;
    o->nseveral = 3;
    o->several[0] = *ev;
    if (ev->type == EV_GoSwitch) {
        o->several[1] = made_of(ev, EV_GoBlock);
        go->status = GO_WAITING;
    } else {
        o->several[1] = made_of(ev, EV_GoDestroy);
        order_remove_go(o, go);
    }
    o->several[2] = made_of(ev, EV_GoStart);
    o->several[2].goroutine = ID_NONE;
    o->several[2].args[0] = ev->args[0];
    o->several[2].args[1] = ev->args[1];
    next->status = GO_RUNNING;
    next->seq.n = ev->args[1];
    run_go(o, t, next);
    return STEP_OK;
}
