/* On which thread something happens, where v1 does not say, or says what cannot be in v2. */
#include "parser/from_v1/world.h"

uint32_t spare_thread(struct world *w)
{
    while (w->spare.n) {
        uint32_t at = w->spare.v[--w->spare.n];
        if (!is_busy(&w->threads.v[at]))
            return at;
    }
    for (;;) {
        uint64_t id = MADE_UP + w->made_up++;
        bool taken = idmap_get(&w->thread_of, id);
        uint32_t at = taken ? 0 : world_thread(w, id);
        if (at)
            w->threads.v[at].made_up = true;
        if (!taken)
            return at;
    }
}

/* One that was made up, and does nothing now, is for the next who needs one. */
static void leave(struct world *w, uint32_t thread)
{
    const struct v2_thread *t = &w->threads.v[thread];
    if (!t->made_up || is_busy(t))
        return;
    if (VEC_ROOM(&w->spare))
        w->spare.v[w->spare.n++] = thread;
    else
        w->no_memory = true;
}

static void link_runner(struct world *w, uint32_t at)
{
    struct v2_thread *t = w->threads.v;
    t[at].last_runner = 0;
    t[at].next_runner = t[0].next_runner;
    t[t[0].next_runner].last_runner = at;
    t[0].next_runner = at;
}

static void unlink_runner(struct world *w, uint32_t at)
{
    struct v2_thread *t = w->threads.v;
    t[t[at].last_runner].next_runner = t[at].next_runner;
    t[t[at].next_runner].last_runner = t[at].last_runner;
}

uint32_t any_runner(const struct world *w) { return w->threads.v[0].next_runner; }

void bind_go(struct world *w, uint32_t go, uint32_t thread, uint8_t state)
{
    struct v2_go *g = &w->gos.v[go];
    if (g->thread && g->state == GOTRACE_STATE_RUNNING)
        unlink_runner(w, g->thread);
    g->thread = thread;
    g->state = state;
    w->threads.v[thread].go = go;
    if (thread && state == GOTRACE_STATE_RUNNING)
        link_runner(w, thread);
}

void unbind_go(struct world *w, uint32_t go, uint8_t state)
{
    struct v2_go *g = &w->gos.v[go];
    uint32_t thread = g->thread;
    if (thread && g->state == GOTRACE_STATE_RUNNING)
        unlink_runner(w, thread);
    g->thread = 0;
    g->state = state;
    if (thread) {
        w->threads.v[thread].go = 0;
        leave(w, thread);
    }
}

void bind_proc(struct world *w, uint32_t proc, uint32_t thread)
{
    w->procs.v[proc].thread = w->procs.v[proc].home = thread;
    w->threads.v[thread].proc = proc;
}

uint32_t hold(struct world *w, uint32_t proc)
{
    struct v2_proc *p = &w->procs.v[proc];
    if (p->thread || !proc)
        return p->thread;
    uint32_t thread = p->home && !is_busy(&w->threads.v[p->home]) ? p->home : spare_thread(w);
    if (!thread)
        return 0;
    if (p->known)
        put_before(w, thread, EV_ProcStart, (uint64_t[]){p->id, ++p->seq});
    else
        put_before(w, thread, EV_ProcStatus, (uint64_t[]){p->id, PROC_RUNNING});
    p->known = true;
    bind_proc(w, proc, thread);
    return thread;
}

void stop_proc(struct world *w, uint32_t proc, void (*put_stop)(struct world *, uint32_t, uint8_t, const uint64_t *))
{
    struct v2_proc *p = &w->procs.v[proc];
    struct v2_thread *t = &w->threads.v[p->thread];
    if (t->go && w->gos.v[t->go].state == GOTRACE_STATE_RUNNING) {
        put_before(w, p->thread, EV_GoSyscallBegin, (uint64_t[]){++p->seq, 0});
        bind_go(w, t->go, p->thread, GOTRACE_STATE_SYSCALL);
    }
    put_stop(w, p->thread, EV_ProcStop, NULL);
    t->proc = 0;
    leave(w, p->thread);
    p->thread = 0;
}

uint32_t hold_free(struct world *w, uint32_t proc)
{
    uint32_t thread = hold(w, proc);
    if (!thread || !w->threads.v[thread].go)
        return thread;
    stop_proc(w, proc, put_before);
    return hold(w, proc);
}
