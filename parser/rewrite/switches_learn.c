/*
 * With which switches a thread's wait begins and ends. It says that it waits before it calls the kernel, and is put to
 * sleep later: after what interrupts take, and page faults, and the setting of a timer. So the first switch begins the
 * wait, unless another thread had ended it by then. The last one brings it back, if the kernel had it wait several
 * times: it may have been woken in vain, or for what the trace does not tell from the wait, as the mutex of a condition.
 * Where the kernel says who woke it, that counts for waits of which the trace does not know, and where it is another
 * thread of the program than the trace has it. That is said before a lock is released, so it is the first one from then
 * on; or the last one before, if the thread had not come back since and is not woken again. Where threads noted what they
 * do with mutexes and conditions, that says whom the kernel woke, and it is the last one that counts.
 */
#include "parser/event.h"
#include "parser/rewrite/switches.h"
#include "parser/rewrite/switches_queues.h"

struct waiter {
    uint32_t thread;
    bool waits; /* by the trace */
    bool slept; /* and by the kernel, and is not back */
    bool lost;  /* its processor, and has not got one since */
    size_t block; /* number of its GoBlock + 1, as long as a switch may begin it */
    size_t back; /* index of the switch + 1 with which it came back; 0: it did not */
    size_t waking;    /* and of the waking that made it come back; or of the first one after the trace has it woken … */
    size_t early;     /* … or the same as this, if there is none: that was before */
    size_t unblock;   /* number of the GoUnblock + 1 with which it is woken, by another thread; 0: it is not */
    uint64_t by;      /* which */
    int64_t passed_at; /* when a signal reached it on its way to sleep; else 0 */
    size_t release, waking_before; /* number of the note + 1 that took it out of its queue; what `waking` was then */
    bool was_asleep;  /* then … */
    bool slept_again; /* … and it has fallen asleep since for what it waits for */
    bool by_note;     /* the waking is what an unlock or a signal did, as was noted */
    /* As one that wakes others: */
    uint32_t released; /* the mutex or condition of its last note, if that releases one, and the trace has not said so */
    uint32_t woke;     /* whom that woke, by number, or 0 */
    size_t note;       /* number of the note + 1, if it is a waking and of this generation; else 0 */
};

struct learner {
    struct thread_switches *switches;
    struct switches_known *known;
    size_t blocks, unblocks;
    struct idmap waiter_of; /* threads: index + 1 */
    struct idmap home_of;   /* goroutines: the same of the thread that they wait on */
    VEC(struct waiter) waiters;
    struct queues queues; /* of the same numbers */
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
        l->waiters.v[l->waiters.n++] = (struct waiter){.thread = (uint32_t)thread};
        if (!queues_add_thread(&l->queues))
            return NULL;
    }
    return &l->waiters.v[at - 1];
}

static uint32_t number_of(const struct learner *l, const struct waiter *w) { return (uint32_t)(w - l->waiters.v) + 1; }

