#include "preload/wait.h"

#include "preload/active.h"
#include "preload/config.h"
#include "preload/libc_words.h"
#include "preload/lock_notes.h"
#include "preload/objects.h"
#include "preload/old_waiters.h"
#include "preload/section.h"
#include "preload/upcalls.h"

void wait_register(struct hook *h, const void *object, enum waiter_kind kind)
{
    h->t->wait = waitq_register(&recorder.waits, h->t, object, kind);
}

static void leave_slot(struct thread *t)
{
    if (t->wait)
        waitq_leave(&recorder.waits, t->wait);
    t->wait = NULL;
    lock_note_retaken(t);
}

void wait_forget(struct hook *h) { leave_slot(h->t); }

static bool was_released_early(struct thread *t)
{
    if (!t->wait)
        return false;
    uint64_t word = wait_word(t->wait);
    return wait_state(word) == WAIT_EARLY && wait_move(t->wait, word, WAIT_REGISTERED);
}

bool wait_track(struct hook *h, struct wait *w, uint32_t status)
{
    struct thread *t = h->t;
    const struct unwind_regs *regs = &h->stack.regs;
    t->wait_site.pc = regs->r[UNWIND_PC];
    t->wait_site.sp = regs->r[UNWIND_SP];
    t->wait_site.bp = regs->r[UNWIND_BP];
    t->wait_site.leaf = h->stack.leaf;
    t->wait_site.object = h->object;
    if (likely(recording()) || !track_enter(t))
        return false;
    t->woken = NOT_WOKEN;
    sched_track(&t->sched, status);
    if (t->wait) /* a release that a recording sees is to find it */
        wait_move(t->wait, wait_word(t->wait), WAIT_BLOCKED);
    w->t = t;
    section_leave(t);
    return true;
}

bool wait_block(struct hook *h, struct wait *w, enum sched_reason reason)
{
    struct thread *t = h->t;
    t->wait_site.reason = reason;
    if (unlikely(wait_track(h, w, GO_WAITING))) {
        hook_leave(h);
        return true;
    }
    hook_capture_for(h, STACK_OF_WAIT);
    if (object_is_descriptor(h->object.kind) && !h->no_stack && recording())
        object_describe(t, &h->object, hook_known_stack(h));
    if (section_enter(t, WAIT_STACK_RECORDS_MAX, LOST_WAIT)) {
        if (was_released_early(t)) {
            section_leave(t);
            return false;
        }
        t->woken = NOT_WOKEN;
        t->wait_site.stack = hook_wait_stack(h);
        uint64_t time = now();
        if (unlikely(recorder.notes_locks))
            lock_note_wait(h, time);
        if (sched_block(&recorder.sched, &t->sched, reason, t->wait_site.stack, time)) {
            w->t = t;
            if (t->wait) /* fails when a release found us in between: then nobody else writes our GoUnblock */
                wait_move(t->wait, (wait_word(t->wait) & ~(uint64_t)WAIT_STATE_MASK) | WAIT_REGISTERED, WAIT_BLOCKED);
        } else {
            count_lost(LOST_WAIT, LOSS_STATE);
        }
        section_leave_to_wait(t);
    } else if (wait_track(h, w, GO_WAITING)) {
        hook_leave(h);
        return true;
    }
    if (!w->t)
        leave_slot(t);
    hook_leave(h);
    return true;
}

/*
 * Takes the thread's own slot back, in a state that nobody claims, and says what the trace knows of the wakeup. Whoever
 * claims it does so inside a section, as we are: the slot's state and the generation agree. The advancer looks at the
 * slot of a thread that is outside.
 */
static enum woken withdraw(struct thread *t)
{
    for (;;) {
        uint64_t word = wait_word(t->wait);
        switch (wait_state(word)) {
        case WAIT_CLAIMED:
            return WOKEN_NOW;
        case WAIT_WOKEN:
            return WOKEN_EARLIER;
        default:
            if (wait_move(t->wait, word, WAIT_EARLY))
                return NOT_WOKEN;
        }
    }
}

/* The model says so. */
static bool is_in_call(const struct thread *t)
{
    uint32_t status = sched_current(&t->sched)->status;
    return status == GO_SYSCALL || status == GO_WAITING;
}

/* What the thread has returned from: a system call, or a wait. */
static bool come_back(struct thread *t)
{
    uint64_t time = now();
    switch (sched_current(&t->sched)->status) {
    case GO_SYSCALL: /* refused while another thread takes the P away: not lost, the next hook tries again */
        sched_syscall_end(&recorder.sched, &t->sched, time);
        return true;
    case GO_WAITING:
        return t->woken == NOT_WOKEN ? sched_resume(&recorder.sched, &t->sched, time)
                                     : sched_resume_woken(&recorder.sched, &t->sched, t->woken == WOKEN_NOW, time);
    default:
        return true;
    }
}

