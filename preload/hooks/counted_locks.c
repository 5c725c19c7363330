/*
 * Functions between the wrappers and libc's that count what locks are taken and how long they are held. They are there,
 * in `real`, only where that was asked for; so the wrappers know nothing of it, and without it nothing costs more.
 *
 * A wrapper tries first; only when the object is busy, twice, it enters the thread as waiting and calls what waits. So
 * what is taken by a call that waits was contended, as often as the trace has a wait.
 *
 * A lock's own thread of execution: after the real call that takes, and after the one that releases, but with the time
 * of before. What is in the table is the thread's own, so nothing else depends on the order. A release by another thread
 * than the one that took the lock finds no entry that is held, and counts nothing; the taker's is begun anew next time.
 */
#include "preload/hooks/counted_locks.h"

#include <errno.h>

#include "preload/hook.h"
#include "preload/introduce.h"
#include "preload/libc_words.h"
#include "preload/lock_stats.h"
#include "preload/modules.h"
#include "preload/real.h"
#include "preload/section.h"
#include "preload/wrapper.h"

static struct real libc;

/* --- the section in which a thread counts ------------------------------------------------------------------------- */

/* What a hook was doing that called us, or that a handler interrupted which did. */
struct visit {
    struct thread *t; /* NULL: nothing can be counted */
    uintptr_t hook_sp;
};

/*
 * A handler that interrupted the thread in a section counts nothing. It may also be that the section was left by
 * siglongjmp.
 */
static bool is_out_of_sections(struct thread *t, uintptr_t sp)
{
    if (!t->writer.writing)
        return true;
    if (!left_by_longjmp(t, sp))
        return false;
    hook_recover(t);
    return true;
}

enum what { TAKEN, RELEASED };

/* False: nothing can be counted. What was taken so is; a release has no entry to end then. */
static SLOW bool find_self(struct thread **t, uintptr_t sp, enum what what)
{
    if (!recording())
        return false;
    if (!*t)
        *t = thread_introduce();
    bool there = *t && *t != THREAD_OFF && !((*t)->shared && (uint64_t)sys_gettid() != (*t)->sched.m);
    if (there && is_out_of_sections(*t, sp))
        return true;
    if (what == TAKEN)
        lock_missed();
    return false;
}

IN_LINE struct visit begin(enum what what)
{
    struct thread *t = self;
    uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
    if (unlikely((uintptr_t)t <= (uintptr_t)THREAD_OFF) || unlikely(t->writer.writing | t->shared))
        if (!find_self(&t, sp, what))
            return (struct visit){NULL, 0};
    struct visit v = {t, t->hook_sp};
    enter_hook(t, v.hook_sp ? v.hook_sp : sp);
    if (likely(gate_enter(&recorder.gate, &t->writer))) {
        if (likely(recording()))
            return v;
        gate_leave(&t->writer);
    } else if (bare_section_enter(t)) {
        return v;
    }
    t->hook_sp = v.hook_sp;
    return (struct visit){NULL, 0};
}

static inline void leave_hook(const struct visit *v)
{
    compiler_barrier();
    v->t->hook_sp = v->hook_sp;
}

static inline void end(const struct visit *v)
{
    section_leave(v->t);
    leave_hook(v);
}

/*
 * Before the real call, as the lock is free then. Where nothing is recorded the program may have forbidden itself the
 * clock, and the system call in place of it.
 */
static inline uint64_t time_of_release(void) { return recording() ? lock_clock() : 0; }

/* --- counting ----------------------------------------------------------------------------------------------------- */

/* The entry of a lock that was taken; NULL: none, and the visit is over. */
static inline struct lock_entry *entry_for(const struct visit *v, uint64_t address, enum object_kind kind)
{
    struct lock_entry *e = lock_find(&v->t->locks, address);
    if (unlikely(!e) || unlikely(e->what != lock_what_now(address, kind)))
        if (!(e = lock_meet(v->t, address, kind)))
            leave_hook(v);
    return e;
}

