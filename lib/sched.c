/*
 * One file, longer than others: every transition is made of the same few inlined steps, and a change to one step has to
 * keep the rule of the one store in all transitions.
 */
#include "lib/sched.h"

#include "lib/sched_proc.h"
#include "lib/sched_txn.h"
#include "lib/wire/cursor.h"

const char *const sched_reason_text[REASON_COUNT] = {
#define THRACE_REASON(name, text) [REASON_##name] = text,
#include "lib/reasons.def"
#undef THRACE_REASON
};

TXN_STEP enum parity parity_of(enum event_id id)
{
    switch (id) {
    case EV_GoCreate:
    case EV_GoUnblock:
    case EV_ProcStop:
    case EV_ProcSteal:
        return EVEN;
    case EV_ProcStart:
    case EV_GoStart:
    case EV_GoSyscallEndBlocked:
        return ODD;
    default:
        return ANY;
    }
}

TXN_STEP void txn_event(struct txn *x, enum event_id id, int nargs, const uint64_t *args)
{
    x->pos = event_put(x->pos, (uint8_t)id, txn_dt(x, parity_of(id)), args, (unsigned)nargs);
}

#define EVENT(x, id, ...)                                                                                              \
    txn_event(x, id, sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), (const uint64_t[]){__VA_ARGS__})

/* --- procs ---------------------------------------------------------------------------------------------------- */

