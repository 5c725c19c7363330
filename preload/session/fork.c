#include "preload/session/fork.h"

#include "preload/config.h"
#include "preload/delays.h"
#include "preload/held_signals.h"
#include "preload/modules.h"
#include "preload/recorder.h"
#include "preload/sampler/sample.h"
#include "preload/session/own_threads.h"
#include "preload/session/state.h"
#include "preload/thread.h"
#include "preload/thread_start.h"
#include "preload/unseen.h"

static void (*begin_child)(struct thread *t);

/* The signals of who forks, as long as it has the locks. Not after the last hook: seccomp may forbid system calls. */
static struct held {
    bool are, locks;
    uint64_t before;
} held;

static void release(struct held h)
{
    if (h.are)
        signals_release(h.before);
}

/* The child of a clone may have copied a lock that somebody had taken, who is not in the child and never drops it. */
static void before_fork(void)
{
    struct held now = {.are = hooked(), .locks = recorder.owner->alive || recorder.pid == (int)sys_getpid()};
    if (now.are)
        now.before = signals_hold();
    sample_pause();
    if (now.locks) {
        session_lock();
        lock_take(&recorder.advance_lock);
        lock_take(&registry.lock);
    }
    held = now;
}

static void after_fork_in_parent(void)
{
    struct held then = held;
    if (then.locks) {
        lock_drop(&registry.lock);
        lock_drop(&recorder.advance_lock);
        session_unlock();
    }
    sample_resume();
    release(then);
}

/* A signal handler of the program interrupted our section, and forks: the section goes on in the child, too. */
static bool was_writing(const struct thread *t) { return t && t != THREAD_OFF && t->writer.writing; }

/* Forgets the parent's recording without touching it. */
static void forget(void)
{
    *recorder.owner = (struct owner){0, 0, 0};
    recorder.wants_maintenance = 0;
    if (was_writing(self))
        spool_stand_in(&recorder.spool);
    own_threads_forget();
    sample_forget();
    delays_forget();
    self = THREAD_OFF;
}

static void after_fork_in_child(void)
{
    registry.lock.word = 0;
    recorder.advance_lock.word = 0;
    session_forget_lock();
    struct thread *t = self;
    forget();
    begin_child(t);
    sample_resume();
    release(held);
}

void fork_init(void (*in_child)(struct thread *t))
{
    begin_child = in_child;
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

void fork_inherit(struct thread *t)
{
    sched_forget_chunk(&recorder.service);
    sched_forget_chunk(&t->sched);
    recorder.spool.header = NULL;
    recorder.pid = (int)sys_getpid();
    modules_forget_lock();
    thread_inherit(t);
    unseen_not_me(t->sched.m);
    forget_spares();
    *recorder.owner = (struct owner){tracked_classes(), 0, 1};
}