IN_LINE void taken(const void *lock, enum object_kind kind, uint32_t waited)
{
    struct visit v = begin(TAKEN);
    if (unlikely(!v.t))
        return;
    struct lock_entry *e = entry_for(&v, (uintptr_t)lock, kind);
    if (unlikely(!e))
        return;
    e->taken++;
    e->contended += waited;
    e->since = lock_clock();
    end(&v);
}

/* The same to read: a thread may do so several times over, and holds the lock until the last of them ends. */
static inline void taken_to_read(const void *lock, uint32_t waited)
{
    struct visit v = begin(TAKEN);
    if (unlikely(!v.t))
        return;
    struct lock_entry *e = entry_for(&v, (uintptr_t)lock | LOCK_TO_READ, OBJECT_RWLOCK);
    if (unlikely(!e))
        return;
    e->taken++;
    e->contended += waited;
    if (!e->depth++)
        e->since = lock_clock();
    end(&v);
}

/* Who released it is as good as where it was taken: mostly the same function. */
static SLOW void note_longest(struct thread *t, struct lock_entry *e, uint64_t held, const struct unwind_regs *caller)
{
    const struct unwind_modules *modules = modules_now();
    struct unwind_request request = {.stack_lo = t->stack_lo, .stack_hi = t->stack_hi, .regs = *caller};
    uintptr_t pcs[LOCK_FRAMES] = {caller->r[UNWIND_PC]};
    struct unwind_stack stack;
    int n = 1;
    if (modules) {
        request.max = LOCK_FRAMES;
        request.mode = config.unwind_mode;
        n = unwind_capture(&t->cache, modules, &request, pcs, &stack);
    }
    e->nlongest = 0;
    compiler_barrier();
    for (int i = 0; i < n; i++)
        e->where[i] = pcs[i];
    e->generation = recorder.sched.generation;
    e->longest_g = t->sched.g;
    e->longest = held;
    compiler_barrier();
    e->nlongest = (uint8_t)n;
}

/* The functions that call this, and what is inlined into them: the frame is that of libc's function's stand-in. */
IN_LINE void add_hold(struct thread *t, struct lock_entry *e, uint64_t now)
{
    uint64_t held = likely(now > e->since) ? now - e->since : 0; /* counters of two processors may differ a little */
    e->since = 0;
    e->held += held;
    e->holds[lock_bucket(held)]++;
    if (unlikely(held > e->longest)) {
        struct unwind_regs caller;
        UNWIND_CALLER_REGS(&caller);
        note_longest(t, e, held, &caller);
    }
}

/* It was released at that time. */
IN_LINE void released(const void *lock, uint64_t now)
{
    struct visit v = begin(RELEASED);
    if (unlikely(!v.t))
        return;
    struct lock_entry *e = lock_find(&v.t->locks, (uintptr_t)lock);
    if (likely(e) && likely(e->since))
        add_hold(v.t, e, now);
    end(&v);
}

/* Whoever writes does not read. */
IN_LINE void released_rwlock(const void *lock, uint64_t now)
{
    struct visit v = begin(RELEASED);
    if (unlikely(!v.t))
        return;
    struct lock_entry *e = lock_find(&v.t->locks, (uintptr_t)lock);
    if (!e || !e->since) {
        e = lock_find(&v.t->locks, (uintptr_t)lock | LOCK_TO_READ);
        if (e && e->depth && --e->depth)
            e = NULL;
    }
    if (e && e->since)
        add_hold(v.t, e, now);
    end(&v);
}

/* --- mutexes ------------------------------------------------------------------------------------------------------ */

#define MUTEX(m) ((const pthread_mutex_t *)(m))

#define TAKES_MUTEX(name, waited, params, args)                                                                        \
    static int counted_##name params                                                                                   \
    {                                                                                                                  \
        int ret = libc.name args;                                                                                      \
        if (likely(!ret || ret == EOWNERDEAD) && !mutex_is_nested(MUTEX(m)))                                           \
            taken(m, OBJECT_MUTEX, waited);                                                                            \
        return ret;                                                                                                    \
    }