static bool begin_wait(struct learner *l, const struct gotrace_event *ev)
{
    struct waiter *w = waiter_of(l, ev->thread);
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

/* The call that was noted says whom it wakes, by what we knew then: its stack is that of the waking. */
static void say_from_where(struct learner *l, uint32_t at, uint32_t by, uint64_t stack)
{
    const struct queued_thread *t = queues_thread(&l->queues, at);
    const struct waiter *w = &l->waiters.v[by - 1];
    if (w->note && w->released == (t->cond ? t->cond : t->mutex))
        l->switches->v[w->note - 1].stack = stack;
}

/*
 * The trace has the thread signal another one than the kernel woke for that; or one that a signal had reached already.
 * Whom a broadcast wakes, which has no note, the condition lets through.
 */
static bool is_signalled_wrongly(struct learner *l, uint32_t at, uint32_t by, int64_t time)
{
    const struct queued_thread *t = queues_thread(&l->queues, at);
    struct waiter *w = by ? &l->waiters.v[by - 1] : NULL;
    if (!t->cond)
        return false;
    if (!w || w->released != t->cond) {
        queues_pass(&l->queues, at);
        return false;
    }
    w->released = 0;
    bool passed = t->passed;
    if (!w->woke && !l->waiters.v[at - 1].lost) { /* it is on its way to sleep, or has just taken the signal */
        queues_pass(&l->queues, at);
        l->waiters.v[at - 1].passed_at = time;
    }
    return w->woke ? w->woke != at : passed;
}

/* Who wakes another one does so before that comes back. */
static bool wake(struct learner *l, const struct gotrace_event *ev)
{
    uint32_t at = idmap_get(&l->home_of, ev->args[0]), by = idmap_get(&l->waiter_of, ev->thread);
    l->unblocks++;
    if (!at || by == at)
        return true;
    if (by)
        say_from_where(l, at, by, ev->args[2]);
    if (is_signalled_wrongly(l, at, by, ev->time))
        return mark(&l->known->wrong, l->unblocks - 1);
    struct waiter *w = &l->waiters.v[at - 1];
    w->block = w->back = 0;
    w->waking = w->early = is_woken_by_another(l, w) ? w->waking : 0;
    w->unblock = l->unblocks;
    w->by = ev->thread;
    w->was_asleep = w->slept;
    w->slept_again = false;
    return true;
}

/* Who ended the wait, by the kernel, if that is not what the trace says. */
static bool correct_waker(struct learner *l, const struct waiter *w)
{
    struct thread_switch *waking = &l->switches->v[w->waking - 1];
    bool of_another_sleep = w->by_note && w->slept_again;
    if (w->unblock && (waking->context != WAKING_BY_THREAD || (waking->waker == w->by && !of_another_sleep)))
        return true;
    waking->ends_wait = true;
    return !w->unblock || mark(&l->known->wrong, w->unblock - 1);
}

static bool end_wait(struct learner *l, const struct gotrace_event *ev)
{
    struct waiter *w = waiter_of(l, ev->thread);
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

/* Its thread waits from this switch on. */
static bool begin_late(struct learner *l, struct waiter *w, size_t i)
{
    size_t block = w->block - 1;
    w->block = 0;
    l->switches->v[i].begins_wait = true;
    return mark(&l->known->late, block);
}

/* ---- notes ------------------------------------------------------------------------------------------------------ */

/* An unlock or a signal wakes a thread: its note is that waking from now on. */
static void note_is_waking(struct learner *l, size_t i, uint32_t whom)
{
    struct thread_switch *s = &l->switches->v[i];
    struct waiter *w = &l->waiters.v[whom - 1];
    *s = (struct thread_switch){.time = s->time, .thread = w->thread, .kind = SWITCH_WAKING, .waker = s->thread,
                                .context = WAKING_BY_THREAD, .stack = s->stack};
    w->waking_before = w->waking;
    w->waking = i + 1;
    w->early = 0;
    w->by_note = true;
}

/* Who was woken from a condition was woken by that, and not by an unlock of the mutex. True: the note is its waking. */
static bool release(struct learner *l, size_t i, uint32_t whom, bool signal)
{
    struct waiter *w = &l->waiters.v[whom - 1];
    w->release = i + 1;
    if (!signal && queues_thread(&l->queues, whom)->cond && (w->was_asleep || w->waking))
        return false;
    note_is_waking(l, i, whom);
    return true;
}

/* The other one was taken to be woken by what has woken this one. */
static void take_over_release(struct learner *l, uint32_t at, uint32_t other, bool signal)
{
    struct waiter *o = &l->waiters.v[other - 1];
    if (!o->release)
        return;
    size_t i = o->release - 1;
    struct thread_switch *s = &l->switches->v[i];
    if (o->waking == o->release) { /* back to a note that wakes nobody */
        *s = (struct thread_switch){.time = s->time, .thread = s->waker, .kind = SWITCH_LOCK_NOTE, .stack = s->stack};
        o->waking = o->waking_before;
        o->by_note = false;
    }
    o->release = 0;
    release(l, i, at, signal);
}

static uint32_t unlock(struct learner *l, size_t i)
{
    uint32_t mutex = l->switches->v[i].waker, whom = queues_unlock(&l->queues, mutex);
    if (!whom && mutex <= l->queues.objects.n)
        l->queues.objects.v[mutex - 1].unlock = i + 1;
    return whom;
}

static bool learn_note(struct learner *l, size_t i)
{
    struct thread_switch s = l->switches->v[i];
    struct waiter *w = waiter_of(l, s.thread);
    if (!w)
        return false;
    uint32_t at = number_of(l, w);
    w->released = 0;
    w->note = 0;
    if (s.context == MUTEX_IS_AWAITED)
        return queues_await_mutex(&l->queues, at, s.waker, s.time);
    if (s.context == COND_IS_AWAITED)
        return queues_await_cond(&l->queues, at, s.waker);
    bool signals = s.context == COND_IS_SIGNALLED;
    w->released = s.waker;
    w->woke = signals ? queues_signal(&l->queues, s.waker) : unlock(l, i);
    if (w->woke && release(l, i, w->woke, signals))
        w->note = i + 1;
    return true;
}

/* ---- switches --------------------------------------------------------------------------------------------------- */

/*
 * The kernel has a thread in the queue before it switches to another one. So what was released since it set out has
 * woken it, if that found nobody else who slept.
 */
static void leave_if_woken(struct learner *l, uint32_t at, int64_t released)
{
    if (queues_thread(&l->queues, at)->since < released)
        queues_leave(&l->queues, at);
}

/* In its wait. What ended an earlier sleep, in vain, does not count. */
static bool fall_asleep(struct learner *l, struct waiter *w, int64_t time)
{
    uint32_t at = number_of(l, w);
    enum sleeps_for what = queues_sleep(&l->queues, at, time);
    size_t unblock = w->unblock;
    w->back = 0;
    if (what == SLEEPS_FOR_COND && unblock) { /* it was awake, and another one has taken the signal */
        w->unblock = w->waking = 0;
        return mark(&l->known->wrong, unblock - 1);
    }
    bool passed = queues_thread(&l->queues, at)->passed;
    w->slept_again = !passed;
    w->waking = unblock || passed ? w->waking : 0;
    if (what != SLEEPS_FOR_MUTEX)
        return true;
    struct queue *m = &l->queues.objects.v[queues_thread(&l->queues, at)->mutex - 1];
    if (m->unlock)
        leave_if_woken(l, at, l->switches->v[m->unlock - 1].time);
    m->unlock = 0;
    if (passed)
        leave_if_woken(l, at, w->passed_at);
    return true;
}

static bool learn_switch(struct learner *l, size_t i)
{
    const struct thread_switch *s = &l->switches->v[i];
    if (s->kind == SWITCH_LOCK_NOTE)
        return learn_note(l, i);
    uint32_t at = idmap_get(&l->waiter_of, s->thread);
    if (s->kind == SWITCHES_LOST)
        for (size_t j = 0; j < l->waiters.n; j++) {
            l->waiters.v[j].slept = false;
            l->waiters.v[j].block = l->waiters.v[j].back = 0;
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
        if (!fall_asleep(l, w, s->time))
            return false;
    } else {
        bool for_cond = queues_sleeps_for_cond(&l->queues, at);
        uint32_t instead = queues_run(&l->queues, at, s->time);
        if (instead)
            take_over_release(l, at, instead, for_cond);
        if (w->slept)
            w->back = i + 1;
    }
    w->slept = s->kind == SWITCH_BLOCKS;
    return !w->slept || !w->block || begin_late(l, w, i);
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
