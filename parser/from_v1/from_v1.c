/* A v1 trace, from its first event to its last. */
#include "parser/from_v1/from_v1.h"

#include "parser/from_v1/events.h"

/* Traces of 2014 name none; v2 has to. */
static uint32_t starting_thread(struct world *w, const struct gotrace_event *ev)
{
    return ev->thread == ID_NONE ? spare_thread(w) : world_thread(w, ev->thread);
}

static void start_proc(struct world *w, const struct gotrace_event *ev)
{
    uint32_t proc = proc_of(w, ev), thread = starting_thread(w, ev);
    struct v2_proc *p = &w->procs.v[proc];
    if (!proc) {
        drop(w, EV_ProcStart);
        return;
    }
    if (p->thread) /* v1 does not know that it runs */
        stop_proc(w, proc, put_before);
    if (thread && is_busy(&w->threads.v[thread]))
        thread = spare_thread(w);
    if (!thread)
        return;
    if (p->known)
        put(w, thread, EV_ProcStart, (uint64_t[]){p->id, ++p->seq});
    else
        put(w, thread, EV_ProcStatus, (uint64_t[]){p->id, PROC_RUNNING});
    p->known = true;
    bind_proc(w, proc, thread);
}

static void end_proc(struct world *w, const struct gotrace_event *ev)
{
    uint32_t proc = proc_of(w, ev);
    if (proc && w->procs.v[proc].thread)
        stop_proc(w, proc, put);
}

static void sweep(struct world *w, const struct gotrace_event *ev, const uint64_t *args)
{
    uint32_t thread = hold(w, proc_of(w, ev));
    if (thread)
        put(w, thread, ev->type, args);
    else
        drop(w, ev->type);
}

/* A proc is all that it needs, and it does not matter which. */
static void metric(struct world *w, const struct gotrace_event *ev, const uint64_t *args)
{
    uint32_t proc = proc_of(w, ev), thread = proc ? hold(w, proc) : any_runner(w);
    if (!thread)
        thread = hold(w, world_proc(w, 0));
    if (thread)
        put(w, thread, ev->type, args);
}

/* Something that a goroutine says of itself. */
static void annotate(struct world *w, const struct gotrace_event *ev, const uint64_t *args)
{
    uint32_t go = go_of(w, ev);
    if (runs(w, go))
        put(w, go_at(w, go)->thread, ev->type, args);
    else
        drop(w, ev->type);
}

static void change_procs(struct world *w, const struct gotrace_event *ev, const uint64_t *args)
{
    uint32_t thread = runner(w, ev);
    if (thread)
        put(w, thread, ev->type, args);
    else
        drop(w, ev->type);
}

static void sample(struct world *w, const struct gotrace_event *ev, const uint64_t *args)
{
    uint64_t go = ev->goroutine == ID_NONE ? GO_NONE : ev->goroutine;
    w->last = w->now > w->last ? w->now : w->last + 1;
    if (w->writes)
        gotrace_builder_cpu_sample(w->out, w->last, ev->thread, ev->proc, go, args[0]);
}

