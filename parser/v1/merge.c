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
#include "parser/v1/procs.h"

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
    const uint8_t *at;
    int64_t ticks;
    uint64_t seq;
    int64_t exit_time; /* of a system call */
    unsigned id;
    uint32_t whose; /* index of a state, UINT32_MAX: none */
    bool any_seq;
    bool is_there;
    bool tried; /* it may not happen until that state changes */
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
    size_t sample;    /* the next one */
    int64_t last;     /* the ticks of the last event; of none before the first one */
    bool begun;
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

/* Finds out what the event that was read on a proc needs. False: out of memory. */
static inline bool look_ahead(struct merge *m, struct v1_proc *proc, struct upcoming *u, const struct v1_said *r)
{
    const struct rule *rule = &rules[r->id];
    uint32_t named = 0;
    if ((rule->whose == OF_FIRST_ARG || v1_names_g(r->id)) && !v1_index_g(m->s, r->args[0], &named))
        return false;
    uint32_t g = v1_proc_g(m->s->t, proc, r->id, named);
    u->ticks = proc->ticks;
    u->id = r->id;
    u->exit_time = r->id == V1_GoSysExit ? (int64_t)r->args[2] : 0;
    u->whose = NO_STATE;
    if (rule->whose == NOBODYS)
        return true;
    u->seq = rule->seq == SECOND_ARG ? r->args[1] : rule->seq == FIRST_ARG ? r->args[0] : rule->seq == ONE;
    u->any_seq = rule->seq == ANY || m->s->t->form.by_time;
    u->whose = rule->whose == COLLECTORS ? COLLECTOR : GOROUTINES + (rule->whose == OF_FIRST_ARG ? named : g);
    return LIKELY(u->whose < m->states.n) || grow_states(m, u->whose);
}

/* A CPU sample waits for nothing. */
static bool next_sample(struct merge *m, struct upcoming *u)
{
    const struct v1_trace *t = m->s->t;
    if (m->sample == t->kept.n)
        return false;
    const struct v1_kept *k = &t->kept.v[m->sample++];
    *u = (struct upcoming){.at = t->data + k->at, .ticks = k->ticks, .id = V1_CPUSample, .whose = NO_STATE};
    return true;
}

/* Finds the next event of a proc. False: there is none, or out of memory. */
static inline __attribute__((always_inline)) bool read_next(struct merge *m, struct v1_proc *proc, struct upcoming *u)
{
    struct v1_said r;
    if (UNLIKELY(proc->keeps))
        return next_sample(m, u);
    u->at = v1_proc_read(m->s->t, proc, &r);
    return u->at && look_ahead(m, proc, u, &r);
}

static bool is_ready(const struct merge *m, const struct upcoming *u)
{
    if (u->whose == NO_STATE)
        return true;
    const struct state *state = &m->states.v[u->whose];
    return state->status == rules[u->id].need && (u->any_seq || u->seq == state->seq);
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
        if (!read_next(m, &m->s->t->procs.v[proc], u)) {
            leave(m, i);
            return m->s->e->status ? NO_MEMORY : LEAVES;
        }
        u->is_there = true;
    } else if (u->tried && u->whose != m->changed) {
        return STAYS;
    }
    u->tried = true;
    if (!is_ready(m, u))
        return STAYS;
    v1_front_add(&m->front, u->ticks, proc);
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

static bool broken(const struct merge *m, struct v1_error *e, const struct upcoming *u, const char *why)
{
    return v1_fail(e, V1_BROKEN, (uint64_t)(u->at - m->s->t->data), u->id, "%s", why);
}

/* One that has returned earlier than its event was written is put where it belongs later on. */
static void add_exit(struct merge *m, const struct upcoming *u)
{
    struct v1_trace *t = m->s->t;
    int64_t blocked = m->states.v[u->whose].blocked;
    if (!blocked)
        broken(m, &m->late, u, "a system call returned that did not block");
    else if (u->exit_time < blocked)
        broken(m, &m->late, u, "time stamps out of order: a system call returned before it blocked");
    if (!VEC_ROOM(&t->exits)) {
        v1_no_memory(m->s);
        return;
    }
    t->exits.v[t->exits.n] = (struct v1_exit){u->exit_time, (uint64_t)(u->at - t->data), t->norder, t->exits.n};
    t->exits.n++;
}

static inline void happen(struct merge *m, size_t proc, const struct upcoming *u)
{
    struct v1_trace *t = m->s->t;
    const struct rule *rule = &rules[u->id];
    m->changed = u->whose;
    if (UNLIKELY(u->ticks < m->last) && m->begun)
        broken(m, &m->late, u, "time stamps out of order");
    m->last = u->ticks;
    m->begun = true;
    if (u->whose != NO_STATE) {
        struct state *state = &m->states.v[u->whose];
        state->seq += rule->counts;
        state->status = rule->becomes;
        if (u->id == V1_GoSysBlock || u->id == V1_GoInSyscall)
            state->blocked = u->ticks;
    }
    if (UNLIKELY(u->exit_time))
        add_exit(m, u);
    else
        t->order[t->norder++] = (uint16_t)proc;
}

/* The earliest of the events that never can happen stands for all. */
static bool no_order(struct merge *m)
{
    const struct upcoming *first = &m->next[m->procs[0]];
    for (size_t i = 1; i < m->nprocs; i++)
        if (m->next[m->procs[i]].ticks < first->ticks)
            first = &m->next[m->procs[i]];
    return broken(m, m->s->e, first, "no consistent ordering of events possible");
}

/*
 * Whether the proc of the last event has the next one as well: it need not be put in front to be taken out again. That
 * is seen at once where nobody waits for what the last one changed.
 */
static inline bool goes_on(struct merge *m, size_t proc)
{
    struct upcoming *u = &m->next[proc];
    u->is_there = u->tried = false;
    for (size_t i = 0; i < m->nprocs; i++)
        if (m->next[m->procs[i]].whose == m->changed)
            return false;
    if (!read_next(m, &m->s->t->procs.v[proc], u))
        return false;
    u->is_there = true;
    return is_ready(m, u) && v1_front_passes(&m->front, u->ticks);
}

static bool run(struct merge *m)
{
    for (size_t proc;;) {
        if (!fill_front(m))
            return false;
        if (!v1_front_take(&m->front, &proc))
            break;
        const struct upcoming *u = &m->next[proc];
        /* Two procs may have been ready to do the same to one goroutine. Where nothing is numbered, one has to wait. */
        if (LIKELY(is_ready(m, u))) {
            do
                happen(m, proc, u);
            while (goes_on(m, proc));
            if (UNLIKELY(m->s->e->status))
                return false;
        } else if (m->s->t->form.by_time) {
            m->changed = NO_STATE;
        } else {
            return broken(m, m->s->e, u, "event sequences are broken");
        }
        come_back(m, proc);
    }
    return m->nprocs ? no_order(m) : true;
}

bool v1_merge(struct v1_parse *s)
{
    struct v1_trace *t = s->t;
    size_t n = t->procs.n;
    struct merge m = {.s = s, .view = t->form.by_time ? V1_AS_GO_1_22 : s->t->view, .changed = COLLECTOR};
    m.next = calloc(n, sizeof *m.next);
    m.procs = calloc(n, sizeof *m.procs);
    bool ok = (m.next && m.procs && v1_front_init(&m.front, m.view, n)) || v1_no_memory(s);
    for (; ok && m.nprocs < n; m.nprocs++)
        m.procs[m.nprocs] = m.nprocs;
    v1_rewind_procs(t);
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
