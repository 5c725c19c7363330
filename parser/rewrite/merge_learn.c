/* What is there when a trace begins: the statuses of its first generation, wherever in it they are said. */
#include "parser/reader.h"
#include "parser/rewrite/merge_steps.h"

static const struct trim all_of_it = {.to = UINT64_MAX, .whole = true};

static bool out_of_memory(struct failure *f)
{
    fail(f, GOTRACE_ENOMEM, (struct place){.thread = ID_NONE}, "out of memory");
    return false;
}

/* Threads that an event has come of, and those that hold a proc or are with a goroutine as the trace begins. */
struct learning {
    struct merge_part *p;
    struct idmap seen, holders, users;
    struct failure *f;
};

static bool note(struct learning *l, struct idmap *map, uint64_t thread)
{
    return thread == ID_NONE || idmap_get(map, thread) || idmap_add(map, thread, 1) || out_of_memory(l->f);
}

/*
 * A status holds since the trace began, but for that of a thread which has done something else before: then the proc
 * was idle, or the goroutine runnable, and is said to be otherwise where it is taken. Whoever is about to steal a proc
 * says that it is abandoned; that its holder lost it comes to the same.
 */
static bool learn_proc(struct learning *l, const struct gotrace_event *ev)
{
    if (ev->from != GOTRACE_STATE_UNDETERMINED)
        return true;
    if (!trim_proc_event(&l->p->t, ev))
        return false;
    struct trim_proc *proc = trim_proc(&l->p->t, ev->args[0]);
    bool held = proc->status == PROC_RUNNING || proc->status == PROC_SYSCALL;
    if (held && ev->thread != ID_NONE && !idmap_get(&l->seen, ev->thread) && !idmap_get(&l->holders, ev->thread))
        return note(l, &l->holders, ev->thread);
    proc->status = PROC_IDLE;
    return true;
}

static bool learn_go(struct learning *l, const struct gotrace_event *ev)
{
    if (ev->from != GOTRACE_STATE_UNDETERMINED)
        return true;
    if (!trim_go_event(&l->p->t, ev))
        return false;
    struct trim_go *go = trim_go(&l->p->t, ev->args[0]);
    bool runs = go->status == GO_RUNNING;
    if (!runs && go->status != GO_SYSCALL)
        return true;
    if (ev->thread != ID_NONE && !idmap_get(&l->seen, ev->thread) && !idmap_get(&l->users, ev->thread) &&
        (!runs || idmap_get(&l->holders, ev->thread)))
        return note(l, &l->users, ev->thread);
    go->status = GO_RUNNABLE;
    go->thread = ID_NONE;
    return true;
}

static bool learn(struct learning *l, const struct gotrace_event *ev)
{
    if (l->p->thread == ID_NONE)
        l->p->thread = ev->thread;
    switch (ev->type) {
    case EV_GoStatus:
    case EV_GoStatusStack: return learn_go(l, ev);
    case EV_ProcStatus: return learn_proc(l, ev);
    case EV_GCActive: l->p->collects = true; return true;
    case EV_GCSweepActive:
    case EV_GCMarkAssistActive: return trim_range_event(&l->p->t, ev);
    case EV_CPUSample: return true;
    default: return note(l, &l->seen, ev->thread);
    }
}

static bool read_failed(const struct gotrace_reader *r, struct failure *f)
{
    const struct gotrace_error *e = gotrace_reader_error(r);
    if (!e) {
        fail(f, GOTRACE_EBROKEN, (struct place){.thread = ID_NONE}, "it is empty");
        return false;
    }
    fail(f, e->status, (struct place){e->generation, e->thread, e->offset, e->event}, "%s", e->message);
    f->error.sys_errno = e->sys_errno;
    return false;
}

bool merge_learn(struct merge_input *in, struct gotrace_reader *r, struct failure *f)
{
    struct rewriter none = {.f = f};
    struct merge_part *p = calloc(1, sizeof *p);
    if (!p)
        return out_of_memory(f);
    in->part = p;
    p->t = (struct trimming){.w = &none, .trim = &all_of_it, .f = f};
    p->thread = ID_NONE;
    const struct gotrace_event *ev = gotrace_reader_next(r);
    if (!ev)
        return read_failed(r, f);
    p->t.has_stacks = r->version->coroutines;
    in->moment.begin = ev->time;
    struct learning l = {.p = p, .f = f};
    bool ok = true, any = false;
    for (unsigned syncs = 0; ok && ev; ev = gotrace_reader_next(r)) {
        if (ev->type != EV_SYNC_POINT) {
            ok = learn(&l, ev);
            any = true;
            continue;
        }
        origin_learn(&in->origin, ev);
        if (++syncs > 1)
            break;
    }
    idmap_free(&l.seen);
    idmap_free(&l.holders);
    idmap_free(&l.users);
    p->thread = p->thread == ID_NONE ? 0 : p->thread;
    p->t.w = NULL;
    /* What is broken is merged up to there. Memory that is short says nothing of the trace. */
    const struct gotrace_error *e = gotrace_reader_error(r);
    bool goes_on = !e || (any && e->status != GOTRACE_ENOMEM && e->status != GOTRACE_EREAD);
    return ok && (goes_on || read_failed(r, f));
}

void merge_input_free(struct merge_input *in)
{
    if (!in->part)
        return;
    trim_free(&in->part->t);
    rewriter_source_free(&in->part->source);
    distinct_free(&in->part->distinct);
    free(in->part);
    in->part = NULL;
}
