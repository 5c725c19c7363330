/*
 * OpenMP: parallel regions, barriers, critical sections, locks, and the tasks that are executed while waiting.
 *
 * A member of a team that is through with its part of a region waits for the others, or for the next region, inside the
 * runtime. No call of the program begins or ends that wait: the function that the region consists of is replaced by
 * run_member, which knows both ends.
 */
#include <string.h>

#include "preload/wrapper.h"
#include "preload/hooks/openmp.h"

#define THRACE_OMP(ret, name, params) ret name params;
#include "preload/hooks/openmp.def"
#undef THRACE_OMP


struct team {
    void (*fn)(void *);
    void *data;
    const struct openmp *real;
    struct thread *master;
    struct hook *hook; /* of the master's call; it waits in there for the others … */
    struct wait *wait; /* … and that ends when the call returns */
    uint32_t members;  /* 0: not known */
    uint32_t arrived;  /* at barriers, of all rounds */
    uint32_t ended;    /* through with fn */
};

#define OPENMP_TLS static __thread __attribute__((tls_model("initial-exec")))

/* The team of the innermost region that the thread is in. */
OPENMP_TLS struct team *team_of_thread;

/* What the thread waits for in a runtime, and the call that it does so in; NULL when that has returned. */
OPENMP_TLS struct {
    enum object_kind kind;
    const void *object;
    const struct hook *hook;
} rest;

/*
 * The runtime of the function of a region or task that the thread is in. A last call in there may be a jump, and then
 * looks as if it came from us.
 */
OPENMP_TLS const struct openmp *runtime_of_thread;

static inline const struct openmp *runtime_for(const void *caller)
{
    static const struct openmp none;
    const struct openmp *o = openmp_of(caller);
    if (unlikely(!o))
        o = runtime_of_thread;
    return o ? o : &none;
}

#define RUNTIME runtime_for(__builtin_return_address(0))

/* Teams come and go at any address: they are not told apart. */
static void rest_in(struct hook *h, enum object_kind kind, const void *object, const struct hook *in)
{
    rest.kind = kind;
    rest.object = object;
    rest.hook = in;
    hook_waits_for(h, kind, kind == OBJECT_TEAM ? NULL : object);
}

static void wait_for(struct hook *h, struct wait *w, enum object_kind kind, const void *object, const struct hook *in)
{
    rest_in(h, kind, object, in);
    wait_register(h, object, WAITER_ANY);
    while (!wait_block(h, w, REASON_SYNC))
        ;
}

/* Entering a hook ends a wait that did not end with a call. */
#define HERE(h, function)                                                                                              \
    ({                                                                                                                 \
        unwind_regs_here(&(h)->stack.regs);                                                                            \
        (h)->stack.leaf = (function) ? (uintptr_t)(function) + 1 : 0;                                                  \
        hook_enter(h);                                                                                                 \
    })

static void wait_for_members(struct team *team)
{
    struct hook *h = team->hook;
    if (!hook_enter(h))
        return;
    rest_in(h, OBJECT_TEAM, team, h);
    wait_register(h, team, WAITER_ANY);
    do
        if (__atomic_load_n(&team->ended, __ATOMIC_ACQUIRE) == team->members) {
            wait_cancel(h);
            return;
        }
    while (!wait_block(h, team->wait, REASON_SYNC));
}

static void run_member(void *arg)
{
    struct team *team = arg, *outer = team_of_thread;
    struct hook h;
    if (HERE(&h, team->fn))
        hook_leave(&h);
    uint32_t members = team->real->omp_get_num_threads ? (uint32_t)team->real->omp_get_num_threads() : 0;
    __atomic_store_n(&team->members, members, __ATOMIC_RELAXED);
    team_of_thread = team;
    runtime_of_thread = team->real;
    team->fn(team->data);
    team_of_thread = outer;

    bool master = self == team->master;
    const void *dock = team->master;
    if (master && members == 1)
        return;
    bool last = __atomic_add_fetch(&team->ended, 1, __ATOMIC_ACQ_REL) == members;
    if (master) {
        if (!last)
            wait_for_members(team);
        return;
    }
    if (last && waitq_maybe_waiting(&recorder.waits, team) && HERE(&h, team->real->GOMP_parallel_end)) {
        wake_one(&h, team, WAITER_ANY);
        hook_leave(&h);
    }
    if (HERE(&h, team->real->GOMP_parallel_end))
        wait_for(&h, &(struct wait){.t = NULL}, OBJECT_TEAM, dock, NULL);
}

/* False: the region is none of ours. Those who wait for the master's next region begin it, or end with the last one. */
static bool begin_region(struct team *team, struct hook *h)
{
    if (!hook_enter(h))
        return false;
    team->master = h->t;
    if (!team_of_thread && waitq_maybe_waiting(&recorder.waits, h->t))
        wake_all(h, h->t, WAITER_ANY);
    hook_leave(h);
    return true;
}

