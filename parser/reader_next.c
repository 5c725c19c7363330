/*
 * The short way to the next event, for the handful of events that most traces mostly consist of. It changes nothing
 * until it is sure of the event; whenever something is out of the ordinary it leaves the rest to the long way, with a
 * call in tail position, so that this function has no frame.
 */
#include "parser/reader.h"

#include "lib/wire/cursor.h"

#define INTEGER(v)                                                                                                     \
    do {                                                                                                               \
        (v) = *p;                                                                                                      \
        if (LIKELY((v) < 0x80))                                                                                        \
            p++;                                                                                                       \
        else if (UNLIKELY(!(p = varint_more(p, &(v)))))                                                                \
            return reader_next_slow(r);                                                                                \
    } while (0)

/* The index of the goroutine with a dense ID; else of the one that is never used. */
static inline uint32_t dense_go(const struct order *o, uint64_t id)
{
    return LIKELY(id < o->go_of.ndense) ? o->go_of.dense[id] : 0;
}

static inline bool in_turn(const struct order *o, const struct go *go, uint64_t n)
{
    return n == go->seq.n + 1 && go->seq.generation == o->generation;
}

static inline bool has_string(const struct generation *g, uint64_t id)
{
    return id < g->string_of.ndense && g->string_of.dense[id];
}

static inline bool has_stack(const struct generation *g, uint64_t id)
{
    return id < g->stack_of.ndense && g->stack_of.dense[id];
}

/*
 * Each step is that of order_go.c or order_proc.c, where everything is as it should be. What has a proc is a thread, so
 * that need not be asked for.
 */
static inline bool go_start(struct order *o, const struct gotrace_event *ev, struct thread *t)
{
    uint32_t at = dense_go(o, ev->args[0]);
    struct go *go = &o->gos.v[at];
    if (UNLIKELY(go->status != GO_RUNNABLE || !in_turn(o, go, ev->args[1]) || t->proc == ID_NONE ||
                 t->goroutine != ID_NONE))
        return false;
    go->status = GO_RUNNING;
    go->seq.n = ev->args[1];
    t->goroutine = ev->args[0];
    t->go_hint = at;
    return true;
}

static inline bool go_unblock(struct order *o, const struct gotrace_event *ev, const struct generation *g)
{
    struct go *go = &o->gos.v[dense_go(o, ev->args[0])];
    if (UNLIKELY(go->status != GO_WAITING || !in_turn(o, go, ev->args[1]) || !has_stack(g, ev->args[2])))
        return false;
    go->status = GO_RUNNABLE;
    go->seq.n = ev->args[1];
    return true;
}

static inline bool go_stop(struct order *o, const struct gotrace_event *ev, struct thread *t,
                           const struct generation *g, uint8_t status)
{
    struct go *go = &o->gos.v[t->go_hint];
    if (UNLIKELY(go->id != t->goroutine || go->status != GO_RUNNING || t->proc == ID_NONE || t->goroutine == ID_NONE ||
                 !has_string(g, ev->args[0]) || !has_stack(g, ev->args[1])))
        return false;
    go->status = status;
    t->goroutine = ID_NONE;
    return true;
}

static inline bool proc_stop(struct thread *t)
{
    struct proc *p = t->proc_hint;
    if (UNLIKELY(!p || p->id != t->proc || t->proc == ID_NONE || p->status != PROC_RUNNING))
        return false;
    p->status = PROC_IDLE;
    t->proc = ID_NONE;
    return true;
}

static inline bool syscall_begin(struct order *o, const struct gotrace_event *ev, struct thread *t,
                                 const struct generation *g)
{
    struct go *go = &o->gos.v[t->go_hint];
    struct proc *p = t->proc_hint;
    if (UNLIKELY(!p || p->id != t->proc || t->proc == ID_NONE || ev->args[0] != p->seq.n + 1 ||
                 p->seq.generation != o->generation || go->id != t->goroutine || go->status != GO_RUNNING ||
                 t->goroutine == ID_NONE || !has_stack(g, ev->args[1])))
        return false;
    go->status = GO_SYSCALL;
    p->status = PROC_SYSCALL;
    p->seq.n = ev->args[0];
    return true;
}

