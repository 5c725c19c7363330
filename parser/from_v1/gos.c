/* Goroutines: there from the beginning, created, started, stopped, woken, in system calls. */
#include "parser/from_v1/events.h"

void add_plan(struct world *w, uint64_t go, uint32_t what)
{
    if (!w->writes && !plan(w, go) && !idmap_add(&w->plan_of, go, what))
        w->no_memory = true;
}

/* The goroutine starts to run on that proc. */
static bool start_on(struct world *w, uint32_t go, uint32_t proc, bool is_status)
{
    struct v2_go *g = go_at(w, go);
    uint32_t thread = hold_free(w, proc);
    if (!thread)
        return false;
    if (is_status)
        put(w, thread, EV_GoStatus, (uint64_t[]){g->id, w->threads.v[thread].id, GO_RUNNING});
    else
        put(w, thread, EV_GoStart, (uint64_t[]){g->id, ++g->seq});
    bind_go(w, go, thread, GOTRACE_STATE_RUNNING);
    return true;
}

void start_go(struct world *w, const struct gotrace_event *ev)
{
    uint32_t go = idmap_get(&w->go_of, ev->args[0]);
    struct v2_go *g = go_at(w, go);
    if (!go || g->state != GOTRACE_STATE_RUNNABLE || !start_on(w, go, proc_of(w, ev), false))
        drop(w, EV_GoStart);
    else
        g->created = false;
}

/* Where a goroutine is in a system call, v1 does not say on which thread. */
static void call_on_spare(struct world *w, uint32_t go, bool is_status)
{
    uint32_t thread = spare_thread(w);
    struct v2_go *g = go_at(w, go);
    if (!thread)
        return;
    if (is_status)
        put(w, thread, EV_GoStatus, (uint64_t[]){g->id, w->threads.v[thread].id, GO_SYSCALL});
    else
        put(w, thread, EV_GoCreateSyscall, (uint64_t[]){g->id});
    bind_go(w, go, thread, GOTRACE_STATE_SYSCALL);
}

/* A status of one that is known already says what happened to it when it was created, or that it starts. */
static void later_status(struct world *w, const struct gotrace_event *ev, struct v2_go *g, uint64_t status)
{
    if (g->state == ev->to)
        return;
    if (status == GO_RUNNING) {
        start_go(w, ev);
        return;
    }
    if (g->created && status != GO_RUNNABLE)
        add_plan(w, g->id, status == GO_SYSCALL ? PLAN_CALL : PLAN_WAIT);
    drop(w, ev->type);
}

static void first_status(struct world *w, const struct gotrace_event *ev)
{
    uint32_t go = world_go(w, ev->args[0]);
    struct v2_go *g = go_at(w, go);
    if (!go)
        return;
    g->state = ev->to;
    if (ev->to == GOTRACE_STATE_SYSCALL) {
        call_on_spare(w, go, true);
    } else if (ev->to != GOTRACE_STATE_RUNNING) {
        put(w, 0, EV_GoStatus, ev->args);
    } else if (!start_on(w, go, proc_of(w, ev), true)) {
        g->state = GOTRACE_STATE_UNDETERMINED; /* it is not heard of again */
        drop(w, ev->type);
        return;
    }
    if (plan(w, g->id) == PLAN_ASSIST) {
        g->assists = true;
        g->assist = NO_NUMBER;
        put(w, 0, EV_GCMarkAssistActive, (uint64_t[]){g->id});
    }
}

void status(struct world *w, const struct gotrace_event *ev)
{
    uint32_t go = idmap_get(&w->go_of, ev->args[0]);
    if (go)
        later_status(w, ev, go_at(w, go), ev->args[2]);
    else
        first_status(w, ev);
}

void create(struct world *w, const struct gotrace_event *ev, const uint64_t *args)
{
    uint32_t planned = plan(w, ev->args[0]), creator = go_of(w, ev), proc = proc_of(w, ev);
    uint32_t thread = runs(w, creator) ? go_at(w, creator)->thread : 0;
    if (!thread && planned != PLAN_CALL)
        thread = proc ? hold_free(w, proc) : any_runner(w);
    if (!thread && planned != PLAN_CALL) {
        drop(w, ev->type);
        return;
    }
    uint32_t go = world_go(w, ev->args[0]);
    struct v2_go *g = go_at(w, go);
    if (!go)
        return;
    g->created = true;
    if (planned == PLAN_CALL) {
        w->done->create_stacks++;
        call_on_spare(w, go, false);
        return;
    }
    bool waits = planned == PLAN_WAIT;
    g->state = waits ? GOTRACE_STATE_WAITING : GOTRACE_STATE_RUNNABLE;
    g->written_runnable = waits && !w->to->coroutines;
    put(w, thread, waits && !g->written_runnable ? EV_GoCreateBlocked : EV_GoCreate, args);
}

/* It runs no longer. */
void stop_go(struct world *w, const struct gotrace_event *ev, const uint64_t *args, uint8_t state)
{
    uint32_t go = go_of(w, ev);
    if (!runs(w, go)) {
        drop(w, ev->type);
        return;
    }
    put(w, go_at(w, go)->thread, ev->type, args);
    unbind_go(w, go, state);
    if (state == GOTRACE_STATE_NOT_EXIST)
        end_all(w, go_at(w, go));
}

void unblock(struct world *w, const struct gotrace_event *ev, uint64_t *args)
{
    uint32_t go = idmap_get(&w->go_of, ev->args[0]), waker = go_of(w, ev), proc = proc_of(w, ev), thread;
    struct v2_go *g = go_at(w, go);
    if (!go || g->state != GOTRACE_STATE_WAITING || g->written_runnable) {
        if (go && g->written_runnable) {
            g->written_runnable = false;
            g->state = GOTRACE_STATE_RUNNABLE;
        }
        drop(w, ev->type);
        return;
    }
    /* Who wakes it says more than where. */
    if (waker)
        thread = go_at(w, waker)->thread;
    else
        thread = w->threads.v[w->procs.v[proc].thread].go ? 0 : w->procs.v[proc].thread;
    args[1] = ++g->seq;
    put(w, thread, ev->type, args);
    g->state = GOTRACE_STATE_RUNNABLE;
}

void begin_call(struct world *w, const struct gotrace_event *ev, uint64_t *args)
{
    uint32_t go = go_of(w, ev);
    if (!runs(w, go)) {
        drop(w, ev->type);
        return;
    }
    uint32_t thread = go_at(w, go)->thread;
    args[0] = ++w->procs.v[w->threads.v[thread].proc].seq;
    put(w, thread, ev->type, args);
    bind_go(w, go, thread, GOTRACE_STATE_SYSCALL);
}

void end_call(struct world *w, const struct gotrace_event *ev)
{
    uint32_t go = go_of(w, ev), thread = go_at(w, go)->thread;
    if (!go || go_at(w, go)->state != GOTRACE_STATE_SYSCALL || !w->threads.v[thread].proc) {
        drop(w, ev->type);
        return;
    }
    put(w, thread, ev->type, NULL);
    bind_go(w, go, thread, GOTRACE_STATE_RUNNING);
}

/* The thread has lost its proc by then. */
void end_blocked_call(struct world *w, const struct gotrace_event *ev)
{
    uint32_t go = go_of(w, ev), thread = go_at(w, go)->thread;
    if (thread && w->threads.v[thread].proc)
        stop_proc(w, w->threads.v[thread].proc, put_before);
    if (!thread) {
        drop(w, ev->type);
        return;
    }
    put(w, thread, ev->type, NULL);
    unbind_go(w, go, GOTRACE_STATE_RUNNABLE);
}