/* A program that nothing provides OpenMP for, but that has a region all the same, gets a team of one. */
#define REGION(name, params, args)                                                                                     \
    EXPORT void name params                                                                                            \
    {                                                                                                                  \
        const struct openmp *o = RUNTIME;                                                                              \
        if (!o->name) {                                                                                                \
            fn(data);                                                                                                  \
            return;                                                                                                    \
        }                                                                                                              \
        WAIT_SCOPE w = {.t = NULL};                                                                                    \
        struct hook h;                                                                                                 \
        UNWIND_CALLER_REGS(&h.stack.regs);                                                                             \
        h.stack.leaf = (uintptr_t)o->name + 1;                                                                         \
        struct team team = {.fn = fn, .data = data, .real = o, .hook = &h, .wait = &w};                                \
        if (n != 1 && wrapped(CLASS_SYNC) && begin_region(&team, &h)) {                                                \
            fn = run_member;                                                                                           \
            data = &team;                                                                                              \
        }                                                                                                              \
        o->name args;                                                                                                  \
    }

#define FN void (*fn)(void *), void *data, unsigned n
#define LOOP FN, long from, long to, long step

REGION(GOMP_parallel, (FN, unsigned flags), (fn, data, n, flags))
REGION(GOMP_parallel_sections, (FN, unsigned count, unsigned flags), (fn, data, n, count, flags))
REGION(GOMP_parallel_loop_static, (LOOP, long chunk, unsigned flags), (fn, data, n, from, to, step, chunk, flags))
REGION(GOMP_parallel_loop_dynamic, (LOOP, long chunk, unsigned flags), (fn, data, n, from, to, step, chunk, flags))
REGION(GOMP_parallel_loop_guided, (LOOP, long chunk, unsigned flags), (fn, data, n, from, to, step, chunk, flags))
REGION(GOMP_parallel_loop_nonmonotonic_dynamic, (LOOP, long chunk, unsigned flags),
       (fn, data, n, from, to, step, chunk, flags))
REGION(GOMP_parallel_loop_nonmonotonic_guided, (LOOP, long chunk, unsigned flags),
       (fn, data, n, from, to, step, chunk, flags))
REGION(GOMP_parallel_loop_runtime, (LOOP, unsigned flags), (fn, data, n, from, to, step, flags))
REGION(GOMP_parallel_loop_nonmonotonic_runtime, (LOOP, unsigned flags), (fn, data, n, from, to, step, flags))
REGION(GOMP_parallel_loop_maybe_nonmonotonic_runtime, (LOOP, unsigned flags), (fn, data, n, from, to, step, flags))

/* --- barriers ----------------------------------------------------------------------------------------------------- */

static void barrier(struct hook *h, void (*real_barrier)(void))
{
    WAIT_SCOPE w = {.t = NULL};
    struct team *team = team_of_thread;
    uint32_t members = __atomic_load_n(&team->members, __ATOMIC_RELAXED);
    bool last = members && __atomic_add_fetch(&team->arrived, 1, __ATOMIC_ACQ_REL) % members == 0;
    if (members != 1 && hook_enter(h)) {
        if (last) {
            wake_all(h, &team->arrived, WAITER_ANY);
            hook_leave(h);
        } else {
            wait_for(h, &w, OBJECT_TEAM, &team->arrived, h);
        }
    }
    real_barrier();
}

#define BARRIER(name)                                                                                                  \
    EXPORT void name(void)                                                                                             \
    {                                                                                                                  \
        const struct openmp *o = RUNTIME;                                                                              \
        struct hook h;                                                                                                 \
        if (!o->name)                                                                                                  \
            return;                                                                                                    \
        if (!team_of_thread || !wrapped(CLASS_SYNC)) {                                                                 \
            o->name();                                                                                                 \
            return;                                                                                                    \
        }                                                                                                              \
        UNWIND_CALLER_REGS(&h.stack.regs);                                                                             \
        h.stack.leaf = (uintptr_t)o->name + 1;                                                                         \
        barrier(&h, o->name);                                                                                          \
    }

BARRIER(GOMP_barrier)
BARRIER(GOMP_loop_end)
BARRIER(GOMP_sections_end)

/* --- critical sections and locks ---------------------------------------------------------------------------------- */

/* How many are inside a section or want to be: there is no trial for it. Sections of the same hash share a number. */
enum { SECTIONS = 256 };
static uint32_t inside[SECTIONS];
static uint32_t *inside_of(const void *section) { return &inside[waitq_bucket(section) % SECTIONS]; }

static bool enters_at_once(const void *section)
{
    return __atomic_fetch_add(inside_of(section), 1, __ATOMIC_ACQUIRE) == 0;
}

static void release(struct hook *h, const void *object)
{
    if (hook_enter(h)) {
        wake_one(h, object, WAITER_ANY);
        hook_leave(h);
    }
}

