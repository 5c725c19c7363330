#include "preload/expected.h"

#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "lib/control.h"
#include "lib/meta.h"
#include "preload/call_seen.h"
#include "preload/handles.h"
#include "preload/old_waiters.h"
#include "preload/recorder.h"
#include "preload/section.h"
#include "preload/tasks.h"
#include "preload/thread.h"
#include "preload/thread_end.h"
#include "preload/thread_name.h"
#include "preload/unseen.h"

/* By their number; whoever has one that is taken has the next that is free. Places stay. */
enum { PLACES = 1 << 16 };
static struct thread *places[PLACES];
static uint32_t taken;

static bool is_expected(const struct thread *t) { return __atomic_load_n(&t->expected, __ATOMIC_ACQUIRE); }

/* Once it is, the record is a thread's own, or ends: whoever comes second leaves it alone. */
static bool claim(struct thread *t)
{
    if (!__atomic_exchange_n(&t->expected, false, __ATOMIC_ACQ_REL))
        return false;
    old_waiter_leaves(t);
    return true;
}

static struct thread *find(uint64_t tid)
{
    struct thread *t;
    for (uint32_t i = (uint32_t)tid; (t = __atomic_load_n(&places[i % PLACES], __ATOMIC_ACQUIRE)); i++)
        if (t->sched.m == tid && is_expected(t))
            return t;
    return NULL;
}

static bool place(struct thread *t)
{
    uint32_t i = (uint32_t)t->sched.m;
    if (taken == PLACES / 2)
        return false;
    while (places[i % PLACES] && is_expected(places[i % PLACES]))
        i++;
    taken += !places[i % PLACES];
    __atomic_store_n(&places[i % PLACES], t, __ATOMIC_RELEASE);
    return true;
}

struct thread *expected_thread(void)
{
    return __atomic_load_n(&taken, __ATOMIC_RELAXED) ? find((uint64_t)sys_gettid()) : NULL;
}

bool clockless_stays_out(void)
{
    if (!__atomic_load_n(&taken, __ATOMIC_RELAXED) || clock_may_count())
        return false;
    self = THREAD_OFF;
    return true;
}

/* The first thread's stack ends elsewhere than those of others (thread_start.c). */
struct thread *take_expected_thread(void)
{
    struct thread *t = expected_thread();
    if (!t || !claim(t))
        return NULL;
    t->pthread = pthread_self();
    handle_remember(t->pthread, t->sched.g);
    if (t == registry.first)
        registry.main_thread = t->pthread;
    else
        t->stack_hi = (uintptr_t)t->pthread;
    return t;
}

/* Whoever waited when it was seen from outside does no more. */
static bool runs_again(struct thread *t, enum lost what)
{
    if (sched_current(&t->sched)->status == GO_WAITING && section_enter(t, 0, what)) {
        sched_resume(&recorder.sched, &t->sched, now());
        section_leave(t);
    }
    return sched_current(&t->sched)->status == GO_RUNNING;
}

/* A handler that comes in between finds a thread that is in a hook. If it has come first, the record is taken. */
struct thread *borrow_expected_thread(uintptr_t sp)
{
    struct thread *t = self ? NULL : expected_thread();
    if (!t || clockless_stays_out())
        return NULL;
    enter_hook(t, sp);
    self = t;
    if (!claim(t)) {
        t->hook_sp = 0;
        return NULL;
    }
    if (t != registry.first)
        t->stack_hi = (uintptr_t)pthread_self();
    t->lent = true;
    if (runs_again(t, LOST_HEAP))
        return t;
    t->hook_sp = 0;
    give_back_expected_thread(t);
    return NULL;
}

/* The stack that it was seen with is not the one that the record has now. */
void give_back_expected_thread(struct thread *t)
{
    t->lent = false;
    t->npcs = 0;
    compiler_barrier();
    __atomic_store_n(&t->expected, true, __ATOMIC_RELEASE);
    compiler_barrier();
    self = NULL;
}

/* --- at the beginning --------------------------------------------------------------------------------------------- */

#ifdef __GLIBC__
extern void *__libc_stack_end;
static uintptr_t first_stack_end(void) { return (uintptr_t)__libc_stack_end; }
#else
/* Something that the kernel has put there. */
static uintptr_t first_stack_end(void) { return (uintptr_t)getauxval(AT_RANDOM); }
#endif

void first_thread_stack(struct thread *t)
{
    struct rlimit limit = {0, 0};
    raw_syscall(SYS_prlimit64, 0, RLIMIT_STACK, 0, (long)&limit, 0, 0);
    t->stack_hi = (first_stack_end() | 0xfff) + 1;
    t->stack_lo = t->stack_hi - (limit.rlim_cur < (UINT64_C(1) << 30) ? limit.rlim_cur : UINT64_C(1) << 30);
    registry.first = t;
    registry.first_lo = t->stack_lo;
    registry.first_hi = t->stack_hi;
}

