#include "preload/thread_end.h"

#include <limits.h>

#include "preload/lock_stats.h"
#include "preload/section.h"
#include "preload/short_calls.h"
#include "preload/upcalls.h"
#include "preload/wait.h"

/*
 * The end of a thread is seen by the destructor of a thread-specific key, however the thread ends. It puts itself off
 * to the last round, so that what the program's own destructors do is still recorded.
 */
static pthread_key_t exit_key;
static bool have_exit_key;

static void at_thread_exit(void *p)
{
    struct thread *t = p;
    if (self != t)
        return;
    if (++t->exit_rounds < PTHREAD_DESTRUCTOR_ITERATIONS)
        pthread_setspecific(exit_key, t);
    else
        thread_end(t);
}

void thread_end_init(void) { have_exit_key = !pthread_key_create(&exit_key, at_thread_exit); }

void thread_watch_exit(struct thread *t)
{
    if (have_exit_key)
        pthread_setspecific(exit_key, t);
}

/* A moment, for the thread that is taking our P away: it has lost the CPU in the middle of that. */
static void leave_syscall(struct thread *t)
{
    for (int i = 0; i < 100 && sched_current(&t->sched)->status == GO_SYSCALL; i++) {
        sys_sched_yield();
        thread_revive(t);
    }
}

bool thread_destroy(struct thread *t)
{
    enum section section = any_section_enter(t, 0, LOST_THREAD);
    bool ended = section == SECTION_TRACKS;
    if (ended)
        sched_track(&t->sched, GO_DEAD);
    if (section == SECTION_WRITES) {
        lock_stats_thread_ends(t);
        ended = sched_destroy(&recorder.sched, &t->sched, now());
        seal_chunk(&t->sched); /* inside the section: the advancer seals them, too */
    }
    if (section)
        section_leave(t);
    return ended;
}

/*
 * Runs in the last round of the thread's destructors. The joiner is told first: its GoUnblock comes from this thread.
 * After that nothing of the thread is recorded any more; destructors of the program that follow pass through.
 */
void thread_end(struct thread *t)
{
    struct hook h = {.t = t};
    if (t->hook_sp)
        hook_recover(t);
    if (sched_current(&t->sched)->status != GO_RUNNING)
        thread_revive(t);
    if (unlikely(sched_current(&t->sched)->status == GO_SYSCALL))
        leave_syscall(t);
    ENTER_OWN_HOOK(t);
    upcalls.thread_ends(t);
    unwind_regs_here(&h.stack.regs);
    h.stack.leaf = 0;
    if (waitq_maybe_waiting(&recorder.waits, (void *)pthread_self()))
        wake_all(&h, (void *)pthread_self(), WAITER_ANY);
    bool ended = thread_destroy(t);
    self = THREAD_OFF;
    if (ended) {
        short_calls_collect(&t->short_calls);
        thread_retire(t);
    } else {
        count_lost(LOST_THREAD, LOSS_STATE); /* it stays in the registry as it was: a G that the trace shows as alive must keep its status */
    }
    upcalls.thread_has_ended(ended && !__atomic_load_n(&registry.nthreads, __ATOMIC_RELAXED));
}
