/* What a proc wrote, event by event. */
#include "parser/v1/parse.h"
#include "parser/v1/wire.h"

/* Which goroutine an event is of, and which one runs on the proc behind it. */
enum g_rule {
    RUNNING, /* the one that runs; nothing changes */
    STARTS,  /* the one in the first argument, which runs now */
    LEAVES,  /* the one that runs, which no longer does */
    NAMED,   /* the one in the first argument; nothing changes */
    NOBODY,  /* none, which Go has since 1.22 as the one that runs; nothing changes */
};

static const uint8_t g_rules[V1_IDS] = {
    [V1_GoStart] = STARTS,       [V1_GoStartLocal] = STARTS,  [V1_GoStartLabel] = STARTS, [V1_GoEnd] = LEAVES,
    [V1_GoStop] = LEAVES,        [V1_GoSched] = LEAVES,       [V1_GoPreempt] = LEAVES,    [V1_GoSleep] = LEAVES,
    [V1_GoBlock] = LEAVES,       [V1_GoBlockSend] = LEAVES,   [V1_GoBlockRecv] = LEAVES,  [V1_GoBlockSelect] = LEAVES,
    [V1_GoBlockSync] = LEAVES,   [V1_GoBlockCond] = LEAVES,   [V1_GoBlockNet] = LEAVES,   [V1_GoSysBlock] = LEAVES,
    [V1_GoBlockGC] = LEAVES,     [V1_GoSysExit] = NAMED,      [V1_GoWaiting] = NAMED,     [V1_GoInSyscall] = NAMED,
    [V1_STWStart] = NOBODY,      [V1_STWDone] = NOBODY,       [V1_GCStart] = NOBODY,      [V1_GCDone] = NOBODY,
};

static uint64_t goroutine(struct v1_proc *proc, enum v1_view view, unsigned id, uint64_t arg)
{
    uint64_t g = proc->g;
    switch ((enum g_rule)g_rules[id]) {
    case RUNNING:
        break;
    case STARTS:
        g = proc->g = arg;
        break;
    case LEAVES:
        proc->g = 0;
        break;
    case NAMED:
        g = arg;
        break;
    case NOBODY:
        g = view == V1_AS_GO_1_21 ? 0 : g;
        break;
    }
    return g;
}

static bool next_run(const struct v1_parse *s, struct v1_proc *proc)
{
    if (!proc->run)
        return false;
    const struct v1_run *run = &s->runs.v[proc->run - 1];
    proc->p = s->t->data + run->at;
    proc->end = s->t->data + run->end;
    proc->ticks = run->ticks;
    proc->seq = run->seq;
    proc->run = run->next;
    return true;
}

static bool next_sample(const struct v1_parse *s, struct v1_proc *proc, struct v1_event *ev, uint64_t *args)
{
    if (proc->sample == s->samples.n)
        return false;
    *ev = s->samples.v[proc->sample++];
    args[0] = args[1] = args[2] = 0; /* nothing is decided by them */
    return true;
}

bool v1_proc_next(struct v1_parse *s, struct v1_proc *proc, struct v1_event *ev, uint64_t args[V1_MAX_ARGS])
{
    const struct v1_trace *t = s->t;
    uint64_t wire[V1_WIRE_ARGS], *a = wire;
    if (proc->samples)
        return next_sample(s, proc, ev, args);
    for (;;) {
        if (proc->p == proc->end && !next_run(s, proc))
            return false;
        const uint8_t *at = proc->p;
        unsigned id = *at & (V1_IDS - 1);
        const struct v1_shape *shape = &t->form.shapes[id];
        proc->p = v1_reread(t, at, wire);
        if (UNLIKELY(shape->cls == V1_IS_SAMPLE)) {
            proc->ticks = (int64_t)((uint64_t)proc->ticks + (s->view == V1_AS_GO_1_21 ? wire[0] : 0));
            continue;
        }
        if (shape->before == 2)
            proc->seq = (int64_t)((uint64_t)proc->seq + *a++);
        proc->ticks = (int64_t)((uint64_t)proc->ticks + *a++);
        if (UNLIKELY(id == V1_UserLog)) {
            uint64_t size = 0;
            proc->p = varint_get(proc->p, proc->end, &size) + size;
        }
        for (unsigned i = 0; i < V1_MAX_ARGS; i++)
            args[i] = i < shape->named ? a[i] : 0;
        *ev = (struct v1_event){.time = proc->ticks,
                                .at = (uint64_t)(at - t->data),
                                .id = id,
                                .g = goroutine(proc, s->view, id, args[0]),
                                .p = proc->id,
                                .stack = shape->stack ? idmap_get(&t->stack_ids, a[shape->named]) : 0};
        return true;
    }
}