/* The mutex may be gone after the real call. */
#define RELEASES_MUTEX(name, params, args)                                                                             \
    static int counted_##name params                                                                                   \
    {                                                                                                                  \
        bool nested = mutex_is_nested(MUTEX(m));                                                                       \
        uint64_t now = time_of_release();                                                                              \
        int ret = libc.name args;                                                                                      \
        if (likely(!ret) && !nested)                                                                                   \
            released(m, now);                                                                                          \
        return ret;                                                                                                    \
    }

#define TS const struct timespec *

TAKES_MUTEX(pthread_mutex_trylock, 0, (pthread_mutex_t * m), (m))
TAKES_MUTEX(pthread_mutex_lock, 1, (pthread_mutex_t * m), (m))
TAKES_MUTEX(pthread_mutex_timedlock, 1, (pthread_mutex_t * m, TS until), (m, until))
TAKES_MUTEX(pthread_mutex_clocklock, 1, (pthread_mutex_t * m, clockid_t clock, TS until), (m, clock, until))
RELEASES_MUTEX(pthread_mutex_unlock, (pthread_mutex_t * m), (m))
TAKES_MUTEX(mtx_trylock, 0, (mtx_t * m), (m))
TAKES_MUTEX(mtx_lock, 1, (mtx_t * m), (m))
TAKES_MUTEX(mtx_timedlock, 1, (mtx_t * m, TS until), (m, until))
RELEASES_MUTEX(mtx_unlock, (mtx_t * m), (m))

/*
 * A wait for a condition gives the mutex up and takes it again, inside libc. Whether it has to wait for it then is not
 * known. A thread that is cancelled has it again when its clean-ups run.
 */
struct wait_for_condition {
    const pthread_mutex_t *m; /* NULL: it is held over the wait */
    int ret;
};

static void take_again(struct wait_for_condition *w)
{
    bool failed = w->ret == EINVAL || w->ret == EPERM || w->ret == thrd_error || w->ret == ENOTRECOVERABLE;
    if (w->m && !failed)
        taken(w->m, OBJECT_MUTEX, 0);
}

#define CONDITION_WAIT(name, params, args)                                                                             \
    static int counted_##name params                                                                                   \
    {                                                                                                                  \
        __attribute__((cleanup(take_again))) struct wait_for_condition w = {MUTEX(m), 0};                              \
        if (mutex_is_nested(w.m))                                                                                      \
            w.m = NULL;                                                                                                \
        if (w.m)                                                                                                       \
            released(m, time_of_release());                                                                            \
        w.ret = libc.name args;                                                                                        \
        return w.ret;                                                                                                  \
    }

CONDITION_WAIT(pthread_cond_wait, (pthread_cond_t * c, pthread_mutex_t *m), (c, m))
CONDITION_WAIT(pthread_cond_timedwait, (pthread_cond_t * c, pthread_mutex_t *m, TS until), (c, m, until))
CONDITION_WAIT(pthread_cond_clockwait, (pthread_cond_t * c, pthread_mutex_t *m, clockid_t clock, TS until),
               (c, m, clock, until))
CONDITION_WAIT(cnd_wait, (cnd_t * c, mtx_t *m), (c, m))
CONDITION_WAIT(cnd_timedwait, (cnd_t * c, mtx_t *m, TS until), (c, m, until))
#ifdef OLD_COND_VERSION
CONDITION_WAIT(old_cond_wait, (pthread_cond_t * c, pthread_mutex_t *m), (c, m))
CONDITION_WAIT(old_cond_timedwait, (pthread_cond_t * c, pthread_mutex_t *m, TS until), (c, m, until))
#endif

/* --- others ------------------------------------------------------------------------------------------------------- */