#define CRITICAL(enter, leave, params, args, section)                                                                  \
    EXPORT void enter params                                                                                           \
    {                                                                                                                  \
        const struct openmp *o = RUNTIME;                                                                              \
        WAIT_SCOPE w = {.t = NULL};                                                                                    \
        struct hook h;                                                                                                 \
        if (!o->enter)                                                                                                 \
            return;                                                                                                    \
        if (!enters_at_once(section) && wrapped(CLASS_SYNC)) {                                                         \
            UNWIND_CALLER_REGS(&h.stack.regs);                                                                         \
            h.stack.leaf = (uintptr_t)o->enter + 1;                                                                    \
            if (hook_enter(&h))                                                                                        \
                wait_for(&h, &w, OBJECT_OPENMP, section, &h);                                                          \
        }                                                                                                              \
        o->enter args;                                                                                                 \
    }                                                                                                                  \
    EXPORT void leave params                                                                                           \
    {                                                                                                                  \
        const struct openmp *o = RUNTIME;                                                                              \
        struct hook h;                                                                                                 \
        if (!o->leave)                                                                                                 \
            return;                                                                                                    \
        __atomic_fetch_sub(inside_of(section), 1, __ATOMIC_RELEASE);                                                   \
        if (waitq_maybe_waiting(&recorder.waits, section) && wrapped(CLASS_SYNC)) {                                      \
            UNWIND_CALLER_REGS(&h.stack.regs);                                                                         \
            h.stack.leaf = (uintptr_t)o->leave + 1;                                                                    \
            release(&h, section);                                                                                      \
        }                                                                                                              \
        o->leave args;                                                                                                 \
    }

static const char unnamed_section, atomic_section;
CRITICAL(GOMP_critical_start, GOMP_critical_end, (void), (), &unnamed_section)
CRITICAL(GOMP_critical_name_start, GOMP_critical_name_end, (void **name), (name), name)
CRITICAL(GOMP_atomic_start, GOMP_atomic_end, (void), (), &atomic_section)

EXPORT void omp_set_lock(void *lock)
{
    const struct openmp *o = RUNTIME;
    WAIT_SCOPE w = {.t = NULL};
    struct hook h;
    if (!o->omp_set_lock || (o->omp_test_lock && o->omp_test_lock(lock)))
        return;
    UNWIND_CALLER_REGS(&h.stack.regs);
    h.stack.leaf = (uintptr_t)o->omp_set_lock + 1;
    if (wrapped(CLASS_SYNC) && hook_enter(&h))
        wait_for(&h, &w, OBJECT_OPENMP, lock, &h);
    o->omp_set_lock(lock);
}

EXPORT void omp_unset_lock(void *lock)
{
    const struct openmp *o = RUNTIME;
    struct hook h;
    if (!o->omp_unset_lock)
        return;
    if (waitq_maybe_waiting(&recorder.waits, lock) && wrapped(CLASS_SYNC)) {
        UNWIND_CALLER_REGS(&h.stack.regs);
        h.stack.leaf = (uintptr_t)o->omp_unset_lock + 1;
        release(&h, lock);
    }
    o->omp_unset_lock(lock);
}

/* --- tasks -------------------------------------------------------------------------------------------------------- */

enum { TASK_DETACHES = 1 << 13 }; /* libgomp writes into the data of such a task before it copies them */

/* What a task is made of, and, in its first three members, what is in front of its own data. */
struct task {
    void (*fn)(void *);
    const struct openmp *real;
    long offset; /* of the data */
    void (*copy)(void *to, void *from);
    void *data;
    long size;
};

static void copy_task(void *to, void *from)
{
    struct task *made = from, *task = to;
    task->fn = made->fn;
    task->real = made->real;
    task->offset = made->offset;
    char *data = (char *)to + made->offset;
    if (made->copy)
        made->copy(data, made->data);
    else if (made->size > 0)
        memcpy(data, made->data, (size_t)made->size);
}

/* A thread that waits executes tasks meanwhile. It runs then. */
static void run_task(void *arg)
{
    struct task *task = arg;
    struct thread *t = self;
    struct hook h;
    bool waiting = t && t != THREAD_OFF && wrapped(CLASS_SYNC) && sched_current(&t->sched)->status == GO_WAITING;
    enum object_kind kind = rest.kind;
    const void *object = rest.object;
    const struct hook *in = rest.hook;
    if (waiting && HERE(&h, task->fn))
        hook_leave(&h);
    runtime_of_thread = task->real;
    task->fn((char *)arg + task->offset);
    if (waiting && HERE(&h, task->real->GOMP_parallel_end)) {
        if (in)
            h.stack = in->stack;
        wait_for(&h, &(struct wait){.t = NULL}, kind, object, in);
    }
}

EXPORT void GOMP_task(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long align,
                      bool deferred, unsigned flags, void **depend, int priority, void *detach)
{
    const struct openmp *o = RUNTIME;
    if (!o->GOMP_task) {
        fn(data);
        return;
    }
    if (flags & TASK_DETACHES || !wrapped(CLASS_SYNC)) {
        o->GOMP_task(fn, data, copy, size, align, deferred, flags, depend, priority, detach);
        return;
    }
    long least = _Alignof(struct task), front = offsetof(struct task, copy);
    align = align > least ? align : least;
    struct task task = {fn, o, (front + align - 1) / align * align, copy, data, size};
    o->GOMP_task(run_task, &task, copy_task, task.offset + size, align, deferred, flags, depend, priority, detach);
}
