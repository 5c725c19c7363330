/* What a proc wrote, event by event. */
#ifndef THRACE_PARSER_V1_PROCS_H
#define THRACE_PARSER_V1_PROCS_H

#include "parser/v1/kept.h"
#include "parser/v1/wire.h"

/* Which goroutine an event is of, and which one runs on the proc behind it. */
enum v1_g_rule {
    V1_RUNNING, /* the one that runs; nothing changes */
    V1_STARTS,  /* the one in the first argument, which runs now */
    V1_LEAVES,  /* the one that runs, which no longer does */
    V1_NAMED,   /* the one in the first argument; nothing changes */
    V1_NOBODY,  /* none, which Go has since 1.22 as the one that runs; nothing changes */
};

extern const uint8_t v1_g_rules[V1_IDS];

/* All procs are where they began. */
void v1_rewind_procs(struct v1_trace *t);

/* Goes on to the next run of the proc; false: there is none. */
bool v1_next_run(const struct v1_trace *t, struct v1_proc *proc);

/* Reads the next event that the proc wrote, and adds its ticks up. Returns where it stands, NULL: there is none. */
static inline __attribute__((always_inline)) const uint8_t *v1_proc_read(const struct v1_trace *t,
                                                                         struct v1_proc *proc, struct v1_said *r)
{
    for (;;) {
        if (UNLIKELY(proc->p == proc->end) && !v1_next_run(t, proc))
            return NULL;
        const uint8_t *at = proc->p;
        proc->p = v1_reread_event(&t->form, at, r);
        if (UNLIKELY(r->id == V1_CPUSample)) {
            proc->ticks = (int64_t)((uint64_t)proc->ticks + (t->view == V1_AS_GO_1_21 ? r->ticks : 0));
            continue;
        }
        proc->ticks = (int64_t)((uint64_t)proc->ticks + r->ticks);
        if (UNLIKELY(r->seq))
            proc->seq = (int64_t)((uint64_t)proc->seq + r->seq);
        return at;
    }
}

/* Of the event that was read, the goroutine by its index: `named` is that of its first argument, where that is one. */
static inline uint32_t v1_proc_g(const struct v1_trace *t, struct v1_proc *proc, unsigned id, uint32_t named)
{
    uint32_t g = proc->g;
    switch ((enum v1_g_rule)v1_g_rules[id]) {
    case V1_RUNNING:
        break;
    case V1_STARTS:
        return proc->g = named;
    case V1_LEAVES:
        proc->g = 0;
        break;
    case V1_NAMED:
        return named;
    case V1_NOBODY:
        return t->view == V1_AS_GO_1_21 ? 0 : g;
    }
    return g;
}

/* Whether the first argument is the goroutine that the event is of. */
static inline bool v1_names_g(unsigned id) { return v1_g_rules[id] == V1_STARTS || v1_g_rules[id] == V1_NAMED; }

#endif
