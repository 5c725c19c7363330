/*
 * With which switches a thread's wait begins and ends. It says that it waits before it calls the kernel, and is put to
 * sleep later: after what interrupts take, and page faults, and the setting of a timer. So the first switch begins the
 * wait, unless another thread had ended it by then. The last one brings it back, if the kernel had it wait several
 * times: it may have been woken in vain, or for what the trace does not tell from the wait, as the mutex of a condition.
 * Where the kernel says who woke it, that counts for waits of which the trace does not know, and where it is another
 * thread of the program than the trace has it. That is said before a lock is released, so it is the first one from then
 * on; or the last one before, if the thread had not come back since and is not woken again.
 */
#include "parser/event.h"
#include "parser/rewrite/switches.h"

struct waiter {
    bool waits; /* by the trace */
    bool slept; /* and by the kernel, and is not back */
    size_t block; /* number of its GoBlock + 1, as long as a switch may begin it */
    size_t back; /* index of the switch + 1 with which it came back; 0: it did not */
    size_t waking;    /* and of the waking that made it come back; or of the first one after the trace has it woken … */
    size_t early;     /* … or the same as this, if there is none: that was before */
    size_t unblock;   /* number of the GoUnblock + 1 with which it is woken, by another thread; 0: it is not */
    uint64_t by;      /* which */
};

struct learner {
    struct thread_switches *switches;
    struct switches_known *known;
    size_t blocks, unblocks;
    struct idmap waiter_of; /* threads: index + 1 */
    struct idmap home_of;   /* goroutines: the same of the thread that they wait on */
    VEC(struct waiter) waiters;
};

static bool mark(struct event_marks *m, size_t number)
{
    while (m->words.n <= number / 64) {
        if (!VEC_ROOM(&m->words))
            return false;
        m->words.v[m->words.n++] = 0;
    }
    m->words.v[number / 64] |= UINT64_C(1) << number % 64;
    return true;
}

static struct waiter *waiter_of(struct learner *l, uint64_t thread)
{
    uint32_t at = idmap_get(&l->waiter_of, thread);
    if (!at) {
        if (l->waiters.n >= UINT32_MAX - 1 || !VEC_ROOM(&l->waiters) ||
            !idmap_add(&l->waiter_of, thread, at = (uint32_t)l->waiters.n + 1))
            return NULL;
        l->waiters.v[l->waiters.n++] = (struct waiter){0};
    }
    return &l->waiters.v[at - 1];
}

static bool begin_wait(struct learner *l, const struct gotrace_event *ev)
{
    struct waiter *w = waiter_of(l, ev->thread);
    if (!w)
        return false;
    uint32_t at = (uint32_t)(w - l->waiters.v) + 1, before = idmap_get(&l->home_of, ev->goroutine);
    *w = (struct waiter){.waits = true, .block = ++l->blocks};
    if (before && before != at)
        idmap_remove(&l->home_of, ev->goroutine);
    return before == at || idmap_add(&l->home_of, ev->goroutine, at);
}

/* By a thread of the program, and it has not come back since. */
static bool is_woken_by_another(const struct learner *l, const struct waiter *w)
{
    const struct thread_switch *waking = w->slept && w->waking ? &l->switches->v[w->waking - 1] : NULL;
    return waking && waking->context == WAKING_BY_THREAD && idmap_get(&l->waiter_of, waking->waker);
}

/* Who wakes another one does so before that comes back. */
static void wake(struct learner *l, const struct gotrace_event *ev)
{
    uint32_t at = idmap_get(&l->home_of, ev->args[0]);
    l->unblocks++;
    if (at && idmap_get(&l->waiter_of, ev->thread) != at) {
        struct waiter *w = &l->waiters.v[at - 1];
        w->block = w->back = 0;
        w->waking = w->early = is_woken_by_another(l, w) ? w->waking : 0;
        w->unblock = l->unblocks;
        w->by = ev->thread;
    }
}

/* Who ended the wait, by the kernel, if that is not what the trace says. */
static bool correct_waker(struct learner *l, const struct waiter *w)
{
    struct thread_switch *waking = &l->switches->v[w->waking - 1];
    if (w->unblock && (waking->context != WAKING_BY_THREAD || waking->waker == w->by))
        return true;
    waking->ends_wait = true;
    return !w->unblock || mark(&l->known->wrong, w->unblock - 1);
}

