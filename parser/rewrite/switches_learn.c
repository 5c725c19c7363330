/*
 * With which switches a thread's wait begins and ends. It says that it waits before it calls the kernel, and is put to
 * sleep later: after what interrupts take, and page faults, and the setting of a timer. So the first switch begins the
 * wait, unless another thread had ended it by then, and that is right. The last one brings it back, if the kernel had
 * it wait several times: it may have been woken in vain, or for what the trace does not tell from the wait, as the
 * mutex of a condition. Where the kernel says who woke it, that counts for waits of which the trace does not know, and
 * where it is another thread of the program than the trace has it. That is said before a lock is released, so it is the
 * first one from then on; or the last one before, if the thread had not come back since and is not woken again. Where
 * threads noted what they do with mutexes and conditions, that says whom the kernel woke, and it is the last one that
 * counts.
 */
#include "parser/rewrite/switches_learner.h"

bool learner_mark(struct event_marks *m, size_t number)
{
    while (m->words.n <= number / 64) {
        if (!VEC_ROOM(&m->words))
            return false;
        m->words.v[m->words.n++] = 0;
    }
    m->words.v[number / 64] |= UINT64_C(1) << number % 64;
    return true;
}

struct waiter *learner_waiter(struct learner *l, uint64_t thread)
{
    uint32_t at = idmap_get(&l->waiter_of, thread);
    if (!at) {
        if (l->waiters.n >= UINT32_MAX - 1 || !VEC_ROOM(&l->waiters) ||
            !idmap_add(&l->waiter_of, thread, at = (uint32_t)l->waiters.n + 1))
            return NULL;
        l->waiters.v[l->waiters.n++] = (struct waiter){.thread = (uint32_t)thread};
        if (!queues_add_thread(&l->queues))
            return NULL;
    }
    return &l->waiters.v[at - 1];
}

