/*
 * Puts the events of all procs in one order, since 1.7, and in traces of the first tracer. What a proc wrote is in order
 * by itself. Of the events that come next on each proc, those may happen that the state of their goroutine allows, which
 * is a status and, since 1.7, how often it changed; the earliest of these happens. So the order is right even where
 * clocks are not, and then it is seen that they are not.
 */
#include <stdlib.h>
#include <string.h>

#include "parser/v1/front.h"
#include "parser/v1/parse.h"
#include "parser/v1/wire.h"

enum status { DEAD, RUNNABLE, RUNS, WAITS };

/* Whose state an event asks for and changes. */
enum whose { NOBODYS, ITS, OF_FIRST_ARG, COLLECTORS };

/* Which sequence number it wants: any, 0, 1, or that of an argument. */
enum seq { ANY, ZERO, ONE, FIRST_ARG, SECOND_ARG };

static const struct rule {
    uint8_t whose, need, becomes, seq;
    bool counts; /* the sequence number goes on */
} rules[V1_IDS] = {
    [V1_GCStart] = {COLLECTORS, DEAD, DEAD, FIRST_ARG, true},
    [V1_GoCreate] = {OF_FIRST_ARG, DEAD, RUNNABLE, ZERO, true},
    [V1_GoWaiting] = {ITS, RUNNABLE, WAITS, ONE, true},
    [V1_GoInSyscall] = {ITS, RUNNABLE, WAITS, ONE, true},
    [V1_GoStart] = {ITS, RUNNABLE, RUNS, SECOND_ARG, true},
    [V1_GoStartLabel] = {ITS, RUNNABLE, RUNS, SECOND_ARG, true},
    [V1_GoStartLocal] = {ITS, RUNNABLE, RUNS, ANY, true},
    [V1_GoBlock] = {ITS, RUNS, WAITS, ANY, false},
    [V1_GoBlockSend] = {ITS, RUNS, WAITS, ANY, false},
    [V1_GoBlockRecv] = {ITS, RUNS, WAITS, ANY, false},
    [V1_GoBlockSelect] = {ITS, RUNS, WAITS, ANY, false},
    [V1_GoBlockSync] = {ITS, RUNS, WAITS, ANY, false},
    [V1_GoBlockCond] = {ITS, RUNS, WAITS, ANY, false},
    [V1_GoBlockNet] = {ITS, RUNS, WAITS, ANY, false},
    [V1_GoBlockGC] = {ITS, RUNS, WAITS, ANY, false},
    [V1_GoSleep] = {ITS, RUNS, WAITS, ANY, false},
    [V1_GoSysBlock] = {ITS, RUNS, WAITS, ANY, false},
    [V1_GoSched] = {ITS, RUNS, RUNNABLE, ANY, false},
    [V1_GoPreempt] = {ITS, RUNS, RUNNABLE, ANY, false},
    [V1_GoUnblock] = {OF_FIRST_ARG, WAITS, RUNNABLE, SECOND_ARG, true},
    [V1_GoSysExit] = {OF_FIRST_ARG, WAITS, RUNNABLE, SECOND_ARG, true},
    [V1_GoUnblockLocal] = {OF_FIRST_ARG, WAITS, RUNNABLE, ANY, true},
    [V1_GoSysExitLocal] = {OF_FIRST_ARG, WAITS, RUNNABLE, ANY, true},
};

struct state {
    uint64_t seq;
    int64_t blocked; /* when its system call did, 0: none did */
    uint8_t status;
};

/* The event that comes next on a proc. */
struct upcoming {
    struct v1_event ev;
    uint64_t seq;
    int64_t exit_time; /* of a system call */
    uint32_t whose;    /* index of a state, UINT32_MAX: none */
    bool any_seq;
    bool is_there;
};

enum { COLLECTOR = 0, GOROUTINES = 1 }; /* the indices of its state, and of theirs */
#define NO_STATE UINT32_MAX

