#include "lib/sched.h"

#include "lib/varint.h"

const char *const sched_reason_text[REASON_COUNT] = {
#define THRACE_REASON(name, text) [REASON_##name] = text,
#include "lib/reasons.def"
#undef THRACE_REASON
};

/* --- a transition being written ------------------------------------------------------------------------------- */

struct txn {
    struct sched *s;
    struct sched_thread *t;
    struct sched_state *next;
    uint64_t now;
    uint32_t commits;
};

static bool txn_begin(struct txn *x, struct sched *s, struct sched_thread *t, uint32_t from, uint64_t now)
{
    const struct sched_state *cur = sched_current(t);
    if (cur->status != from || !sched_has_room(t, 0))
        return false;
    x->s = s;
    x->t = t;
    x->next = &t->state[!t->cur];
    x->now = now;
    x->commits = t->commits;
    *x->next = *cur;
    x->next->unblocked = 0;
    return true;
}

/* A thread's timestamps never go back, whatever the counter of another CPU said. */
static uint64_t txn_dt(struct txn *x)
{
    uint64_t dt = x->now > x->next->time ? x->now - x->next->time : 0;
    x->next->time += dt;
    return dt;
}

static void txn_event(struct txn *x, enum event_id id, int nargs, const uint64_t *args)
{
    uint8_t *p = x->next->pos;
    *p++ = (uint8_t)id;
    p = varint_put(p, txn_dt(x));
    for (int i = 0; i < nargs; i++)
        p = varint_put(p, args[i]);
    x->next->pos = p;
}

#define EVENT(x, id, ...)                                                                                              \
    txn_event(x, id, sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), (const uint64_t[]){__VA_ARGS__})

/*
 * The commit: one store. A handler that interrupted this transition with one of its own has raised `commits`; then its
 * events stand, and these are dropped. `used` follows for whoever reads the file after a kill.
 */
static bool txn_commit(struct txn *x)
{
    struct sched_thread *t = x->t;
    if (t->commits != x->commits)
        return false;
    compiler_barrier();
    t->commits++;
    __atomic_store_n(&t->cur, !t->cur, __ATOMIC_RELEASE);
    __atomic_store_n(&t->chunk->used, (uint32_t)(x->next->pos - t->chunk->data), __ATOMIC_RELEASE);
    t->proc_taken = PROC_NONE;
    return true;
}

/* --- procs ---------------------------------------------------------------------------------------------------- */

static int32_t proc_acquire(struct sched *s)
{
    for (uint32_t w = 0; w < SCHED_MAX_PROCS / 64; w++) {
        uint64_t busy = __atomic_load_n(&s->busy[w], __ATOMIC_RELAXED);
        while (~busy) {
            unsigned bit = (unsigned)__builtin_ctzll(~busy);
            if (__atomic_compare_exchange_n(&s->busy[w], &busy, busy | UINT64_C(1) << bit, true, __ATOMIC_ACQUIRE,
                                            __ATOMIC_RELAXED))
                return (int32_t)(w * 64 + bit);
        }
    }
    return PROC_NONE;
}

static void proc_release(struct sched *s, int32_t p)
{
    __atomic_fetch_and(&s->busy[p / 64], ~(UINT64_C(1) << (p % 64)), __ATOMIC_RELEASE);
}