struct looked_at {
    uint32_t own; /* the calling thread */
    const struct attach_wait *waits;
    size_t n;
};

static const struct attach_wait *find_wait(const struct looked_at *l, uint32_t tid)
{
    size_t lo = 0, hi = l->n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (l->waits[mid].tid < tid)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < l->n && l->waits[lo].tid == tid ? &l->waits[lo] : NULL;
}

/* Returns the call that it waits in: one that the kernel has begun anew has another number now. */
static long take_wait(struct thread *t, uint32_t tid, const struct attach_wait *w, const struct call_seen *now)
{
    t->npcs = 0;
    if (!w || now->call < 0 || w->sp != now->sp || w->pc != now->pc || w->npcs > ATTACH_FRAMES_MAX)
        return now->call;
    for (uint32_t i = 0; i < w->npcs; i++)
        t->pcs[t->npcs++] = (uintptr_t)w->pcs[i];
    t->wait_site.reason = reason_seen(tid, (long)w->call, now->argument);
    if (w->kind == OBJECT_COND)
        t->wait_site.reason = REASON_COND;
    if (w->kind != NO_OBJECT && w->kind < OBJECT_KINDS)
        t->wait_site.object = (struct object){(uint32_t)w->kind, -1, w->object};
    return (long)w->call;
}

static struct thread *make_expected(uint32_t tid, const char *name)
{
    struct thread *t = thread_new();
    if (!t)
        return NULL;
    t->sched.m = tid;
    t->start_pc = tid == (uint32_t)recorder.pid ? START_OF_MAIN : START_NOT_KNOWN;
    t->expected = true;
    if (!place(t)) {
        thread_retire(t);
        return NULL;
    }
    if (tid == (uint32_t)recorder.pid)
        first_thread_stack(t);
    keep_thread_name(t, name);
    unseen_not_me(tid);
    return t;
}

/* What it said itself, in a hook before, it still does there. What was only seen of it, at an earlier time, is old. */
static bool has_said(const struct thread *t)
{
    uint32_t status = sched_current(&t->sched)->status;
    return t->hook_sp || t->wait || (status == GO_WAITING ? t->wait_site.pc != 0 : status != GO_RUNNING);
}

static bool expect(void *arg, uint32_t tid)
{
    const struct looked_at *l = arg;
    char name[TASK_NAME_MAX];
    const struct call_seen now = call_seen_of(tid);
    struct thread *t = thread_of_task(tid);
    if (tid == l->own || !task_name(tid, name))
        return true;
    if (t ? has_said(t) : !(t = make_expected(tid, name)))
        return true;
#ifdef SYS_vfork
    t->shared |= now.call == SYS_vfork;
#endif
    old_waiter_leaves(t);
    t->wait_site.pc = 0; /* its stack may be gone at any time, as it comes to no hook before */
    t->wait_site.object.kind = NO_OBJECT;
    t->wait_site.reason = reason_seen(tid, now.call, now.argument);
    if (take_wait(t, tid, find_wait(l, tid), &now) == SYS_futex)
        old_waiter_comes(t, (uintptr_t)now.argument);
    sched_track(&t->sched, now.call == CALL_NONE ? GO_RUNNING : GO_WAITING); /* from now on it may leave */
    return true;
}

void expect_threads(const struct attach_wait *waits, size_t n)
{
    struct looked_at l = {(uint32_t)sys_gettid(), waits, n};
    tasks_each(expect, &l);
}

/* --- at their ends ------------------------------------------------------------------------------------------------ */

static bool is_gone(const struct thread *t)
{
    return raw_syscall(SYS_tgkill, recorder.pid, (long)t->sched.m, 0, 0, 0, 0) == -ESRCH;
}

/* Nobody else writes for it any more. */
static void end_thread(struct thread *t)
{
    if (!claim(t))
        return;
    runs_again(t, LOST_THREAD);
    if (thread_destroy(t))
        thread_retire(t);
    else
        __atomic_store_n(&t->expected, true, __ATOMIC_RELEASE); /* no room: the next look ends it */
}

void end_expected_threads(void)
{
    static struct lock one_at_a_time; /* the helper, and who ends all of it */
    uint32_t left = taken;
    if (!lock_try(&one_at_a_time))
        return;
    for (uint32_t i = 0; i < PLACES && left; i++) {
        struct thread *t = places[i];
        left -= t != NULL;
        if (t && is_expected(t) && is_gone(t))
            end_thread(t);
    }
    lock_drop(&one_at_a_time);
}