struct merge {
    struct v1_parse *s;
    enum v1_view view; /* of the first tracer's traces, the one that takes less time */
    VEC(struct state) states;
    struct v1_front front;
    struct upcoming *next; /* for each proc */
    size_t *procs, nprocs; /* whose next event is not in front, in the order in which Go looks at them */
    size_t nevents;
    int64_t last;
    uint32_t changed; /* the state that the last event changed; at first any, so that all procs are looked at */
    size_t returned;  /* the place in procs of the proc of the last event */
    struct v1_error late; /* an error that Go finds only after all events are in order */
};

static bool grow_states(struct merge *m, uint32_t index)
{
    while (m->states.n <= index) {
        if (!VEC_ROOM(&m->states))
            return v1_no_memory(m->s);
        m->states.v[m->states.n++] = (struct state){0};
    }
    return true;
}

/* Finds out what the next event of a proc needs. False: out of memory. */
static bool look_ahead(struct merge *m, struct upcoming *u, const uint64_t *args)
{
    const struct rule *rule = &rules[u->ev.id];
    u->exit_time = u->ev.id == V1_GoSysExit ? (int64_t)args[2] : 0;
    u->whose = NO_STATE;
    if (rule->whose == NOBODYS)
        return true;
    u->seq = rule->seq == SECOND_ARG ? args[1] : rule->seq == FIRST_ARG ? args[0] : rule->seq == ONE;
    u->any_seq = rule->seq == ANY || m->s->t->form.by_time;
    uint32_t g = u->ev.g;
    if (rule->whose == OF_FIRST_ARG && !v1_index_g(m->s, args[0], &g))
        return false;
    u->whose = rule->whose == COLLECTORS ? COLLECTOR : GOROUTINES + g;
    return LIKELY(u->whose < m->states.n) || grow_states(m, u->whose);
}

static bool is_ready(const struct merge *m, const struct upcoming *u)
{
    if (u->whose == NO_STATE)
        return true;
    const struct state *state = &m->states.v[u->whose];
    return state->status == rules[u->ev.id].need && (u->any_seq || u->seq == state->seq);
}

/* Go 1.21 looks at procs in the same order each time, later ones fill a gap with the last one. */
static void leave(struct merge *m, size_t i)
{
    m->nprocs--;
    if (m->view == V1_AS_GO_1_21)
        memmove(m->procs + i, m->procs + i + 1, (m->nprocs - i) * sizeof *m->procs);
    else
        m->procs[i] = m->procs[m->nprocs];
}

static void come_back(struct merge *m, size_t proc)
{
    size_t i = m->nprocs++;
    if (m->view == V1_AS_GO_1_21)
        for (; i && m->procs[i - 1] > proc; i--)
            m->procs[i] = m->procs[i - 1];
    m->procs[i] = proc;
    m->returned = i;
}

/* Of looking at the next event of a proc: it may not happen yet, or the proc goes to front or has no more. */
enum outcome { STAYS, LEAVES, NO_MEMORY };

static enum outcome try_proc(struct merge *m, size_t i)
{
    size_t proc = m->procs[i];
    struct upcoming *u = &m->next[proc];
    if (!u->is_there) {
        uint64_t args[V1_MAX_ARGS];
        if (!v1_proc_next(m->s, &m->s->procs.v[proc], &u->ev, args)) {
            leave(m, i);
            return m->s->e->status ? NO_MEMORY : LEAVES;
        }
        if (!look_ahead(m, u, args))
            return NO_MEMORY;
        u->is_there = true;
    } else if (u->whose != m->changed) {
        return STAYS;
    }
    if (!is_ready(m, u))
        return STAYS;
    v1_front_add(&m->front, u->ev.time, proc);
    leave(m, i);
    return LEAVES;
}

/* After an event that changed nothing, nothing has become possible but what follows on its proc. */
static bool fill_front(struct merge *m)
{
    if (m->changed == NO_STATE)
        return try_proc(m, m->returned) != NO_MEMORY;
    for (size_t i = 0; i < m->nprocs;) {
        switch (try_proc(m, i)) {
        case STAYS: i++; break;
        case LEAVES: break;
        case NO_MEMORY: return false;
        }
    }
    return true;
}

