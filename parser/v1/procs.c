#include "parser/v1/procs.h"

const uint8_t v1_g_rules[V1_IDS] = {
    [V1_GoStart] = V1_STARTS,       [V1_GoStartLocal] = V1_STARTS,  [V1_GoStartLabel] = V1_STARTS,
    [V1_GoEnd] = V1_LEAVES,         [V1_GoStop] = V1_LEAVES,        [V1_GoSched] = V1_LEAVES,
    [V1_GoPreempt] = V1_LEAVES,     [V1_GoSleep] = V1_LEAVES,       [V1_GoBlock] = V1_LEAVES,
    [V1_GoBlockSend] = V1_LEAVES,   [V1_GoBlockRecv] = V1_LEAVES,   [V1_GoBlockSelect] = V1_LEAVES,
    [V1_GoBlockSync] = V1_LEAVES,   [V1_GoBlockCond] = V1_LEAVES,   [V1_GoBlockNet] = V1_LEAVES,
    [V1_GoSysBlock] = V1_LEAVES,    [V1_GoBlockGC] = V1_LEAVES,     [V1_GoSysExit] = V1_NAMED,
    [V1_GoWaiting] = V1_NAMED,      [V1_GoInSyscall] = V1_NAMED,    [V1_STWStart] = V1_NOBODY,
    [V1_STWDone] = V1_NOBODY,       [V1_GCStart] = V1_NOBODY,       [V1_GCDone] = V1_NOBODY,
};

void v1_rewind_procs(struct v1_trace *t)
{
    for (size_t i = 0; i < t->procs.n; i++) {
        struct v1_proc *proc = &t->procs.v[i];
        proc->p = proc->end = NULL;
        proc->run = proc->first_run;
        proc->g = 0;
    }
}

bool v1_next_run(const struct v1_trace *t, struct v1_proc *proc)
{
    if (!proc->run)
        return false;
    const struct v1_run *run = &t->runs.v[proc->run - 1];
    proc->p = t->data + run->at;
    proc->end = t->data + run->end;
    proc->ticks = run->ticks;
    proc->seq = run->seq;
    proc->run = run->next;
    return true;
}
