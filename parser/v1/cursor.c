/*
 * The events in their order, one after the other. The order says whose event comes next; what it is, its proc's records
 * say, which are read side by side. Exits come in between by their time.
 */
#include "parser/v1/procs.h"

/* What an event is shown as, and on which of the procs that are none; 0: as it was written, on the proc that did. */
static const struct shown {
    uint8_t id, p;
} shown[V1_IDS] = {
    [V1_GoStartLocal] = {.id = V1_GoStart},
    [V1_GoUnblockLocal] = {.id = V1_GoUnblock},
    [V1_GoSysExitLocal] = {.id = V1_GoSysExit, .p = V1_AT_SYSCALL_P},
    [V1_GoSysExit] = {.p = V1_AT_SYSCALL_P},
    [V1_GCStart] = {.p = V1_AT_GC_P},
};

_Static_assert(V1_AT_NO_P == 0, "no event is moved there");

static uint32_t named_g(const struct v1_trace *t, const struct v1_said *r)
{
    return v1_names_g(r->id) ? idmap_get(&t->g_ids, r->args[0]) : 0;
}

/* What the trace says of an event at `at`. Its stack, if it is the first event of a goroutine, and marks come later. */
static inline void make(const struct v1_trace *t, struct v1_event *ev, const uint8_t *at, const struct v1_said *r,
                        int64_t ticks, uint32_t g, uint16_t p)
{
    const struct shown *as = &shown[r->id];
    ev->time = v1_nanoseconds(t, ticks);
    ev->at = (uint64_t)(at - t->data);
    for (unsigned i = 0; i < V1_MAX_ARGS; i++)
        ev->args[i] = r->args[i];
    ev->g = g;
    ev->p = as->p ? as->p : p;
    ev->id = as->id ? as->id : (uint8_t)r->id;
    ev->blocks = false;
    ev->stack = r->stack ? idmap_get(&t->stack_ids, r->stack) : 0;
}

/* The next event that the proc wrote and that is in the order: no exit that returned earlier. False: there is none. */
static inline bool make_written(struct v1_trace *t, struct v1_proc *proc)
{
    struct v1_said r;
    const uint8_t *at;
    do
        if (UNLIKELY(!(at = v1_proc_read(t, proc, &r))))
            return false; /* which cannot be: the order has a proc as often as it has events */
    while (UNLIKELY(r.id == V1_GoSysExit) && r.args[2]);
    t->cursor.ticks = proc->ticks;
    make(t, &t->cursor.ev, at, &r, proc->ticks, v1_proc_g(t, proc, r.id, named_g(t, &r)), proc->p_index);
    return true;
}

__attribute__((noinline)) static void make_kept(struct v1_trace *t)
{
    const struct v1_kept *k = &t->kept.v[t->cursor.kept++];
    struct v1_said r;
    v1_reread_at(t, k->at, &r);
    if (r.id == V1_CPUSample)
        r.args[0] = 0; /* it is the time of the event, and Go shows it there only */
    t->cursor.ticks = k->ticks;
    make(t, &t->cursor.ev, t->data + k->at, &r, k->ticks, k->g, k->p);
}

/* A goroutine's first event has the stack that it starts with; before 1.7 that is a PC. */
static inline void start(struct v1_trace *t, struct v1_event *ev)
{
    if (ev->id == V1_GoStart || ev->id == V1_GoStartLabel) {
        uint32_t *stack = &t->starts[ev->g];
        ev->stack = *stack;
        if (UNLIKELY(*stack))
            *stack = 0;
    } else if (UNLIKELY(ev->id == V1_GoCreate)) {
        const struct idmap *starts = t->form.names ? &t->stack_ids : &t->start_pcs;
        t->starts[idmap_get(&t->g_ids, ev->args[0])] = idmap_get(starts, ev->args[1]);
    }
}

static void apply(struct v1_event *ev, enum v1_mark mark)
{
    if (ev->id == V1_GoSysCall)
        ev->blocks = mark == V1_MARK_BLOCKS;
    else
        ev->p = mark == V1_MARK_BY_TIMER ? V1_AT_TIMER_P : V1_AT_NETPOLL_P;
}

/* Makes the next event of the order. */
static inline bool next_in_order(struct v1_trace *t)
{
    struct v1_cursor *c = &t->cursor;
    enum v1_mark mark;
    do {
        if (UNLIKELY(c->next == t->norder))
            return false;
        mark = v1_mark(t, c->next);
        struct v1_proc *proc = &t->procs.v[t->order[c->next++]];
        if (UNLIKELY(proc->keeps))
            make_kept(t);
        else if (UNLIKELY(!make_written(t, proc)))
            return false;
    } while (UNLIKELY(mark == V1_MARK_GONE));
    if (UNLIKELY(mark))
        apply(&c->ev, mark);
    if (LIKELY(t->starts))
        start(t, &c->ev);
    return true;
}

static void look_at_exit(struct v1_trace *t)
{
    struct v1_cursor *c = &t->cursor;
    c->exit_ticks = c->exit < t->exits.n ? t->exits.v[c->exit].ticks : INT64_MAX;
}

/* Whether the next exit, which is not later than the next event of the order, comes before it. */
static bool exit_is_first(const struct v1_trace *t)
{
    const struct v1_cursor *c = &t->cursor;
    return c->exit < t->exits.n && (c->ticks > c->exit_ticks || v1_place(t) >= t->exits.v[c->exit].after);
}

static const struct v1_event *make_exit(struct v1_trace *t)
{
    struct v1_cursor *c = &t->cursor;
    const struct v1_exit *x = &t->exits.v[c->exit++];
    struct v1_said r;
    v1_reread_at(t, x->at, &r);
    make(t, &c->exit_ev, t->data + x->at, &r, x->ticks, named_g(t, &r), V1_AT_SYSCALL_P);
    look_at_exit(t);
    return &c->exit_ev;
}

const struct v1_event *v1_next(struct v1_trace *t)
{
    struct v1_cursor *c = &t->cursor;
    if (!c->has_next && UNLIKELY(!next_in_order(t)))
        return c->exit < t->exits.n ? make_exit(t) : NULL;
    c->has_next = UNLIKELY(c->ticks >= c->exit_ticks) && exit_is_first(t);
    return UNLIKELY(c->has_next) ? make_exit(t) : &c->ev;
}

void v1_rewind(struct v1_trace *t)
{
    t->cursor = (struct v1_cursor){0};
    look_at_exit(t);
    v1_rewind_procs(t);
}
