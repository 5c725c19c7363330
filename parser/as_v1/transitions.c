/* What goroutines and procs do. */
#include <string.h>

#include "parser/as_v1/steps.h"

/* ---- reasons ----------------------------------------------------------------------------------------------------- */

static const struct reason {
    const char *text;
    uint8_t id;
} reasons[] = {
    {"", V1_GoBlock},
    {"forever", V1_GoStop},
    {"sleep", V1_GoSleep},
    {"chan send", V1_GoBlockSend},
    {"chan receive", V1_GoBlockRecv},
    {"network", V1_GoBlockNet},
    {"sync", V1_GoBlockSync},
    {"sync.(*Cond).Wait", V1_GoBlockCond},
    {"select", V1_GoBlockSelect},
    {"GC mark assist wait for work", V1_GoBlockGC},
}, stops[] = {
    {"preempted", V1_GoPreempt},
    {"runtime.Gosched", V1_GoSched},
    {"runtime.GoSched", V1_GoSched},
};

#define REASON(v, table, text, otherwise) find_reason(v, table, sizeof table / sizeof *table, text, otherwise)

static uint8_t find_reason(struct as_v1 *v, const struct reason *table, size_t n, struct gotrace_str text,
                           uint8_t otherwise)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(table[i].text) == text.len && !memcmp(table[i].text, text.data, text.len) &&
            v->b.form.shapes[table[i].id].cls != V1_IS_NONE)
            return table[i].id;
    v->losses.reasons++;
    return otherwise;
}

/* ---- what is there at the beginning ------------------------------------------------------------------------------ */

/*
 * The time of what was so at the beginning, before START_TICKS; but not before what the proc did already. A proc of v1
 * has its status where it is first heard of, which may be later.
 */
static uint64_t lead(struct as_v1 *v, const struct as_v1_proc *p)
{
    if ((v->from_v1 && v->begun) || v->leads >= AS_V1_LEAD)
        return 0;
    uint64_t ticks = AS_V1_START_TICKS - AS_V1_LEAD + v->leads;
    if (p->last > ticks)
        return 0;
    v->leads++;
    return ticks;
}

static uint64_t start_of(struct as_v1 *v, struct gotrace_stack s)
{
    const struct v1_frame unknown = {.pc = 1};
    struct gotrace_frame f;
    if (!v->b.form.names)
        return gotrace_stack_frame(s, 0, &f) ? f.pc - 1 : 0;
    uint64_t id = as_v1_stack(v, s);
    return id ? id : v1_builder_stack(&v->b, &unknown, 1);
}

/* ---- procs ------------------------------------------------------------------------------------------------------- */

static bool start_proc(struct as_v1 *v, const struct gotrace_event *ev, uint64_t id, bool was_so)
{
    int64_t at = as_v1_proc(v, id);
    if (at < 0)
        return false;
    struct as_v1_proc *p = &v->procs.v[at];
    if (p->runs || at == NOWHERE)
        return as_v1_drop(v, ev);
    uint64_t ticks = was_so ? lead(v, p) : 0;
    p->runs = true;
    return as_v1_put(v, (uint32_t)at, ev,
                     (struct v1_made){.id = V1_ProcStart,
                                      .ticks = ticks,
                                      .seq = ticks,
                                      .args = {ev->thread == ID_NONE ? 0 : ev->thread}});
}

static bool stop_proc(struct as_v1 *v, const struct gotrace_event *ev, uint64_t id)
{
    int64_t at = as_v1_proc(v, id);
    if (at < 0)
        return false;
    struct as_v1_proc *p = &v->procs.v[at];
    if (!p->runs || p->has_g)
        return as_v1_drop(v, ev);
    p->runs = false;
    return as_v1_put(v, (uint32_t)at, ev, (struct v1_made){.id = V1_ProcStop});
}

static bool proc_transition(struct as_v1 *v, const struct gotrace_event *ev, const struct gotrace_transition *t)
{
    bool is_new = t->from == GOTRACE_STATE_UNDETERMINED || t->from == GOTRACE_STATE_NOT_EXIST;
    if (t->from == t->to || (is_new && t->to != GOTRACE_STATE_RUNNING))
        return true;
    if (t->to == GOTRACE_STATE_RUNNING)
        return start_proc(v, ev, t->resource.id, t->from == GOTRACE_STATE_UNDETERMINED);
    return stop_proc(v, ev, t->resource.id);
}