static void raise_to(uint32_t *max, uint32_t v)
{
    uint32_t old = __atomic_load_n(max, __ATOMIC_RELAXED);
    while (old < v && !__atomic_compare_exchange_n(max, &old, v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* Binds a P to the M. The first use of a P in the recording says first that it was idle. */
static bool txn_proc_start(struct txn *x)
{
    int32_t p = proc_acquire(x->s);
    if (p == PROC_NONE)
        return false;
    x->t->proc_taken = p;
    const struct sched_proc *proc = &x->s->procs[p];
    if (!proc->known)
        EVENT(x, EV_ProcStatus, (uint64_t)p, PROC_IDLE);
    x->next->proc = p;
    x->next->proc_seq = proc->seq + 1;
    EVENT(x, EV_ProcStart, (uint64_t)p, x->next->proc_seq);
    return true;
}

/*
 * After the commit of a transition that took a P, whose owner alone changes what is here. The state says it, so that a
 * thread that is torn out before it came to this makes up for it in sched_recover.
 */
static void proc_started(struct sched *s, const struct sched_state *state)
{
    struct sched_proc *proc = &s->procs[state->proc];
    proc->seq = state->proc_seq;
    if (!proc->known) {
        proc->known = 1;
        raise_to(&s->nprocs_known, (uint32_t)state->proc + 1);
    }
}

static void txn_proc_stop(struct txn *x)
{
    EVENT(x, EV_ProcStop);
    x->next->proc = PROC_NONE;
}

/* A G that starts on a P beyond GOMAXPROCS raises it: as many threads did execute at once. */
static void txn_procs_change(struct txn *x)
{
    uint32_t n = (uint32_t)x->next->proc + 1;
    if (n > __atomic_load_n(&x->s->gomaxprocs, __ATOMIC_RELAXED)) {
        raise_to(&x->s->gomaxprocs, n);
        EVENT(x, EV_ProcsChange, n, 0);
    }
}

static bool commit_started(struct txn *x, uint32_t g_seq)
{
    int32_t p = x->next->proc;
    x->next->status = GO_RUNNING;
    x->next->g_seq = g_seq;
    if (!txn_commit(x)) {
        proc_release(x->s, p);
        return false;
    }
    proc_started(x->s, x->next);
    return true;
}

static bool commit_stopped(struct txn *x, uint32_t status, int32_t proc)
{
    x->next->status = status;
    x->t->proc_taken = proc;
    if (!txn_commit(x))
        return false;
    proc_release(x->s, proc);
    return true;
}

/* --- transitions ---------------------------------------------------------------------------------------------- */

bool sched_first_thread(struct sched *s, struct sched_thread *t, uint64_t start_stack, uint64_t now)
{
    struct txn x;
    if (!txn_begin(&x, s, t, GO_UNBORN, now))
        return false;
    int32_t p = proc_acquire(s);
    if (p == PROC_NONE)
        return false;
    t->proc_taken = p;
    EVENT(&x, EV_ProcStatus, (uint64_t)p, PROC_RUNNING);
    EVENT(&x, EV_GoCreate, t->g, start_stack, 0);
    EVENT(&x, EV_GoStart, t->g, 1);
    EVENT(&x, EV_ProcsChange, s->gomaxprocs, 0);
    x.next->proc = p;
    x.next->proc_seq = 0;
    return commit_started(&x, 1);
}

bool sched_create(struct sched *s, struct sched_thread *t, struct sched_thread *child, uint64_t start_stack,
                  uint64_t stack, uint64_t now)
{
    struct txn x;
    if (sched_current(child)->status != GO_UNBORN || !txn_begin(&x, s, t, GO_RUNNING, now))
        return false;
    EVENT(&x, EV_GoCreate, child->g, start_stack, stack);
    if (!txn_commit(&x))
        return false;
    child->state[child->cur].status = GO_RUNNABLE;
    return true;
}

bool sched_introduce(struct sched *s, struct sched_thread *t, uint64_t now)
{
    struct txn x;
    if (!txn_begin(&x, s, t, GO_UNBORN, now))
        return false;
    EVENT(&x, EV_GoCreateSyscall, t->g);
    if (!txn_proc_start(&x))
        return false;
    EVENT(&x, EV_GoSyscallEndBlocked);
    EVENT(&x, EV_GoStart, t->g, 1);
    txn_procs_change(&x);
    return commit_started(&x, 1);
}

static bool start(struct sched *s, struct sched_thread *t, uint32_t from, uint32_t g_seq, uint64_t now)
{
    struct txn x;
    if (!txn_begin(&x, s, t, from, now) || !txn_proc_start(&x))
        return false;
    EVENT(&x, EV_GoStart, t->g, g_seq);
    txn_procs_change(&x);
    return commit_started(&x, g_seq);
}

bool sched_start(struct sched *s, struct sched_thread *t, uint64_t now)
{
    return start(s, t, GO_RUNNABLE, sched_g_seq(t) + 1, now);
}

bool sched_block(struct sched *s, struct sched_thread *t, enum sched_reason reason, uint64_t stack, uint64_t now)
{
    struct txn x;
    if (!txn_begin(&x, s, t, GO_RUNNING, now))
        return false;
    int32_t p = x.next->proc;
    EVENT(&x, EV_GoBlock, reason_string_id(reason), stack);
    txn_proc_stop(&x);
    return commit_stopped(&x, GO_WAITING, p);
}

bool sched_resume(struct sched *s, struct sched_thread *t, uint64_t now)
{
    struct txn x;
    if (!txn_begin(&x, s, t, GO_WAITING, now))
        return false;
    uint32_t seq = x.next->g_seq;
    EVENT(&x, EV_GoUnblock, t->g, seq + 1, 0);
    if (!txn_proc_start(&x))
        return false;
    EVENT(&x, EV_GoStart, t->g, seq + 2);
    txn_procs_change(&x);
    return commit_started(&x, seq + 2);
}

bool sched_resume_woken(struct sched *s, struct sched_thread *t, bool same_generation, uint64_t now)
{
    return start(s, t, GO_WAITING, sched_g_seq(t) + (same_generation ? 2 : 1), now);
}

bool sched_unblock(struct sched *s, struct sched_thread *t, uint64_t g, uint32_t g_seq, uint64_t stack, uint64_t now)
{
    struct txn x;
    if (!txn_begin(&x, s, t, sched_current(t)->status, now))
        return false;
    EVENT(&x, EV_GoUnblock, g, g_seq, stack);
    x.next->unblocked = g;
    return txn_commit(&x);
}

bool sched_yield_proc(struct sched *s, struct sched_thread *t, enum sched_reason reason, uint64_t stack, uint64_t now)
{
    struct txn x;
    if (!txn_begin(&x, s, t, GO_RUNNING, now))
        return false;
    EVENT(&x, EV_GoStop, reason_string_id(reason), stack);
    EVENT(&x, EV_GoStart, t->g, ++x.next->g_seq);
    return txn_commit(&x);
}

bool sched_destroy(struct sched *s, struct sched_thread *t, uint64_t now)
{
    struct txn x;
    if (!txn_begin(&x, s, t, GO_RUNNING, now))
        return false;
    int32_t p = x.next->proc;
    EVENT(&x, EV_GoDestroy);
    txn_proc_stop(&x);
    return commit_stopped(&x, GO_DEAD, p);
}

const struct sched_state *sched_recover(struct sched *s, struct sched_thread *t)
{
    const struct sched_state *cur = sched_current(t);
    if (t->proc_taken != PROC_NONE && t->proc_taken != cur->proc)
        proc_release(s, t->proc_taken);
    t->proc_taken = PROC_NONE;
    if (cur->proc != PROC_NONE)
        proc_started(s, cur);
    if (cur->pos)
        __atomic_store_n(&t->chunk->used, (uint32_t)(cur->pos - t->chunk->data), __ATOMIC_RELEASE);
    t->commits++;
    return cur;
}

/* --- chunks and generations ----------------------------------------------------------------------------------- */

void sched_attach_chunk(struct sched *s, struct sched_thread *t, struct chunk *c, uint64_t now)
{
    struct sched_state *next = &t->state[!t->cur];
    *next = *sched_current(t);
    if (now > next->time)
        next->time = now;
    next->pos = c->data;
    c->generation = s->generation;
    c->m = t->m;
    c->time = next->time;
    __atomic_store_n(&c->state, CHUNK_OPEN, __ATOMIC_RELEASE);
    t->chunk = c;
    t->commits++;
    __atomic_store_n(&t->cur, !t->cur, __ATOMIC_RELEASE);
}

struct chunk *sched_detach_chunk(struct sched_thread *t)
{
    struct chunk *c = t->chunk;
    const struct sched_state *cur = sched_current(t);
    if (!c)
        return NULL;
    if (cur->pos)
        c->used = (uint32_t)(cur->pos - c->data);
    struct sched_state *next = &t->state[!t->cur];
    *next = *cur;
    next->pos = NULL;
    t->commits++;
    __atomic_store_n(&t->cur, !t->cur, __ATOMIC_RELEASE);
    t->chunk = NULL;
    return c;
}

void sched_advance(struct sched *s, uint64_t generation)
{
    s->generation = generation;
    for (uint32_t p = 0; p < s->nprocs_known; p++)
        s->procs[p].seq = 0;
}

void sched_status_running(struct sched *s, struct sched_thread *t, uint64_t now)
{
    struct txn x;
    if (!txn_begin(&x, s, t, GO_RUNNING, now))
        return;
    EVENT(&x, EV_ProcStatus, (uint64_t)x.next->proc, PROC_RUNNING);
    EVENT(&x, EV_GoStatus, t->g, t->m, GO_RUNNING);
    x.next->g_seq = 0;
    x.next->proc_seq = 0;
    txn_commit(&x);
}

static uint8_t *put_status(uint8_t *p, uint64_t *time, uint64_t now)
{
    p = varint_put(p, now - *time);
    *time = now;
    return p;
}

uint8_t *sched_status_other(struct sched_thread *t, bool woken, uint8_t *p, uint64_t *time, uint64_t now)
{
    uint32_t status = sched_current(t)->status;
    t->state[t->cur].g_seq = 0;
    *p++ = EV_GoStatus;
    p = put_status(p, time, now);
    p = varint_put(p, t->g);
    p = varint_put(p, status == GO_SYSCALL ? t->m : ID_NONE);
    return varint_put(p, status == GO_WAITING && woken ? GO_RUNNABLE : status);
}

uint8_t *sched_status_idle_proc(struct sched *s, uint32_t proc, uint8_t *p, uint64_t *time, uint64_t now)
{
    s->procs[proc].known = 1;
    *p++ = EV_ProcStatus;
    p = put_status(p, time, now);
    p = varint_put(p, proc);
    return varint_put(p, PROC_IDLE);
}