static void say(struct world *w, const struct gotrace_event *ev)
{
    uint64_t args[EVENT_MAX_ARGS];
    translate(w, ev, args);
    w->now = (uint64_t)ev->time + LATER;
    switch ((enum event_id)ev->type) {
    case EV_ProcStatus:
    case EV_ProcStart:
        start_proc(w, ev);
        break;
    case EV_ProcStop:
        end_proc(w, ev);
        break;
    case EV_GoStatus:
        status(w, ev);
        break;
    case EV_GoCreate:
        create(w, ev, args);
        break;
    case EV_GoStart:
        start_go(w, ev);
        break;
    case EV_GoDestroy:
        stop_go(w, ev, args, GOTRACE_STATE_NOT_EXIST);
        break;
    case EV_GoStop:
        stop_go(w, ev, args, GOTRACE_STATE_RUNNABLE);
        break;
    case EV_GoBlock:
        stop_go(w, ev, args, GOTRACE_STATE_WAITING);
        break;
    case EV_GoUnblock:
        unblock(w, ev, args);
        break;
    case EV_GoSyscallBegin:
        begin_call(w, ev, args);
        break;
    case EV_GoSyscallEnd:
        end_call(w, ev);
        break;
    case EV_GoSyscallEndBlocked:
        end_blocked_call(w, ev);
        break;
    case EV_GCBegin:
        begin_gc(w, ev, args);
        break;
    case EV_GCEnd:
        end_gc(w, ev, args);
        break;
    case EV_STWBegin:
        begin_stop(w, ev, args);
        break;
    case EV_STWEnd:
        end_stop(w, ev);
        break;
    case EV_GCMarkAssistBegin:
        begin_assist(w, ev, args);
        break;
    case EV_GCMarkAssistEnd:
        end_assist(w, ev);
        break;
    case EV_GCSweepBegin:
    case EV_GCSweepEnd:
        sweep(w, ev, args);
        break;
    case EV_HeapAlloc:
    case EV_HeapGoal:
        metric(w, ev, args);
        break;
    case EV_ProcsChange:
        change_procs(w, ev, args);
        break;
    case EV_UserTaskBegin:
        args[1] = args[1] == ID_NONE ? 0 : args[1];
        annotate(w, ev, args);
        break;
    case EV_CPUSample:
        sample(w, ev, args);
        break;
    default: /* GoLabel, and what the user's program says */
        annotate(w, ev, args);
    }
}

static bool no_memory(struct failure *f)
{
    fail(f, GOTRACE_ENOMEM, (struct place){.thread = ID_NONE}, "out of memory");
    return false;
}

/* Once over all events. */
static bool go_through(struct world *w, struct failure *f)
{
    const struct gotrace_event *ev;
    while ((ev = as_v2_next(w->from, f))) {
        if (ev->type != EV_SYNC_POINT)
            say(w, ev);
        if (w->no_memory)
            return no_memory(f);
        if (w->writes && gotrace_builder_error(w->out))
            return false;
    }
    return !f->error.status;
}

/* v1 does not say what time it was: the clocks start with the trace. */
static bool write_all(struct world *w, struct failure *f)
{
    enum { BILLION = 1000000000 };
    gotrace_builder_generation(w->out, 1);
    gotrace_builder_sync(w->out, BILLION, LATER - 1, 1, 0, 1);
    w->done->made_clocks += w->to->clocks;
    w->writes = true;
    if (!go_through(w, f))
        return false;
    world_flush(w);
    return !gotrace_builder_finish(w->out);
}

struct output {
    convert_write *write;
    void *arg;
};

static int write_out(void *arg, const void *data, size_t size)
{
    const struct output *o = arg;
    return o->write(o->arg, data, size) ? 0 : -1;
}

static bool convert(struct world *w, struct output *o, struct failure *f)
{
    if (!world_init(w) || !(w->out = gotrace_builder_new_callback(w->to->nn, write_out, o)))
        return no_memory(f);
    if (!go_through(w, f))
        return false;
    as_v2_again(w->from);
    world_again(w);
    if (write_all(w, f))
        return true;
    const struct gotrace_error *e = gotrace_builder_error(w->out);
    if (e && e->status != GOTRACE_EWRITE)
        fail(f, e->status, (struct place){.thread = ID_NONE}, "%s", e->message);
    return false;
}

bool convert_v1(struct source *s, const struct wire_version *to, convert_write *write, void *arg,
                struct converted *done, struct failure *f)
{
    struct generation tables = {0};
    struct output o = {write, arg};
    *done = (struct converted){0};
    struct world w = {.to = to, .tables = &tables, .done = done, .from = as_v2_open(s, &tables, f)};
    bool ok = w.from && convert(&w, &o, f);
    world_free(&w);
    gotrace_builder_free(w.out);
    as_v2_free(w.from);
    generation_free(&tables);
    return ok;
}