static inline bool syscall_end(struct order *o, struct thread *t)
{
    struct go *go = &o->gos.v[t->go_hint];
    struct proc *p = t->proc_hint;
    if (UNLIKELY(!p || p->id != t->proc || t->proc == ID_NONE || p->status != PROC_SYSCALL || go->id != t->goroutine ||
                 go->status != GO_SYSCALL || t->goroutine == ID_NONE))
        return false;
    go->status = GO_RUNNING;
    p->status = PROC_RUNNING;
    return true;
}

static inline const struct gotrace_event *happens(struct gotrace_reader *r, struct gotrace_event *ev)
{
    int64_t last = r->last;
    r->last = ev->time = ev->time <= last ? (int64_t)((uint64_t)last + 1) : ev->time;
    return ev;
}

/* The earliest event, if it is none of the most common ones. */
__attribute__((noinline)) static const struct gotrace_event *rarer(struct gotrace_reader *r)
{
    struct cursor *c = frontier_cursor(&r->frontier, 0);
    struct thread *t = c->thread;
    bool done = false;
    switch (c->ev.type) {
    case EV_ProcStop:
        done = proc_stop(t);
        break;
    case EV_GoSyscallBegin:
        done = syscall_begin(&r->order, &c->ev, t, &r->generation);
        break;
    case EV_GoSyscallEnd:
        done = syscall_end(&r->order, t);
        break;
    }
    return done ? happens(r, &c->ev) : reader_decide(r);
}

/*
 * Before it happens: ev->proc and ev->goroutine are t's. These are branches, not a switch, as jumps through a table are
 * foreseen less well.
 */
static inline bool common(struct gotrace_reader *r, const struct gotrace_event *ev, struct thread *t)
{
    const struct generation *g = &r->generation;
    if (ev->type == EV_GoStart)
        return go_start(&r->order, ev, t);
    if (ev->type == EV_GoUnblock)
        return go_unblock(&r->order, ev, g);
    if (ev->type == EV_GoBlock)
        return go_stop(&r->order, ev, t, g, GO_WAITING);
    return ev->type == EV_GoStop && go_stop(&r->order, ev, t, g, GO_RUNNABLE);
}

const struct gotrace_event *gotrace_reader_next(struct gotrace_reader *r)
{
    if (UNLIKELY(!r->fast))
        return reader_next_slow(r);
    struct keyed *heap = r->frontier.heap;
    struct cursor *c = (struct cursor *)(uintptr_t)heap[0].value;
    const uint8_t *p = c->p, *const at = p;
    if (UNLIKELY(p >= c->near_end))
        return reader_next_slow(r);
    unsigned n = timed_args[*p++];
    uint64_t dt;
    INTEGER(dt);
    if (n >= 3) {
        INTEGER(c->ev.args[0]);
        INTEGER(c->ev.args[1]);
        if (n > 3) {
            INTEGER(c->ev.args[2]);
            if (n > 4)
                INTEGER(c->ev.args[3]);
        }
    } else if (n == 2) {
        INTEGER(c->ev.args[0]);
    }
    if (UNLIKELY(!n || dt >= r->generation.clock.exact))
        return reader_next_slow(r);
    int64_t time = (int64_t)((uint64_t)c->last + dt * r->generation.clock.whole);
    if (UNLIKELY(!time))
        return reader_next_slow(r);
    c->p = p;
    c->last = c->ev.time = time;
    c->ev.type = *at;
    c->ev.at = at;
    heap[0].key = time;
    if (time > heap[1].key || time > heap[2].key) {
        c = frontier_sink_first(heap, r->frontier.n, time);
        time = heap[0].key;
    }
    struct thread *t = c->thread;
    if (UNLIKELY(r->sample_time < time || !t))
        return reader_decide(r);
    uint64_t proc = t->proc, goroutine = t->goroutine;
    LOADED_ALONE(proc);
    LOADED_ALONE(goroutine);
    c->ev.proc = proc;
    c->ev.goroutine = goroutine;
    return LIKELY(common(r, &c->ev, t)) ? happens(r, &c->ev) : rarer(r);
}
