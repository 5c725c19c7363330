/* The records of threads: made, registered, pooled. */
#include "preload/thread.h"

#include <string.h>
#include <sys/mman.h>

#include "lib/meta.h"
#include "preload/recorder.h"

__thread struct thread *self __attribute__((tls_model("initial-exec")));

struct registry registry;

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
    if (registry.nrecords + RECORDS_PER_MAP > THREADS_MAX)
        return false;
    long p = sys_mmap(RECORDS_PER_MAP * RECORD_SIZE, PROT_READ | PROT_WRITE, FLAGS, -1, 0);
    if (sys_failed(p))
        return false;
    for (int i = RECORDS_PER_MAP; i-- > 0;) {
        struct thread *t = (struct thread *)((char *)p + (size_t)i * RECORD_SIZE);
        t->slot = registry.nrecords + (uint32_t)i;
        registry.records[t->slot] = t;
        t->next = pool;
        pool = t;
    }
    __atomic_store_n(&registry.nrecords, registry.nrecords + RECORDS_PER_MAP, __ATOMIC_RELAXED);
    return true;
}

static void link_thread(struct thread *t)
{
    t->prev = NULL;
    t->next = registry.threads;
    if (t->next)
        t->next->prev = t;
    registry.threads = t;
    registry.nthreads++;
}

static void unlink_thread(struct thread *t)
{
    *(t->prev ? &t->prev->next : &registry.threads) = t->next;
    if (t->next)
        t->next->prev = t->prev;
    registry.nthreads--;
}

static struct unwind_recipes recipes;

struct thread *thread_new(void)
{
    struct thread *t = NULL;
    lock_take(&registry.lock);
    if (pool || pool_fill()) {
        t = pool;
        pool = t->next;
        /* The cache stays: what it says of code is as true for the next thread, what it says of stacks is checked. */
        memset(&t->hook_sp, 0, offsetof(struct thread, cache) - offsetof(struct thread, hook_sp));
        t->cache.recipes = &recipes;
        t->sched.g = ++registry.last_g;
        t->sched.proc_taken = PROC_NONE;
        t->sched.state[0].proc = t->sched.state[1].proc = PROC_NONE;
        link_thread(t);
        if (recording()) {
            recorder.spool.header->nthreads++;
            recorder.spool.header->last_g = registry.last_g;
        }
    }
    lock_drop(&registry.lock);
    return t;
}

bool any_in_hook(const struct thread *but)
{
    for (const struct thread *t = registry.threads; t; t = t->next)
        if (t != but && __atomic_load_n(&t->hook_sp, __ATOMIC_ACQUIRE))
            return true;
    return false;
}

uint64_t hooks_have_left(uint64_t newest)
{
    uint64_t least = newest;
    for (struct thread *t = registry.threads; t; t = t->next) {
        if (!__atomic_load_n(&t->hook_sp, __ATOMIC_ACQUIRE))
            t->reads_from = newest;
        least = t->reads_from < least ? t->reads_from : least;
    }
    return least;
}

struct thread *thread_of_task(uint64_t tid)
{
    struct thread *t;
    lock_take(&registry.lock);
    for (t = registry.threads; t && t->sched.m != tid; t = t->next)
        ;
    lock_drop(&registry.lock);
    return t;
}

void thread_inherit(struct thread *t)
{
    for (struct thread *other = registry.threads, *next; other; other = next) {
        next = other->next;
        if (other->wait)
            waitq_leave(&recorder.waits, other->wait);
        if (other->retakes)
            waitq_unexpect(&recorder.waits, other->retakes);
        other->retakes = NULL;
        other->writer = (struct writer){0}; /* where a clone has copied it, it may be held */
        if (other == t)
            continue;
        other->next = pool;
        pool = other;
    }
    t->wait = NULL;
    t->hook_sp = 0;
    t->promise.wakeup.g = 0;
    t->sched.m = (uint64_t)sys_gettid();
    sched_track(&t->sched, GO_RUNNING);
    t->next = t->prev = NULL;
    registry.threads = t;
    registry.nthreads = 1;
    self = t;
}

void thread_retire(struct thread *t)
{
    lock_take(&registry.lock);
    unlink_thread(t);
    t->sched.g = 0;
    t->next = pool;
    pool = t;
    lock_drop(&registry.lock);
}

/* Who lost the most is about right: two that are there at once may overtake each other. */
void count_lost(enum lost what, enum loss why)
{
    struct spool_header *h = recorder.spool.header;
    struct thread *t = self;
    if (!recording())
        return;
    spool_count_lost(h, what, why, 1);
    if (!t || t == THREAD_OFF || ++t->lost <= __atomic_load_n(&h->lost_most, __ATOMIC_RELAXED))
        return;
    __atomic_store_n(&h->lost_most, t->lost, __ATOMIC_RELAXED);
    __atomic_store_n(&h->lost_most_g, t->sched.g, __ATOMIC_RELAXED);
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