static void mend_exit(struct merge *m, struct upcoming *u)
{
    int64_t blocked = m->states.v[u->whose].blocked;
    if (!blocked)
        v1_fail(&m->late, V1_BROKEN, u->ev.at, u->ev.id, "a system call returned that did not block");
    else if (u->exit_time < blocked)
        v1_fail(&m->late, V1_BROKEN, u->ev.at, u->ev.id,
                "time stamps out of order: a system call returned before it blocked");
}

static bool happen(struct merge *m, struct upcoming *u)
{
    struct v1_event *ev = &u->ev;
    const struct rule *rule = &rules[ev->id];
    m->changed = u->whose;
    if (ev->time < m->last && m->nevents)
        v1_fail(&m->late, V1_BROKEN, ev->at, ev->id, "time stamps out of order");
    m->last = ev->time;
    if (u->whose != NO_STATE) {
        struct state *state = &m->states.v[u->whose];
        state->seq += rule->counts;
        state->status = rule->becomes;
        if (ev->id == V1_GoSysBlock || ev->id == V1_GoInSyscall)
            state->blocked = ev->time;
    }
    if (u->exit_time) {
        mend_exit(m, u);
        ev->time = u->exit_time;
        if (!VEC_ROOM(&m->s->exits))
            return v1_no_memory(m->s);
        m->s->exits.v[m->s->exits.n++] = m->nevents;
    }
    /* Local events only differ in how they are ordered. */
    if (UNLIKELY(ev->id == V1_GoStartLocal))
        ev->id = V1_GoStart;
    else if (ev->id == V1_GoUnblockLocal)
        ev->id = V1_GoUnblock;
    else if (ev->id == V1_GoSysExitLocal)
        ev->id = V1_GoSysExit;
    m->s->t->events[m->nevents++] = *ev;
    return true;
}

/* The earliest of the events that never can happen stands for all. */
static bool no_order(struct merge *m)
{
    const struct v1_event *first = &m->next[m->procs[0]].ev;
    for (size_t i = 1; i < m->nprocs; i++)
        if (m->next[m->procs[i]].ev.time < first->time)
            first = &m->next[m->procs[i]].ev;
    return v1_fail(m->s->e, V1_BROKEN, first->at, first->id, "no consistent ordering of events possible");
}

static bool run(struct merge *m)
{
    for (size_t proc;;) {
        if (!fill_front(m))
            return false;
        if (!v1_front_take(&m->front, &proc))
            break;
        struct upcoming *u = &m->next[proc];
        /* Two procs may have been ready to do the same to one goroutine. Where nothing is numbered, one has to wait. */
        if (LIKELY(is_ready(m, u))) {
            if (!happen(m, u))
                return false;
            u->is_there = false;
        } else if (m->s->t->form.by_time) {
            m->changed = NO_STATE;
        } else {
            return v1_fail(m->s->e, V1_BROKEN, u->ev.at, u->ev.id, "event sequences are broken");
        }
        come_back(m, proc);
    }
    return m->nprocs ? no_order(m) : true;
}

bool v1_merge(struct v1_parse *s)
{
    size_t n = s->procs.n;
    struct merge m = {.s = s, .view = s->t->form.by_time ? V1_AS_GO_1_22 : s->view, .changed = COLLECTOR};
    m.next = calloc(n, sizeof *m.next);
    m.procs = calloc(n, sizeof *m.procs);
    bool ok = (m.next && m.procs && v1_front_init(&m.front, m.view, n)) || v1_no_memory(s);
    for (; ok && m.nprocs < n; m.nprocs++)
        m.procs[m.nprocs] = m.nprocs;
    ok = ok && grow_states(&m, COLLECTOR) && run(&m);
    if (ok && m.late.status) {
        *s->e = m.late;
        ok = false;
    }
    free(m.next);
    free(m.procs);
    VEC_FREE(&m.states);
    v1_front_free(&m.front);
    return ok;
}
