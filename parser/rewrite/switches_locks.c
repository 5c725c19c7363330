/*
 * Who woke whom, by what threads noted that they do with mutexes and conditions, for the first reading of a trace: a
 * note becomes the waking that the kernel did for it.
 */
#include "parser/rewrite/switches_learner.h"

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
    if (s->kind == SWITCH_WAKING) /* back to a note that wakes nobody */
        *s = (struct thread_switch){.time = s->time, .thread = s->waker, .kind = SWITCH_LOCK_NOTE, .stack = s->stack};
    if (o->waking == o->release) {
        o->waking = o->waking_before;
        o->by_note = false;
    }
    o->release = 0;
    o->slept_again = true; /* whoever the trace says has woken it */
    if (s->time >= queues_thread(&l->queues, at)->asleep)
        release(l, i, at, signal);
}

static uint32_t unlock(struct learner *l, size_t i)
{
    uint32_t mutex = l->switches->v[i].waker, whom = queues_unlock(&l->queues, mutex);
    if (!whom && mutex <= l->queues.objects.n)
        l->queues.objects.v[mutex - 1].unlock = i + 1;
    return whom;
}

bool learn_note(struct learner *l, size_t i)
{
    struct thread_switch s = l->switches->v[i];
    struct waiter *w = learner_waiter(l, s.thread);
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
        if (!passed)
            l->waiters.v[at - 1].passed_at = time;
    }
    return w->woke ? w->woke != at : passed;
}

bool learn_is_woken_wrongly(struct learner *l, uint32_t at, uint32_t by, const struct gotrace_event *ev)
{
    if (by)
        say_from_where(l, at, by, ev->args[2]);
    return is_signalled_wrongly(l, at, by, ev->time);
}

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
bool learn_sleep(struct learner *l, struct waiter *w, int64_t time)
{
    uint32_t at = number_of(l, w);
    enum sleeps_for what = queues_sleep(&l->queues, at, time);
    size_t unblock = w->unblock;
    w->back = 0;
    if (what == SLEEPS_FOR_COND && unblock) { /* it was awake, and another one has taken the signal */
        w->unblock = w->waking = 0;
        w->block = w->early_block;
        w->early_block = 0;
        return learner_mark(&l->known->wrong, unblock - 1);
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

/* Somebody who sleeps on may have been taken to be woken instead. */
void learn_run(struct learner *l, uint32_t at, int64_t time)
{
    bool for_cond = queues_sleeps_for_cond(&l->queues, at);
    uint32_t instead = queues_run(&l->queues, at, time);
    if (instead)
        take_over_release(l, at, instead, for_cond);
}
