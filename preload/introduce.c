#include "preload/introduce.h"

#include "preload/expected.h"
#include "preload/held_signals.h"
#include "preload/section.h"
#include "preload/thread_end.h"
#include "preload/thread_name.h"
#include "preload/unseen.h"
#include "preload/upcalls.h"

/* Until `self` is set, the hook of a handler would introduce the thread once more. */
static struct thread *make_known(uintptr_t sp)
{
    struct thread *t = thread_new();
    if (!t)
        return NULL;
    t->sched.m = (uint64_t)sys_gettid();
    unseen_not_me(t->sched.m);
    enter_hook(t, sp);
    t->unannounced = true;
    enum section section = any_section_enter(t, 0, LOST_THREAD);
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
    return self = t;
}

/* It may be in a wait for the trace, which its first hook ends. */
static struct thread *take_over(uintptr_t sp)
{
    struct thread *t = take_expected_thread();
    if (!t)
        return NULL;
    enter_hook(t, sp);
    return self = t;
}

/* A child of vfork that was made before its call could be led to ours: `self` is its parent's. */
static bool is_another_process(void) { return sys_getpid() != recorder.pid; }

struct thread *thread_introduce(void)
{
    if (is_another_process())
        return NULL;
    uint64_t held = signals_hold();
    struct thread *before = self, *t = NULL; /* a handler's hook may have done it by now */
    if (!before && !clockless_stays_out() && !(t = take_over((uintptr_t)__builtin_frame_address(0))))
        t = make_known((uintptr_t)__builtin_frame_address(0));
    signals_release(held);
    if (before || !t)
        return before == THREAD_OFF ? NULL : before;
    find_thread_name(t);
    thread_watch_exit(t);
    upcalls.thread_begins(t); /* looks at which signals are blocked */
    t->hook_sp = 0;
    return t;
}
