#include "preload/thread_start.h"

#include "lib/meta.h"
#include "preload/active.h"
#include "preload/handles.h"
#include "preload/libc_words.h"
#include "preload/section.h"
#include "preload/thread_end.h"
#include "preload/unseen.h"
#include "preload/upcalls.h"

/*
 * A thread that could not be made has a G in the trace all the same: the GoCreate comes before the attempt, because the
 * child may be running before the creator is. The next threads get such Gs. They stay in the registry, linked by arg.
 */
static struct thread *spares;

static struct thread *take_spare(void)
{
    if (likely(!__atomic_load_n(&spares, __ATOMIC_RELAXED)))
        return NULL;
    lock_take(&registry.lock);
    struct thread *t = spares;
    if (t) {
        spares = t->arg;
        t->spare = false;
    }
    lock_drop(&registry.lock);
    return t;
}

void forget_spares(void) { spares = NULL; }

void unannounce_thread(struct thread *child)
{
    lock_take(&registry.lock);
    child->arg = spares;
    child->spare = true;
    spares = child;
    lock_drop(&registry.lock);
}

struct thread *announce_thread(struct hook *h, const void *start_routine)
{
    struct thread *child = take_spare();
    if (!child && !(child = thread_new()))
        return NULL;
    upcalls.announces_thread(child);
    child->start_pc = (uintptr_t)start_routine + 1;
    child->task = h->t->task;
    bool announced = sched_current(&child->sched)->status == GO_RUNNABLE;
    hook_capture_for(h, STACK_OF_CREATE);
    enum section section = any_section_enter(h->t, STACK_RECORD_MAX + 1 + 3 * VARINT_MAX, LOST_THREAD);
    if (section == SECTION_TRACKS) {
        sched_track(&child->sched, GO_RUNNABLE);
        announced = true;
    } else if (section == SECTION_WRITES) {
        mark_active(child);
        write_thread_record(&h->t->sched, child);
        if (!announced)
            announced = sched_create(&recorder.sched, &h->t->sched, &child->sched, START_STACK_BASE + child->sched.g,
                                     hook_stack(h), now());
    }
    if (section)
        section_leave(h->t);
    if (announced)
        return child;
    count_lost(LOST_THREAD, LOSS_STATE);
    thread_retire(child);
    return NULL;
}

/* The thread's stack ends where glibc keeps its own record of the thread, which pthread_self points to. */
static void find_own_stack(struct thread *t)
{
    t->pthread = pthread_self();
    handle_remember(t->pthread, t->sched.g);
    t->stack_hi = (uintptr_t)pthread_self();
    t->stack_lo = t->stack_size < t->stack_hi ? t->stack_hi - t->stack_size : 0;
    if (unlikely(!stack_is_here(WORD_THREAD_STACK, t->stack_lo, t->stack_hi)))
        t->stack_lo = t->stack_hi = 0;
}

void begin_thread(struct thread *t)
{
    enum { OF_WHOM_CALLS_US = 128 };
    struct thread *early = NULL;
    t->sched.m = (uint64_t)sys_gettid();
    unseen_not_me(t->sched.m);
    ENTER_OWN_HOOK(t);
    find_own_stack(t);
    /* A handler that ran before us introduced the thread: what it did has a G of its own. */
    if (unlikely(!__atomic_compare_exchange_n(&self, &early, t, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))) {
        if (early != THREAD_OFF)
            thread_end(early);
        self = t;
    }
    t->frames_end = (uintptr_t)__builtin_frame_address(0) + OF_WHOM_CALLS_US;
    thread_watch_exit(t);
    thread_starts(t);
    upcalls.thread_begins(t);
    hook_done(t);
}

/* The creator may use the handle before the thread has run. The record may be another thread's by now: g tells. */
void know_handle(struct thread *child, uint64_t g, pthread_t handle)
{
    lock_take(&registry.lock);
    if (child->sched.g == g)
        child->pthread = handle;
    lock_drop(&registry.lock);
    handle_remember(handle, g);
}

size_t default_stack_size(void)
{
    static size_t size;
    pthread_attr_t attr;
    if (!size && !pthread_getattr_default_np(&attr)) {
        pthread_attr_getstacksize(&attr, &size);
        pthread_attr_destroy(&attr);
    }
    return size;
}