static bool begin_wait(struct learner *l, const struct gotrace_event *ev)
{
    struct waiter *w = learner_waiter(l, ev->thread);
    if (!w)
        return false;
    uint32_t at = number_of(l, w), before = idmap_get(&l->home_of, ev->goroutine);
    *w = (struct waiter){.thread = w->thread, .waits = true, .block = ++l->blocks};
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
static bool wake(struct learner *l, const struct gotrace_event *ev)
{
    uint32_t at = idmap_get(&l->home_of, ev->args[0]), by = idmap_get(&l->waiter_of, ev->thread);
    l->unblocks++;
    if (!at || by == at)
        return true;
    if (learn_is_woken_wrongly(l, at, by, ev))
        return learner_mark(&l->known->wrong, l->unblocks - 1);
    struct waiter *w = &l->waiters.v[at - 1];
    w->early_block = w->block;
    w->block = w->back = 0;
    w->waking = w->early = is_woken_by_another(l, w) ? w->waking : 0;
    w->unblock = l->unblocks;
    w->by = ev->thread;
    w->was_asleep = w->slept;
    w->slept_again = false;
    return true;
}

/* Its thread waits from this switch on. */
static bool begin_late(struct learner *l, size_t block, size_t i)
{
    l->switches->v[i].begins_wait = true;
    return learner_mark(&l->known->late, block - 1);
}

/* It was not woken before it slept, so that begins its wait. */
static bool correct_begin(struct learner *l, const struct waiter *w, int64_t woken)
{
    if (!w->early_block || !w->first_sleep || l->switches->v[w->first_sleep - 1].time >= woken)
        return true;
    return begin_late(l, w->early_block, w->first_sleep - 1);
}

/* Who ended the wait, by the kernel, if that is not what the trace says. */
static bool correct_waker(struct learner *l, const struct waiter *w)
{
    struct thread_switch *waking = &l->switches->v[w->waking - 1];
    bool of_another_sleep = w->by_note && w->slept_again;
    if (w->unblock && (waking->context != WAKING_BY_THREAD || (waking->waker == w->by && !of_another_sleep)))
        return true;
    waking->ends_wait = true;
    return !w->unblock || (correct_begin(l, w, waking->time) && learner_mark(&l->known->wrong, w->unblock - 1));
}

static bool end_wait(struct learner *l, const struct gotrace_event *ev)
{
    struct waiter *w = learner_waiter(l, ev->thread);
    if (!w)
        return false;
    if (w->waits && w->back && idmap_get(&l->home_of, ev->args[0]) == number_of(l, w)) {
        l->switches->v[w->back - 1].ends_wait = true;
        if (w->waking && !correct_waker(l, w))
            return false;
    }
    queues_end(&l->queues, number_of(l, w));
    *w = (struct waiter){.thread = w->thread};
    return true;
}

/* The IDs of stacks are others from then on. */
static bool forget_notes(struct learner *l)
{
    for (size_t i = 0; i < l->waiters.n; i++)
        l->waiters.v[i].note = 0;
    return true;
}

static bool is_on(struct learner *l, uint64_t thread, uint64_t go)
{
    return moves_begin(&l->known->moves, thread, go) && delays_begin(&l->known->delays, thread, go);
}

static bool learn_event(struct learner *l, const struct gotrace_event *ev)
{
    switch (ev->type) {
    case EV_SYNC_POINT: return forget_notes(l);
    case EV_GoBlock: return begin_wait(l, ev);
    case EV_GoStart: return end_wait(l, ev) && is_on(l, ev->thread, ev->args[0]);
    case EV_GoCreate:
    case EV_GoCreateSyscall: return delays_know(&l->known->delays, ev->args[0], true);
    case EV_GoStatus:
    case EV_GoStatusStack:
        return delays_know(&l->known->delays, ev->args[0], false) &&
               (ev->args[1] == ID_NONE || is_on(l, ev->args[1], ev->args[0]));
    case EV_GoUnblock: return wake(l, ev);
    case EV_GoDestroy:
        if (idmap_get(&l->home_of, ev->goroutine))
            idmap_remove(&l->home_of, ev->goroutine);
        return moves_leave(&l->known->moves, ev->thread) &&
               delays_leave(&l->known->delays, ev->thread, ev->goroutine);
    default: return true;
    }
}

/* ---- switches --------------------------------------------------------------------------------------------------- */

static bool learn_switch(struct learner *l, size_t i)
{
    const struct thread_switch *s = &l->switches->v[i];
    if (s->kind == SWITCH_LOCK_NOTE)
        return learn_note(l, i);
    uint32_t at = idmap_get(&l->waiter_of, s->thread);
    if (s->kind == SWITCHES_LOST)
        for (size_t j = 0; j < l->waiters.n; j++) {
            l->waiters.v[j].slept = false;
            l->waiters.v[j].block = l->waiters.v[j].early_block = l->waiters.v[j].back = 0;
        }
    if (s->kind == SWITCHES_LOST)
        queues_forget(&l->queues);
    if (!at || !l->waiters.v[at - 1].waits || s->kind == SWITCHES_LOST || s->at_begin)
        return true;
    struct waiter *w = &l->waiters.v[at - 1];
    w->lost = s->kind == SWITCH_PREEMPTED || (w->lost && s->kind == SWITCH_WAKING);
    if (s->kind == SWITCH_PREEMPTED)
        return true;
    if (s->kind == SWITCH_WAKING) {
        if (w->slept && (!w->unblock || w->waking == w->early)) {
            w->waking = i + 1;
            w->early = 0;
        }
        return true;
    }
    if (s->kind == SWITCH_BLOCKS) {
        if (!learn_sleep(l, w, s->time))
            return false;
    } else {
        learn_run(l, at, s->time);
        if (w->slept)
            w->back = i + 1;
    }
    w->slept = s->kind == SWITCH_BLOCKS;
    if (!w->slept)
        return true;
    if (w->early_block && !w->first_sleep)
        w->first_sleep = i + 1;
    size_t block = w->block;
    w->block = 0;
    return !block || begin_late(l, block, i);
}

/* By the kernel, of a thread and a processor. */
static bool is_noted(const struct thread_switch *s) { return s->kind < SWITCH_WAKING && !s->at_begin; }

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
    queues_free(&l.queues);
    return ok && moves_end(&known->moves) && delays_end(&known->delays);
}

void switches_known_free(struct switches_known *known)
{
    moves_free(&known->moves);
    delays_free(&known->delays);
    VEC_FREE(&known->late.words);
    VEC_FREE(&known->wrong.words);
}
