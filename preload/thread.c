/* The registry of threads: their records, from birth to pool. */
#include <limits.h>
#include <linux/prctl.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/meta.h"
#include "preload/heap/heap.h"
#include "preload/session/helper.h"
#include "preload/hook.h"
#include "preload/sampler/sample.h"
#include "preload/thread_start.h"
#include "preload/tracer.h"
#include "preload/session/unseen.h"

__thread struct thread *self __attribute__((tls_model("initial-exec")));

/*
 * Records come from the kernel, several at a time, and are used again, never unmapped: a releaser may look at the
 * record of a waiter that has just ended.
 */
enum {
    RECORDS_PER_MAP = 16,
    PAGE = 4096, /* where each begins: an idle thread touches two pages, the start and a memo's */
    RECORD_SIZE = (sizeof(struct thread) + PAGE - 1) & ~(PAGE - 1),
};

static struct thread *pool;

static bool pool_fill(void)
{
    enum { FLAGS = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE };
    long p = sys_mmap(RECORDS_PER_MAP * RECORD_SIZE, PROT_READ | PROT_WRITE, FLAGS, -1, 0);
    if (sys_failed(p))
        return false;
    for (int i = RECORDS_PER_MAP; i-- > 0;) {
        struct thread *t = (struct thread *)((char *)p + (size_t)i * RECORD_SIZE);
        t->next = pool;
        pool = t;
    }
    return true;
}

static void link_thread(struct thread *t)
{
    t->prev = NULL;
    t->next = tracer.threads;
    if (t->next)
        t->next->prev = t;
    tracer.threads = t;
    tracer.nthreads++;
}

static void unlink_thread(struct thread *t)
{
    *(t->prev ? &t->prev->next : &tracer.threads) = t->next;
    if (t->next)
        t->next->prev = t->prev;
    tracer.nthreads--;
}

static struct unwind_recipes recipes;

struct thread *thread_new(void)
{
    struct thread *t = NULL;
    lock_take(&tracer.registry_lock);
    if (pool || pool_fill()) {
        t = pool;
        pool = t->next;
        /* The cache stays: what it says of code is as true for the next thread, what it says of stacks is checked. */
        memset(t, 0, offsetof(struct thread, cache));
        t->cache.recipes = &recipes;
        t->sched.g = ++tracer.last_g;
        t->sched.proc_taken = PROC_NONE;
        t->sched.state[0].proc = t->sched.state[1].proc = PROC_NONE;
        link_thread(t);
        if (recording()) {
            tracer.spool.header->nthreads++;
            tracer.spool.header->last_g = tracer.last_g;
        }
    }
    lock_drop(&tracer.registry_lock);
    return t;
}

void thread_inherit(struct thread *t)
{
    for (struct thread *other = tracer.threads, *next; other; other = next) {
        next = other->next;
        if (other->wait)
            waitq_leave(&tracer.waits, other->wait);
        if (other == t)
            continue;
        other->next = pool;
        pool = other;
    }
    t->wait = NULL;
    t->in_hook = 0;
    t->writer.writing = 0;
    t->promise.wakeup.g = 0;
    t->sched.m = (uint64_t)sys_gettid();
    unseen_not_me(t->sched.m);
    sched_track(&t->sched, GO_RUNNING);
    t->next = t->prev = NULL;
    tracer.threads = t;
    tracer.nthreads = 1;
    forget_spares();
    self = t;
}

void thread_retire(struct thread *t)
{
    lock_take(&tracer.registry_lock);
    unlink_thread(t);
    short_calls_collect(&t->short_calls);
    t->sched.g = 0;
    t->next = pool;
    pool = t;
    lock_drop(&tracer.registry_lock);
}

void write_thread_record(struct sched_thread *by, const struct thread *t)
{
    uint8_t buf[1 + 3 * VARINT_MAX];
    struct meta_record r;
    meta_begin(&r, buf, sizeof buf, META_THREAD);
    meta_int(&r, t->sched.g);
    meta_int(&r, t->start_pc);
    meta_int(&r, START_STACK_BASE + t->sched.g);
    chunk_meta_append(by->chunk, buf, (size_t)(r.p - buf));
}

void thread_starts(struct thread *t)
{
    switch (any_section_enter(t, 0)) {
    case SECTION_WRITES:
        if (!sched_start(&tracer.sched, &t->sched, now()))
            count_lost();
        break;
    case SECTION_TRACKS:
        sched_track(&t->sched, GO_RUNNING);
        break;
    case NO_SECTION:
        return;
    }
    section_leave(t);
}

/* What the kernel calls the process's first thread, and so all that were given no name of their own. */
static char common_name[TASK_COMM_LEN];

static bool read_name(char name[TASK_COMM_LEN])
{
    return !sys_failed(raw_syscall(SYS_prctl, PR_GET_NAME, (long)name, 0, 0, 0, 0));
}

/* It may have been given its name before we were here: an allocator has threads before any constructor runs. */
static void find_name(struct thread *t)
{
    char name[TASK_COMM_LEN];
    if (read_name(name) && strcmp(name, common_name) != 0)
        record_thread_name(t, t->sched.g, name);
}

struct thread *thread_introduce(void)
{
    struct thread *t = thread_new();
    if (!t)
        return NULL;
    t->sched.m = (uint64_t)sys_gettid();
    unseen_not_me(t->sched.m);
    t->in_hook = 1;
    t->unannounced = true;
    enum section section = any_section_enter(t, 0);
    bool known = section == SECTION_TRACKS;
    if (known)
        sched_track(&t->sched, GO_RUNNING);
    if (section == SECTION_WRITES) {
        known = sched_introduce(&tracer.sched, &t->sched, now());
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
    find_name(t);
    thread_watch_exit(t);
    sample_arm(t);
    t->in_hook = 0;
    return t;
}

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

void thread_init(void)
{
    have_exit_key = !pthread_key_create(&exit_key, at_thread_exit);
    read_name(common_name);
}

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
        hook_revive(t);
    }
}

/*
 * Runs in the last round of the thread's destructors. The joiner is told first: its GoUnblock comes from this thread.
 * After that nothing of the thread is recorded any more; destructors of the program that follow pass through.
 */
void thread_end(struct thread *t)
{
    struct hook h = {.t = t};
    if (t->in_hook)
        hook_recover(t);
    if (sched_current(&t->sched)->status != GO_RUNNING)
        hook_revive(t);
    if (unlikely(sched_current(&t->sched)->status == GO_SYSCALL))
        leave_syscall(t);
    t->in_hook = 1;
    sample_disarm(t);
    unwind_regs_here(&h.stack.regs);
    h.stack.leaf = 0;
    if (waitq_maybe_waiting(&tracer.waits, (void *)pthread_self()))
        wake_all(&h, (void *)pthread_self(), WAITER_ANY);
    enum section section = any_section_enter(t, 0);
    bool ended = section == SECTION_TRACKS;
    if (ended)
        sched_track(&t->sched, GO_DEAD);
    if (section == SECTION_WRITES) {
        ended = sched_destroy(&tracer.sched, &t->sched, now());
        seal_chunk(&t->sched); /* inside the section: the advancer seals them, too */
    }
    if (section)
        section_leave(t);
    self = THREAD_OFF;
    heap_thread_end();
    if (!ended) {
        count_lost(); /* it stays in the registry as it was: a G that the trace shows as alive must keep its status */
        return;
    }
    thread_retire(t);
    if (!__atomic_load_n(&tracer.nthreads, __ATOMIC_RELAXED))
        helper_stop();
}