static void raise_to(uint32_t *max, uint32_t v)
{
    uint32_t old = __atomic_load_n(max, __ATOMIC_RELAXED);
    while (old < v && !__atomic_compare_exchange_n(max, &old, v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/*
 * The time of a transition is read before the transition. A thread that lost its processor in between would take a P
 * before it was given, and a reader would have to search for that among all that the others did meanwhile.
 */
TXN_STEP void txn_give(struct txn *x, int32_t p)
{
    __atomic_store_n(&x->s->procs[p].given, x->time, __ATOMIC_RELAXED);
}

TXN_STEP void txn_take(struct txn *x, int32_t p)
{
    uint64_t given = __atomic_load_n(&x->s->procs[p].given, __ATOMIC_RELAXED);
    x->now = x->now > given ? x->now : given;
}

static void txn_bind(struct txn *x, int32_t p, uint32_t seq)
{
    x->next->proc = p;
    x->next->proc_seq = seq;
    EVENT(x, EV_ProcStart, (uint64_t)p, seq);
}

static bool txn_proc_start_free(struct txn *x, uint32_t from, uint32_t to)
{
    int32_t p = proc_take_free(x->s, from, to);
    if (p == PROC_NONE)
        return false;
    x->t->proc_taken = p;
    txn_take(x, p);
    const struct sched_proc *proc = &x->s->procs[p];
    if (!proc->known) /* the first use in the recording */
        EVENT(x, EV_ProcStatus, (uint64_t)p, PROC_IDLE);
    txn_bind(x, p, proc->seq + 1);
    return true;
}

static bool txn_proc_steal(struct txn *x)
{
    int32_t p = proc_claim(x->s, x->t, x->now);
    if (p == PROC_NONE)
        return false;
    const struct sched_proc *proc = &x->s->procs[p];
    EVENT(x, EV_ProcSteal, (uint64_t)p, proc->seq + 1, proc->m);
    txn_give(x, p);
    txn_bind(x, p, proc->seq + 2);
    return true;
}

/* Binds a P to the M: a free one, else one whose thread is in a system call, and one beyond GOMAXPROCS only then. */
static bool txn_proc_start(struct txn *x)
{
    uint32_t n = __atomic_load_n(&x->s->gomaxprocs, __ATOMIC_RELAXED);
    if (n > SCHED_MAX_PROCS)
        n = SCHED_MAX_PROCS;
    return txn_proc_start_free(x, 0, n) || txn_proc_steal(x) || txn_proc_start_free(x, n, SCHED_MAX_PROCS);
}

/*
 * Follows the commit of a transition that took a P; only the P's holder changes these fields. The committed state has
 * all of it, so sched_recover makes up for a thread that was torn out before it came here.
 */
static void proc_started(struct sched *s, const struct sched_thread *t, const struct sched_state *state)
{
    struct sched_proc *proc = &s->procs[state->proc];
    proc->seq = state->proc_seq;
    proc->m = t->m;
    if (!proc->known) {
        proc->known = 1;
        raise_to(&s->nprocs_known, (uint32_t)state->proc + 1);
    }
    proc_mark(s, state->proc, proc_word(HELD, t->g, 0));
}

static void txn_proc_stop(struct txn *x)
{
    EVENT(x, EV_ProcStop);
    x->next->proc = PROC_NONE;
}

/* A G that starts on a P beyond GOMAXPROCS raises it: that many threads did execute at once. */
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
    struct sched_thread *t = x->t;
    x->next->status = GO_RUNNING;
    x->next->g_seq = g_seq;
    txn_commit(x);
    proc_started(x->s, t, x->next);
    t->claim_word = 0;
    return txn_close(t, true);
}

static bool commit_stopped(struct txn *x, uint32_t status, int32_t proc)
{
    x->next->status = status;
    x->t->proc_taken = proc;
    txn_give(x, proc);
    txn_commit(x);
    proc_release(x->s, proc);
    return txn_close(x->t, true);
}

/* --- transitions ---------------------------------------------------------------------------------------------- */

bool sched_first_thread(struct sched *s, struct sched_thread *t, uint64_t start_stack, uint64_t now)
{
    struct txn x;
    if (!txn_begin(&x, s, t, GO_NOT_EXIST, now))
        return false;
    int32_t p = proc_take_free(s, 0, SCHED_MAX_PROCS);
    if (p == PROC_NONE)
        return txn_close(t, false);
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
    if (sched_current(child)->status != GO_NOT_EXIST || !txn_begin(&x, s, t, GO_RUNNING, now))
        return false;
    EVENT(&x, EV_GoCreate, child->g, start_stack, stack);
    txn_commit(&x);
    sched_own(child)->status = GO_RUNNABLE;
    return txn_close(t, true);
}

bool sched_introduce(struct sched *s, struct sched_thread *t, uint64_t now)
{
    struct txn x;
    if (!txn_begin(&x, s, t, GO_NOT_EXIST, now))
        return false;
    EVENT(&x, EV_GoCreateSyscall, t->g);
    if (!txn_proc_start(&x))
        return txn_close(t, false);
    EVENT(&x, EV_GoSyscallEndBlocked);
    EVENT(&x, EV_GoStart, t->g, 1);
    txn_procs_change(&x);
    return commit_started(&x, 1);
}

/* g_seq: of the start, counted from the one that the thread had. */
static bool start(struct sched *s, struct sched_thread *t, uint32_t from, uint32_t g_seq, uint64_t now)
{
    struct txn x;
    if (!txn_begin(&x, s, t, from, now))
        return false;
    g_seq += x.next->g_seq;
    if (!txn_proc_start(&x))
        return txn_close(t, false);
    EVENT(&x, EV_GoStart, t->g, g_seq);
    txn_procs_change(&x);
    return commit_started(&x, g_seq);
}

bool sched_start(struct sched *s, struct sched_thread *t, uint64_t now) { return start(s, t, GO_RUNNABLE, 1, now); }

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
        return txn_close(t, false);
    EVENT(&x, EV_GoStart, t->g, seq + 2);
    txn_procs_change(&x);
    return commit_started(&x, seq + 2);
}

bool sched_resume_woken(struct sched *s, struct sched_thread *t, bool same_generation, uint64_t now)
{
    return start(s, t, GO_WAITING, same_generation ? 2 : 1, now);
}

bool sched_unblock(struct sched *s, struct sched_thread *t, const struct sched_wakeup *wakeup, uint64_t stack,
                   uint64_t now)
{
    struct txn x;
    if (!txn_begin(&x, s, t, sched_current(t)->status, now > wakeup->blocked ? now : wakeup->blocked + 1))
        return false;
    EVENT(&x, EV_GoUnblock, wakeup->g, wakeup->g_seq, stack);
    return txn_end(&x);
}

bool sched_yield_proc(struct sched *s, struct sched_thread *t, enum sched_reason reason, uint64_t stack, uint64_t now)
{
    struct txn x;
    if (!txn_begin(&x, s, t, GO_RUNNING, now))
        return false;
    EVENT(&x, EV_GoStop, reason_string_id(reason), stack);
    EVENT(&x, EV_GoStart, t->g, ++x.next->g_seq);
    return txn_end(&x);
}

bool sched_syscall_begin(struct sched *s, struct sched_thread *t, uint64_t stack, uint64_t now)
{
    struct txn x;
    if (!txn_begin(&x, s, t, GO_RUNNING, now))
        return false;
    struct sched_state *next = x.next;
    EVENT(&x, EV_GoSyscallBegin, ++next->proc_seq, stack);
    next->status = GO_SYSCALL;
    next->call_since = (uint32_t)x.time;
    txn_commit(&x);
    s->procs[next->proc].seq = next->proc_seq;
    proc_mark(s, next->proc, proc_word(IN_CALL, t->g, next->call_since));
    return txn_close(t, true);
}

static bool end_blocked(struct txn *x)
{
    uint32_t g_seq = x->next->g_seq + 1;
    if (!txn_proc_start(x))
        return txn_close(x->t, false);
    EVENT(x, EV_GoSyscallEndBlocked);
    EVENT(x, EV_GoStart, x->t->g, g_seq);
    txn_procs_change(x);
    return commit_started(x, g_seq);
}

bool sched_syscall_end(struct sched *s, struct sched_thread *t, uint64_t now)
{
    struct txn x;
    if (!txn_begin(&x, s, t, GO_SYSCALL, now))
        return false;
    switch (proc_reclaim(s, t)) {
    case PROC_KEPT:
        EVENT(&x, EV_GoSyscallEnd);
        x.next->status = GO_RUNNING;
        return txn_end(&x);
    case PROC_GONE:
        txn_take(&x, x.next->proc);
        return end_blocked(&x);
    case PROC_CLAIMED:
        break;
    }
    return txn_close(t, false);
}

bool sched_procs_change(struct sched *s, struct sched_thread *t, uint32_t n, uint64_t now)
{
    struct txn x;
    if (!n || !txn_begin(&x, s, t, GO_RUNNING, now))
        return false;
    EVENT(&x, EV_ProcsChange, n, 0);
    txn_commit(&x);
    __atomic_store_n(&s->gomaxprocs, n, __ATOMIC_RELAXED);
    return txn_close(t, true);
}

bool sched_heap(struct sched *s, struct sched_thread *t, uint64_t live, uint64_t held, uint64_t now)
{
    struct txn x;
    if (!txn_begin(&x, s, t, GO_RUNNING, now))
        return false;
    EVENT(&x, EV_HeapAlloc, live);
    if (held)
        EVENT(&x, EV_HeapGoal, held);
    return txn_end(&x);
}

bool sched_annotate(struct sched *s, struct sched_thread *t, enum event_id id, const uint64_t *args, unsigned nargs,
                    uint64_t now)
{
    struct txn x;
    if (!txn_begin(&x, s, t, GO_RUNNING, now))
        return false;
    x.pos = event_put(x.pos, (uint8_t)id, txn_dt(&x, ANY), args, nargs);
    return txn_end(&x);
}

enum { HEAP_OBJECT_UNIT = 8 }; /* of the ids of blocks, which `thrace finish` states */

bool sched_heap_object(struct sched *s, struct sched_thread *t, uint64_t address, uint64_t size, uint64_t now)
{
    struct txn x;
    if (!txn_begin(&x, s, t, sched_current(t)->status, now))
        return false;
    EVENT(&x, EV_HeapObjectAlloc, address / HEAP_OBJECT_UNIT, size);
    return txn_end(&x);
}

bool sched_heap_object_free(struct sched *s, struct sched_thread *t, uint64_t address, uint64_t now)
{
    struct txn x;
    if (!txn_begin(&x, s, t, sched_current(t)->status, now))
        return false;
    EVENT(&x, EV_HeapObjectFree, address / HEAP_OBJECT_UNIT);
    return txn_end(&x);
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

/* Undoes what the thread began and did not commit, and carries out what it committed. */
const struct sched_state *sched_recover(struct sched *s, struct sched_thread *t)
{
    const struct sched_state *cur = sched_current(t);
    if (cur->pos) /* first: what others write as soon as the P changes hands rests on it */
        __atomic_store_n(&t->chunk->used, (uint32_t)(cur->pos - t->chunk->data), __ATOMIC_RELEASE);
    if (cur->status == GO_RUNNING)
        proc_started(s, t, cur);
    proc_unclaim(s, t);
    if (t->proc_taken != PROC_NONE && (t->proc_taken != cur->proc || !sched_has_proc(s, t)))
        proc_release(s, t->proc_taken);
    t->proc_taken = PROC_NONE;
    if (cur->status == GO_SYSCALL && proc_look(s, cur->proc) == proc_word(HELD, t->g, 0))
        s->procs[cur->proc].seq = cur->proc_seq;
    txn_close(t, true);
    return cur;
}

/* --- chunks and generations ----------------------------------------------------------------------------------- */

void sched_attach_chunk(struct sched *s, struct sched_thread *t, struct chunk *c, uint64_t now)
{
    struct sched_state *next = successor(t);
    *next = *sched_current(t);
    if (now > next->time)
        next->time = now;
    next->pos = c->data;
    next->g_seq = sched_g_seq(next, s->generation);
    next->g_seq_of = (uint32_t)s->generation;
    c->generation = s->generation;
    c->m = t->m;
    c->time = next->time;
    __atomic_store_n(&c->state, CHUNK_OPEN, __ATOMIC_RELEASE);
    t->chunk = c;
    commit(t);
}

struct chunk *sched_detach_chunk(struct sched_thread *t)
{
    struct chunk *c = t->chunk;
    const struct sched_state *cur = sched_current(t);
    if (!c)
        return NULL;
    if (cur->pos)
        c->used = (uint32_t)(cur->pos - c->data);
    struct sched_state *next = successor(t);
    *next = *cur;
    next->pos = NULL;
    commit(t);
    t->chunk = NULL;
    return c;
}

void sched_advance(struct sched *s, uint64_t generation)
{
    s->generation = generation;
    for (uint32_t p = 0; p < s->nprocs_known; p++)
        s->procs[p].seq = 0;
}

void sched_restart(struct sched *s, uint64_t generation, uint32_t gomaxprocs)
{
    for (uint32_t w = 0; w < SCHED_MAX_PROCS / 64; w++)
        s->busy[w] = 0;
    for (uint32_t p = 0; p < s->nprocs_known; p++)
        s->procs[p] = (struct sched_proc){0};
    s->nprocs_known = 0;
    s->gomaxprocs = gomaxprocs;
    s->generation = generation;
}

/* A system call that began unrecorded ends as if its P had been taken meanwhile: the last proc stands for that P. */
void sched_forget_procs(struct sched_thread *t)
{
    struct sched_state *cur = sched_own(t);
    cur->proc = cur->status == GO_SYSCALL ? SCHED_MAX_PROCS - 1 : PROC_NONE;
    cur->g_seq = 0;
    cur->proc_seq = 0;
    t->proc_taken = PROC_NONE;
    t->claim_word = 0;
    t->open = 0;
}

bool sched_adopt(struct sched *s, struct sched_thread *t)
{
    int32_t p = proc_take_free(s, 0, SCHED_MAX_PROCS - 1);
    if (p == PROC_NONE)
        return false;
    sched_own(t)->proc = p;
    proc_started(s, t, sched_current(t));
    return true;
}

void sched_first_status(struct sched *s, struct sched_thread *t, uint64_t now)
{
    struct txn x;
    if (!txn_begin(&x, s, t, GO_RUNNING, now))
        return;
    EVENT(&x, EV_ProcStatus, (uint64_t)x.next->proc, PROC_RUNNING);
    EVENT(&x, EV_GoStatus, t->g, t->m, GO_RUNNING);
    txn_end(&x);
}

bool sched_has_proc(const struct sched *s, const struct sched_thread *t)
{
    uint32_t status = sched_current(t)->status;
    return status == GO_RUNNING || (status == GO_SYSCALL && proc_state(s, t) == PROC_KEPT);
}

void sched_status_with_proc(struct sched *s, struct sched_thread *t, uint64_t now)
{
    struct txn x;
    uint32_t status = sched_current(t)->status;
    if (!sched_has_proc(s, t) || !txn_begin(&x, s, t, status, now))
        return;
    EVENT(&x, EV_ProcStatus, (uint64_t)x.next->proc, status == GO_RUNNING ? PROC_RUNNING : PROC_SYSCALL);
    EVENT(&x, EV_GoStatus, t->g, t->m, status);
    x.next->proc_seq = 0;
    txn_end(&x);
}

static uint8_t *put_status(uint64_t g, uint64_t m, uint32_t status, uint8_t *p, uint64_t *time, uint64_t now)
{
    const uint64_t args[] = {g, m, status};
    uint64_t dt = now - *time;
    *time = now;
    return event_put(p, EV_GoStatus, dt, args, 3);
}

uint8_t *sched_status_other(struct sched_thread *t, bool woken, uint8_t *p, uint64_t *time, uint64_t now)
{
    struct sched_state *cur = sched_own(t);
    uint32_t status = cur->status;
    if (status == GO_SYSCALL && cur->time <= now) /* no sequence number puts the end of the call behind this */
        cur->time = now + 1;
    return put_status(t->g, status == GO_SYSCALL ? t->m : ID_NONE, status == GO_WAITING && woken ? GO_RUNNABLE : status,
                      p, time, now);
}

void sched_status_again(uint64_t g, uint32_t status, uint8_t p[SCHED_STATUS_AGAIN])
{
    *p++ = EV_GoStatus;
    *p++ = 0; /* the time, from the event before on */
    p = varint_put_padded(p, g, SCHED_STATUS_AGAIN - VARINT_MAX - 3);
    p = varint_put(p, ID_NONE);
    *p = (uint8_t)status;
}

uint8_t *sched_status_idle_proc(struct sched *s, uint32_t proc, uint8_t *p, uint64_t *time, uint64_t now)
{
    const uint64_t args[] = {proc, PROC_IDLE};
    uint64_t dt = now - *time;
    s->procs[proc].known = 1;
    *time = now;
    return event_put(p, EV_ProcStatus, dt, args, 2);
}