#define TAKES(name, count, params, args)                                                                               \
    static int counted_##name params                                                                                   \
    {                                                                                                                  \
        int ret = libc.name args;                                                                                      \
        if (likely(!ret))                                                                                              \
            count;                                                                                                     \
        return ret;                                                                                                    \
    }

#define RELEASES(name, release, object, params, args)                                                                  \
    static int counted_##name params                                                                                   \
    {                                                                                                                  \
        uint64_t now = time_of_release();                                                                              \
        int ret = libc.name args;                                                                                      \
        if (likely(!ret))                                                                                              \
            release(object, now);                                                                                      \
        return ret;                                                                                                    \
    }

#define READS(name, waited, params, args) TAKES(name, taken_to_read(l, waited), params, args)
#define WRITES(name, waited, params, args) TAKES(name, taken(l, OBJECT_RWLOCK, waited), params, args)
#define SPINS(name, waited, params, args) TAKES(name, taken((const void *)l, OBJECT_SPIN, waited), params, args)

READS(pthread_rwlock_tryrdlock, 0, (pthread_rwlock_t * l), (l))
READS(pthread_rwlock_rdlock, 1, (pthread_rwlock_t * l), (l))
READS(pthread_rwlock_timedrdlock, 1, (pthread_rwlock_t * l, TS until), (l, until))
READS(pthread_rwlock_clockrdlock, 1, (pthread_rwlock_t * l, clockid_t clock, TS until), (l, clock, until))
WRITES(pthread_rwlock_trywrlock, 0, (pthread_rwlock_t * l), (l))
WRITES(pthread_rwlock_wrlock, 1, (pthread_rwlock_t * l), (l))
WRITES(pthread_rwlock_timedwrlock, 1, (pthread_rwlock_t * l, TS until), (l, until))
WRITES(pthread_rwlock_clockwrlock, 1, (pthread_rwlock_t * l, clockid_t clock, TS until), (l, clock, until))
RELEASES(pthread_rwlock_unlock, released_rwlock, l, (pthread_rwlock_t * l), (l))
SPINS(pthread_spin_trylock, 0, (pthread_spinlock_t * l), (l))
SPINS(pthread_spin_lock, 1, (pthread_spinlock_t * l), (l))
RELEASES(pthread_spin_unlock, released, (const void *)l, (pthread_spinlock_t * l), (l))

/* --- instead of libc's -------------------------------------------------------------------------------------------- */

#define COUNT(name) (libc.name = real.name, real.name = counted_##name)

static void count_mutexes(void)
{
    COUNT(pthread_mutex_trylock);
    COUNT(pthread_mutex_lock);
    COUNT(pthread_mutex_timedlock);
    COUNT(pthread_mutex_clocklock);
    COUNT(pthread_mutex_unlock);
    COUNT(mtx_trylock);
    COUNT(mtx_lock);
    COUNT(mtx_timedlock);
    COUNT(mtx_unlock);
    COUNT(pthread_cond_wait);
    COUNT(pthread_cond_timedwait);
    COUNT(pthread_cond_clockwait);
    COUNT(cnd_wait);
    COUNT(cnd_timedwait);
#ifdef OLD_COND_VERSION
    COUNT(old_cond_wait);
    COUNT(old_cond_timedwait);
#endif
}

/* Of a mutex that may be nested unnoticed nothing is counted. */
void count_locks(void)
{
    if (is_trusted(WORD_MUTEX_COUNT))
        count_mutexes();
    COUNT(pthread_rwlock_tryrdlock);
    COUNT(pthread_rwlock_rdlock);
    COUNT(pthread_rwlock_timedrdlock);
    COUNT(pthread_rwlock_clockrdlock);
    COUNT(pthread_rwlock_trywrlock);
    COUNT(pthread_rwlock_wrlock);
    COUNT(pthread_rwlock_timedwrlock);
    COUNT(pthread_rwlock_clockwrlock);
    COUNT(pthread_rwlock_unlock);
    COUNT(pthread_spin_trylock);
    COUNT(pthread_spin_lock);
    COUNT(pthread_spin_unlock);
}