/* ---- goroutines -------------------------------------------------------------------------------------------------- */

struct step {
    struct as_v1 *v;
    const struct gotrace_event *ev;
    struct gotrace_transition t;
    uint64_t g;
    struct as_v1_go *go;
    uint32_t place; /* index of a proc */
};

static struct as_v1_proc *proc_of(const struct step *s)
{
    return &s->v->procs.v[s->place];
}

static bool put(const struct step *s, struct v1_made made)
{
    return as_v1_put(s->v, s->place, s->ev, made);
}

static uint64_t stack_of(const struct step *s)
{
    return as_v1_stack(s->v, gotrace_event_stack(s->ev));
}

static bool run(const struct step *s, uint64_t ticks)
{
    struct as_v1_proc *p = proc_of(s);
    struct v1_made made = {.id = V1_GoStart, .ticks = ticks, .seq = ticks, .args = {s->g, s->go->seq++}};
    s->go->state = V1G_RUNS;
    s->go->proc = s->place + 1;
    p->g = s->g;
    p->has_g = true;
    return s->v->b.form.shapes[V1_GoStartLabel].cls != V1_IS_NONE ? as_v1_hold(s->v, s->place, s->ev, made)
                                                                  : put(s, made);
}

static bool start(const struct step *s, uint64_t ticks)
{
    if (s->go->state != V1G_RUNNABLE || proc_of(s)->has_g || s->place == NOWHERE)
        return as_v1_drop(s->v, s->ev);
    return run(s, ticks);
}

/* The goroutine, which runs, does no more; it is in the proc where it runs. */
static bool leave(struct step *s, struct v1_made made, uint8_t state)
{
    if (s->go->state != V1G_RUNS)
        return as_v1_drop(s->v, s->ev);
    s->place = s->go->proc - 1;
    if (!put(s, made))
        return false;
    s->go->state = state;
    proc_of(s)->has_g = false;
    return true;
}

/*
 * v1 has no goroutine that waits, or is in a system call, from its creation on. It is runnable until it would have been
 * made so. One of a C thread that left Go is in a system call for v1, and may come back.
 */
static bool create(const struct step *s)
{
    if (s->go->known)
        return (s->go->state == V1G_WAITS && s->t.to == GOTRACE_STATE_SYSCALL) || as_v1_drop(s->v, s->ev);
    *s->go = (struct as_v1_go){
        .known = true, .state = V1G_RUNNABLE, .seq = 1, .early = s->t.to != GOTRACE_STATE_RUNNABLE};
    return put(s, (struct v1_made){.id = V1_GoCreate, .args = {s->g, start_of(s->v, s->t.stack)}, .stack = stack_of(s)});
}

/* A goroutine that was there at the beginning. Where it started is told by nothing. */
static bool was_there(struct step *s)
{
    struct as_v1 *v = s->v;
    struct as_v1_first first = {.g = s->g, .start = start_of(v, (struct gotrace_stack){0}), .then = V1_None};
    v->losses.status_stacks += s->ev->type == EV_GoStatusStack && s->ev->args[3];
    if (s->go->known)
        return as_v1_drop(v, s->ev);
    *s->go = (struct as_v1_go){.known = true, .state = V1G_RUNNABLE, .seq = 1};
    if (s->t.to == GOTRACE_STATE_WAITING || s->t.to == GOTRACE_STATE_SYSCALL) {
        first.then = s->t.to == GOTRACE_STATE_WAITING ? V1_GoWaiting : V1_GoInSyscall;
        s->go->state = V1G_WAITS;
        s->go->calls += s->t.to == GOTRACE_STATE_SYSCALL;
        s->go->seq++;
    }
    if (!VEC_ROOM(&v->first)) {
        v->b.no_memory = true;
        return false;
    }
    v->first.v[v->first.n++] = first;
    return s->t.to == GOTRACE_STATE_RUNNING ? start(s, lead(v, proc_of(s))) : true;
}

/* Whether v1 has said already that the goroutine is runnable. */
static bool is_early(const struct step *s)
{
    bool early = s->go->early && s->go->state == V1G_RUNNABLE;
    s->go->early = false;
    return early;
}

