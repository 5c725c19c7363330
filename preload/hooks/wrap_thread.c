/* pthread_create, pthread_join and their kin, and the names of threads. */
#include <errno.h>
#include <string.h>

#include "lib/meta.h"
#include "preload/session/helper.h"
#include "preload/hook.h"
#include "preload/sampler/sample.h"
#include "preload/thread_start.h"
#include "preload/session/unseen.h"

/* --- birth ------------------------------------------------------------------------------------------------------- */

/*
 * A thread that could not be made has a G in the trace all the same: the GoCreate comes before the attempt, because the
 * child may be running before the creator is. The next threads get such Gs. They stay in the registry, linked by arg.
 */
static struct thread *spares;

static struct thread *take_spare(void)
{
    if (likely(!__atomic_load_n(&spares, __ATOMIC_RELAXED)))
        return NULL;
    lock_take(&tracer.registry_lock);
    struct thread *t = spares;
    if (t) {
        spares = t->arg;
        t->spare = false;
    }
    lock_drop(&tracer.registry_lock);
    return t;
}

void forget_spares(void) { spares = NULL; }

void unannounce_thread(struct thread *child)
{
    lock_take(&tracer.registry_lock);
    child->arg = spares;
    child->spare = true;
    spares = child;
    lock_drop(&tracer.registry_lock);
}

struct thread *announce_thread(struct hook *h, const void *start_routine)
{
    struct thread *child = take_spare();
    helper_start();
    if (!child && !(child = thread_new()))
        return NULL;
    child->sample.inherits_block = signal_blocked_for_child();
    child->start_pc = (uintptr_t)start_routine + 1;
    bool announced = sched_current(&child->sched)->status == GO_RUNNABLE;
    hook_capture_for(h, STACK_OF_CREATE);
    enum section section = any_section_enter(h->t, STACK_RECORD_MAX + 1 + 3 * VARINT_MAX);
    if (section == SECTION_TRACKS) {
        sched_track(&child->sched, GO_RUNNABLE);
        announced = true;
    } else if (section == SECTION_WRITES) {
        write_thread_record(&h->t->sched, child);
        if (!announced)
            announced = sched_create(&tracer.sched, &h->t->sched, &child->sched, START_STACK_BASE + child->sched.g,
                                     hook_stack(h), now());
    }
    if (section)
        section_leave(h->t);
    if (announced)
        return child;
    count_lost();
    thread_retire(child);
    return NULL;
}

/* The thread's stack ends where glibc keeps its own record of the thread, which pthread_self points to. */
static void find_own_stack(struct thread *t)
{
    t->pthread = pthread_self();
    t->stack_hi = (uintptr_t)pthread_self();
    t->stack_lo = t->stack_size < t->stack_hi ? t->stack_hi - t->stack_size : 0;
}

void begin_thread(struct thread *t)
{
    struct thread *early = NULL;
    t->sched.m = (uint64_t)sys_gettid();
    unseen_not_me(t->sched.m);
    t->in_hook = 1;
    find_own_stack(t);
    /* A handler that ran before us introduced the thread: what it did has a G of its own. */
    if (unlikely(!__atomic_compare_exchange_n(&self, &early, t, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))) {
        if (early != THREAD_OFF)
            thread_end(early);
        self = t;
    }
    thread_watch_exit(t);
    thread_starts(t);
    sample_arm(t);
    hook_done(t);
}

/* The creator may use the handle before the thread has run. The record may be another thread's by now: g tells. */
void know_handle(struct thread *child, uint64_t g, pthread_t handle)
{
    lock_take(&tracer.registry_lock);
    if (child->sched.g == g)
        child->pthread = handle;
    lock_drop(&tracer.registry_lock);
}

static void *thread_start(void *arg)
{
    struct thread *t = arg;
    void *(*start)(void *) = t->start;
    begin_thread(t);
    return start(t->arg);
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

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
    struct hook h;
    if (!HOOK_ENTER(&h, pthread_create))
        return real.pthread_create(thread, attr, start, arg);
    sample_thread_from(__builtin_return_address(0));
    struct thread *child = announce_thread(&h, (const void *)start);
    if (child) {
        child->start = start;
        child->arg = arg;
        child->stack_size = default_stack_size();
        if (attr)
            pthread_attr_getstacksize(attr, &child->stack_size);
    }
    hook_leave(&h);
    if (!child)
        return real.pthread_create(thread, attr, start, arg);
    uint64_t g = child->sched.g;
    int ret = real.pthread_create(thread, attr, thread_start, child);
    if (ret)
        unannounce_thread(child);
    else
        know_handle(child, g, *thread);
    return ret;
}

