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

/* False: out of memory. */
static inline bool goroutine(struct v1_parse *s, struct v1_proc *proc, unsigned id, uint64_t arg, uint32_t *g)
{
    *g = proc->g;
    switch ((enum g_rule)g_rules[id]) {
    case RUNNING:
        break;
    case STARTS:
        if (!v1_index_g(s, arg, g))
            return false;
        proc->g = *g;
        break;
    case LEAVES:
        proc->g = 0;
        break;
    case NAMED:
        return v1_index_g(s, arg, g);
    case NOBODY:
        *g = s->view == V1_AS_GO_1_21 ? 0 : *g;
        break;
    }
    return true;
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
    if (UNLIKELY(proc->samples))
        return next_sample(s, proc, ev, args);
    for (;;) {
        if (proc->p == proc->end && !next_run(s, proc))
            return false;
        const uint8_t *at = proc->p, *p = at;
        unsigned id = *at & (V1_IDS - 1);
        const struct v1_shape *shape = &t->form.shapes[id];
        uint64_t ticks, stack = 0;
        uint32_t g;
        p = v1_reread_first(p, &ticks);
        if (shape->before == 2) {
            proc->seq = (int64_t)((uint64_t)proc->seq + ticks);
            p = v1_reread(p, &ticks);
        }
        args[0] = args[1] = args[2] = 0;
        for (unsigned i = 0; i < shape->named; i++)
            p = v1_reread(p, &args[i]);
        if (shape->stack)
            p = v1_reread(p, &stack);
        if (UNLIKELY(id == V1_UserLog)) {
            uint64_t size;
            p = v1_reread(p, &size);
            p += size;
        }
        proc->p = p;
        if (UNLIKELY(shape->cls == V1_IS_SAMPLE)) {
            proc->ticks = (int64_t)((uint64_t)proc->ticks + (s->view == V1_AS_GO_1_21 ? ticks : 0));
            continue;
        }
        proc->ticks = (int64_t)((uint64_t)proc->ticks + ticks);
        if (!goroutine(s, proc, id, args[0], &g))
            return false;
        *ev = (struct v1_event){.time = proc->ticks,
                                .at = (uint64_t)(at - t->data),
                                .p = proc->p_index,
                                .id = id,
                                .g = g,
                                .stack = stack ? idmap_get(&t->stack_ids, stack) : 0};
        return true;
    }
}