static bool end_wait(struct learner *l, const struct gotrace_event *ev)
{
    struct waiter *w = waiter_of(l, ev->thread);
    if (!w)
        return false;
    if (w->waits && w->back && idmap_get(&l->home_of, ev->args[0]) == (uint32_t)(w - l->waiters.v) + 1) {
        l->switches->v[w->back - 1].ends_wait = true;
        if (w->waking && !correct_waker(l, w))
            return false;
    }
    *w = (struct waiter){0};
    return true;
}

static bool is_on(struct learner *l, uint64_t thread, uint64_t go)
{
    return moves_begin(&l->known->moves, thread, go) && delays_begin(&l->known->delays, thread, go);
}

static bool learn_event(struct learner *l, const struct gotrace_event *ev)
{
    switch (ev->type) {
    case EV_GoBlock: return begin_wait(l, ev);
    case EV_GoStart: return end_wait(l, ev) && is_on(l, ev->thread, ev->args[0]);
    case EV_GoCreate:
    case EV_GoCreateSyscall: return delays_know(&l->known->delays, ev->args[0], true);
    case EV_GoStatus:
    case EV_GoStatusStack:
        return delays_know(&l->known->delays, ev->args[0], false) &&
               (ev->args[1] == ID_NONE || is_on(l, ev->args[1], ev->args[0]));
    case EV_GoUnblock: wake(l, ev); return true;
    case EV_GoDestroy:
        if (idmap_get(&l->home_of, ev->goroutine))
            idmap_remove(&l->home_of, ev->goroutine);
        return moves_leave(&l->known->moves, ev->thread) &&
               delays_leave(&l->known->delays, ev->thread, ev->goroutine);
    default: return true;
    }
}

/* Its thread waits from this switch on. */
static bool begin_late(struct learner *l, struct waiter *w, size_t i)
{
    size_t block = w->block - 1;
    w->block = 0;
    l->switches->v[i].begins_wait = true;
    return mark(&l->known->late, block);
}

static bool learn_switch(struct learner *l, size_t i)
{
    const struct thread_switch *s = &l->switches->v[i];
    uint32_t at = idmap_get(&l->waiter_of, s->thread);
    if (s->kind == SWITCHES_LOST)
        for (size_t j = 0; j < l->waiters.n; j++) {
            l->waiters.v[j].slept = false;
            l->waiters.v[j].block = l->waiters.v[j].back = 0;
        }
    if (!at || !l->waiters.v[at - 1].waits || s->kind == SWITCHES_LOST || s->kind == SWITCH_PREEMPTED || s->at_begin)
        return true;
    struct waiter *w = &l->waiters.v[at - 1];
    if (s->kind == SWITCH_WAKING) {
        if (w->slept && (!w->unblock || w->waking == w->early)) {
            w->waking = i + 1;
            w->early = 0;
        }
        return true;
    }
    if (s->kind == SWITCH_BLOCKS) {
        w->back = 0;
        w->waking = w->unblock ? w->waking : 0;
    }
    else if (w->slept)
        w->back = i + 1;
    w->slept = s->kind == SWITCH_BLOCKS;
    return !w->slept || !w->block || begin_late(l, w, i);
}

/* By the kernel, of a thread and a processor. */
static bool is_noted(const struct thread_switch *s) { return s->kind != SWITCH_WAKING && !s->at_begin; }

bool switches_learn(struct gotrace_reader *r, struct thread_switches *switches, struct switches_known *known)
{
    struct learner l = {.switches = switches, .known = known};
    const struct gotrace_event *ev;
    size_t next = 0;
    bool ok = true;
    known->max_procs = 0;
    while (ok && (ev = gotrace_reader_next(r))) {
        for (; ok && next < switches->n && switches->v[next].time < ev->time; next++) {
            const struct thread_switch *s = &switches->v[next];
            ok = learn_switch(&l, next) &&
                 (!is_noted(s) || (moves_switch(&known->moves, s) && delays_switch(&known->delays, s)));
        }
        if (ev->type == EV_ProcsChange && !known->max_procs)
            known->max_procs = ev->args[0];
        ok = ok && delays_until(&known->delays, ev->time) && learn_event(&l, ev);
    }
    for (; ok && next < switches->n; next++)
        ok = !is_noted(&switches->v[next]) || delays_switch(&known->delays, &switches->v[next]);
    idmap_free(&l.waiter_of);
    idmap_free(&l.home_of);
    VEC_FREE(&l.waiters);
    return ok && moves_end(&known->moves) && delays_end(&known->delays);
}

void switches_known_free(struct switches_known *known)
{
    moves_free(&known->moves);
    delays_free(&known->delays);
    VEC_FREE(&known->late.words);
    VEC_FREE(&known->wrong.words);
}