void wait_end(struct wait *w)
{
    struct thread *t = w->t;
    if (!t || t != self)
        return;
    if (unlikely(w->end)) {
        w->end(w);
        return;
    }
    if (unlikely(t->hook_sp))
        hook_recover(t);
    ENTER_OWN_HOOK(t);
    bool waited = unlikely(config.long_wait) && sched_current(&t->sched)->status == GO_WAITING;
    uint64_t since = waited ? sched_current(&t->sched)->time : 0;
    enum section section = any_section_enter(t, unlikely(w->error) ? CALL_ERROR_ROOM : 0, LOST_WAIT);
    if (t->wait) {
        bool without_room = unlikely(!section) && bare_section_enter(t);
        t->woken = withdraw(t);
        leave_slot(t);
        if (without_room)
            section_leave(t);
    }
    lock_note_retaken(t);
    if (likely(section == SECTION_WRITES)) {
        bool failed = unlikely(w->error) && is_in_call(t); /* else a handler's hook has ended it */
        if (unlikely(!come_back(t)))
            count_lost(LOST_WAIT, LOSS_STATE);
        else if (unlikely(failed))
            upcalls.call_failed(t, w->error);
        section_leave(t);
    } else if (section == SECTION_TRACKS) {
        sched_track(&t->sched, GO_RUNNING);
        section_leave(t);
    }
    if (waited && since && now() - since >= config.long_wait)
        upcalls.waited_long(t, now() - since);
    hook_done(t);
}

void thread_revive(struct thread *t)
{
    old_waiter_leaves(t);
    if (is_in_call(t)) {
        wait_end(&(struct wait){.t = t});
        return;
    }
    ENTER_OWN_HOOK(t);
    if (sched_current(&t->sched)->status == GO_RUNNABLE)
        thread_starts(t);
    t->hook_sp = 0;
}

/* --- waking ------------------------------------------------------------------------------------------------------- */

static void promise(void *arg, void *waiter)
{
    struct thread *t = arg, *other = waiter;
    mark_active(other);
    const struct sched_wakeup wakeup = sched_wakeup_of(&other->sched, recorder.sched.generation);
    t->promise.to = other;
    t->promise.commits = t->sched.commits;
    t->promise.wakeup.blocked = wakeup.blocked;
    t->promise.wakeup.g_seq = wakeup.g_seq;
    compiler_barrier();
    t->promise.wakeup.g = wakeup.g;
}

static enum wait_found wake_next(struct hook *h, const void *object, enum waiter_kind kind, enum wait_claimed claimed)
{
    struct thread *t = h->t;
    struct wait_slot *slot;
    enum wait_found found = waitq_claim(&recorder.waits, object, kind, claimed, &slot, promise, t);
    if (found == WAIT_FOUND) {
        mark_again(t->promise.to); /* its slot may be another's by now */
        uint64_t stack = hook_stack(h);
        if (!sched_unblock(&recorder.sched, &t->sched, &t->promise.wakeup, stack, now())) {
            wait_move(slot, wait_word(slot), WAIT_BLOCKED);
            count_lost(LOST_WAKEUP, LOSS_STATE);
            found = WAIT_NOBODY;
        }
    }
    t->promise.wakeup.g = 0;
    return found;
}

static enum wait_found wake(struct hook *h, const void *object, enum waiter_kind kind, enum wait_claimed claimed,
                            bool all)
{
    enum wait_found found, best = WAIT_NOBODY;
    hook_capture_for(h, STACK_OF_WAKE);
    do {
        if (!section_enter(h->t, STACK_RECORD_MAX, LOST_WAKEUP))
            break;
        found = wake_next(h, object, kind, claimed);
        section_leave(h->t);
        best = found > best ? found : best;
    } while (all && found != WAIT_NOBODY);
    return best;
}

enum wait_found wake_one(struct hook *h, const void *object, enum waiter_kind kind)
{
    return wake(h, object, kind, CLAIMED_SERVED, false);
}

bool wake_all(struct hook *h, const void *object, enum waiter_kind kind)
{
    return wake(h, object, kind, CLAIMED_SERVED, true) != WAIT_NOBODY;
}

/* Where the words are not to be trusted nobody is claimed: who waits wakes itself in the trace. */
void wait_for_owner(const pthread_mutex_t *m)
{
    if (self->wait && is_trusted(WORD_MUTEX) && !mutex_unlock_will_wake(m))
        waitq_overtake(&recorder.waits, self->wait);
}

bool wake_next_owner(struct hook *h, const pthread_mutex_t *m)
{
    if (!is_trusted(WORD_MUTEX))
        return false;
    enum wait_claimed claimed = mutex_unlock_will_wake(m) ? CLAIMED_QUEUED : CLAIMED_COMING;
    bool noted = claimed == CLAIMED_QUEUED && !mutex_is_nested(m) && lock_note_release(h, m, MUTEX_IS_UNLOCKED);
    if (waitq_may_claim(&recorder.waits, m, claimed))
        wake(h, m, WAITER_ANY, claimed, false);
    return noted;
}
