#include "preload/introduce.h"

#include "preload/held_signals.h"
#include "preload/section.h"
#include "preload/thread_end.h"
#include "preload/thread_name.h"
#include "preload/unseen.h"
#include "preload/upcalls.h"

static struct thread *introduce(void)
{
    struct thread *t = thread_new();
    if (!t)
        return NULL;
    t->sched.m = (uint64_t)sys_gettid();
    unseen_not_me(t->sched.m);
    ENTER_OWN_HOOK(t);
    t->unannounced = true;
    enum section section = any_section_enter(t, 0);
    bool known = section == SECTION_TRACKS;
    if (known)
        sched_track(&t->sched, GO_RUNNING);
    if (section == SECTION_WRITES) {
        known = sched_introduce(&recorder.sched, &t->sched, now());
        if (!known)
            seal_chunk(&t->sched);
    }
    if (section)
        section_leave(t);
    if (!known) {
        thread_retire(t);
        return NULL;
    }
    self = t;
    find_thread_name(t);
    thread_watch_exit(t);
    upcalls.thread_begins(t);
    t->hook_sp = 0;
    return t;
}

struct thread *thread_introduce(void)
{
    uint64_t held = signals_hold();
    struct thread *t = self ? self : introduce(); /* a handler's hook may have done it, or the thread has ended */
    signals_release(held);
    return t == THREAD_OFF ? NULL : t;
}