/* --- joining ------------------------------------------------------------------------------------------------------ */

/*
 * The trial tells a thread that is still there (EBUSY) from one that can be joined at once, which then has been. All
 * else, such as joining oneself, is left to the real call to say.
 */
#define JOIN(entry, valid, params, args)                                                                               \
    static OUT_OF_LINE int entry##_slow params                                                                         \
    {                                                                                                                  \
        WAIT_SCOPE w = {.t = NULL};                                                                                    \
        struct hook h;                                                                                                 \
        if (wrapped(CLASS_SYNC) && HOOK_ENTER(&h, entry)) {                                                            \
            wait_register(&h, (const void *)thread, WAITER_ANY);                                                       \
            int ret = real.pthread_tryjoin_np(thread, result);                                                         \
            if (ret != EBUSY) {                                                                                        \
                wait_cancel(&h);                                                                                       \
                return ret;                                                                                            \
            }                                                                                                          \
            while (!wait_block(&h, &w, REASON_SYNC))                                                                   \
                ;                                                                                                      \
        }                                                                                                              \
        return real.entry args;                                                                                        \
    }                                                                                                                  \
    EXPORT int entry params                                                                                            \
    {                                                                                                                  \
        if (unlikely(!(valid)) || !wrapped(CLASS_SYNC))                                                                \
            return real.entry args;                                                                                    \
        int ret = real.pthread_tryjoin_np(thread, result);                                                             \
        if (ret != EBUSY)                                                                                              \
            return ret;                                                                                                \
        return entry##_slow args;                                                                                      \
    }

JOIN(pthread_join, true, (pthread_t thread, void **result), (thread, result))
JOIN(pthread_timedjoin_np, true, (pthread_t thread, void **result, const struct timespec *until),
     (thread, result, until))
JOIN(pthread_clockjoin_np, clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC,
     (pthread_t thread, void **result, clockid_t clock, const struct timespec *until), (thread, result, clock, until))

/* --- names -------------------------------------------------------------------------------------------------------- */

/* For the recordings to come. */
static void keep_name(struct thread *t, const char *name)
{
    size_t len = strnlen(name, TASK_COMM_LEN - 1);
    memcpy(t->name, name, len);
    memset(t->name + len, 0, sizeof t->name - len);
}

static uint64_t g_of(pthread_t thread, const char *name)
{
    uint64_t g = 0;
    lock_take(&tracer.registry_lock);
    for (struct thread *t = tracer.threads; t && !g; t = t->next) {
        if (t->pthread == thread) {
            g = t->sched.g;
            keep_name(t, name);
        }
    }
    lock_drop(&tracer.registry_lock);
    return g;
}

void record_thread_name(struct thread *t, uint64_t g, const char *name)
{
    uint8_t buf[NAME_RECORD_MAX];
    if (g == t->sched.g)
        keep_name(t, name);
    struct meta_record r;
    meta_begin(&r, buf, sizeof buf, META_NAME);
    meta_int(&r, g);
    meta_int(&r, now());
    meta_text(&r, name, strnlen(name, TASK_COMM_LEN - 1));
    if (!r.overflow && section_enter(t, sizeof buf)) {
        chunk_meta_append(t->sched.chunk, buf, (size_t)(r.p - buf));
        section_leave(t);
    }
}

EXPORT int pthread_setname_np(pthread_t thread, const char *name)
{
    struct hook h;
    int ret = real.pthread_setname_np(thread, name);
    if (!ret && HOOK_ENTER(&h, pthread_setname_np)) {
        uint64_t g = thread == pthread_self() ? h.t->sched.g : g_of(thread, name);
        if (g)
            record_thread_name(h.t, g, name);
        hook_leave(&h);
    }
    return ret;
}