static bool unblock(const struct step *s)
{
    if (is_early(s))
        return true;
    if (s->go->state != V1G_WAITS)
        return as_v1_drop(s->v, s->ev);
    s->go->state = V1G_RUNNABLE;
    return put(s, (struct v1_made){.id = V1_GoUnblock, .args = {s->g, s->go->seq++}, .stack = stack_of(s)});
}

/* It blocks unless it ends at once, as system calls of v1 do that did not. */
static bool call(struct step *s)
{
    if (s->go->state != V1G_RUNS)
        return as_v1_drop(s->v, s->ev);
    s->place = s->go->proc - 1;
    if (!put(s, (struct v1_made){.id = V1_GoSysCall, .stack = stack_of(s)}))
        return false;
    s->go->state = V1G_WAITS;
    s->go->calls++;
    proc_of(s)->has_g = false;
    return as_v1_hold(s->v, s->place, s->ev, (struct v1_made){.id = V1_GoSysBlock, .args = {s->g}});
}

static bool return_from_call(const struct step *s)
{
    uint64_t ticks = as_v1_ticks(s->v, s->ev);
    struct as_v1_proc *p = proc_of(s);
    bool stays = s->t.to == GOTRACE_STATE_RUNNING;
    if (is_early(s))
        return !stays || start(s, 0);
    if (s->go->state != V1G_WAITS)
        return as_v1_drop(s->v, s->ev);
    if (stays && s->v->from_v1 && p->has_held && p->held.id == V1_GoSysBlock && p->held.args[0] == s->g &&
        p->held.ticks + 1 == ticks) {
        p->has_held = false;
        p->has_g = true;
        p->g = s->g;
        s->go->state = V1G_RUNS;
        s->go->calls--;
        return true;
    }
    uint64_t seq = ++s->v->seq;
    s->go->state = V1G_RUNNABLE;
    /* As in traces of v1, one that is in no call may return from it; only then, no time is said. */
    ticks = s->go->calls ? ticks : 0;
    return put(s, (struct v1_made){.id = V1_GoSysExit,
                                   .seq = seq,
                                   .args = {s->g, s->v->b.form.sequences ? seq : s->go->seq, ticks}}) &&
           (s->go->seq++, !stays || start(s, 0));
}

static bool goroutine_transition(struct step *s)
{
    const struct gotrace_transition *t = &s->t;
    switch (t->from) {
    case GOTRACE_STATE_UNDETERMINED:
        return was_there(s);
    case GOTRACE_STATE_NOT_EXIST:
        return create(s);
    case GOTRACE_STATE_RUNNABLE:
        return start(s, 0);
    case GOTRACE_STATE_WAITING:
        return unblock(s);
    case GOTRACE_STATE_SYSCALL:
        return t->to == GOTRACE_STATE_NOT_EXIST ? as_v1_drop(s->v, s->ev) : return_from_call(s);
    default:
        break;
    }
    switch (t->to) {
    case GOTRACE_STATE_SYSCALL:
        return call(s);
    case GOTRACE_STATE_RUNNABLE:
        return leave(s, (struct v1_made){.id = REASON(s->v, stops, t->reason, V1_GoSched), .stack = stack_of(s)},
                     V1G_RUNNABLE);
    case GOTRACE_STATE_WAITING: {
        uint8_t id = REASON(s->v, reasons, t->reason, V1_GoBlock);
        return leave(s, (struct v1_made){.id = id, .stack = stack_of(s)}, id == V1_GoStop ? V1G_FOREVER : V1G_WAITS);
    }
    default:
        return leave(s, (struct v1_made){.id = V1_GoEnd}, V1G_DEAD);
    }
}

bool as_v1_transition(struct as_v1 *v, const struct gotrace_event *ev)
{
    struct step s = {.v = v, .ev = ev};
    if (!gotrace_event_transition(ev, &s.t))
        return true;
    if (s.t.resource.kind == GOTRACE_RESOURCE_PROC)
        return proc_transition(v, ev, &s.t);
    if (s.t.from == s.t.to)
        return true;
    if (!s.t.resource.id) /* which v1 has for procs without a goroutine */
        return as_v1_drop(v, ev);
    int64_t go = as_v1_go(v, s.g = s.t.resource.id), place = as_v1_place(v, ev);
    if (go < 0 || place < 0)
        return false;
    s.go = &v->gos.v[go];
    s.place = (uint32_t)place;
    return goroutine_transition(&s);
}
