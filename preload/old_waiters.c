#include "preload/old_waiters.h"

#include "lib/waitq.h"
#include "preload/thread.h"

static uint32_t waiting[WAITQ_BUCKETS], all; /* by the bucket of the object */

static void count_at(uintptr_t object, uint32_t n)
{
    __atomic_fetch_add(&waiting[waitq_bucket((const void *)object)], n, __ATOMIC_RELAXED);
}

/*
 * A semaphore begins with its word. The words of a condition's two groups are where they are by the build of glibc; as
 * a bucket too much hardly matters, each place is counted where the condition may begin.
 */
static void count(uintptr_t word, uint32_t n)
{
    const uintptr_t groups = word & ~(uintptr_t)7;
    count_at(word, n);
    count_at(groups - 40, n);
    count_at(groups - 32, n);
    __atomic_fetch_add(&all, n, __ATOMIC_RELAXED);
}

void old_waiter_comes(struct thread *t, uintptr_t word)
{
    __atomic_store_n(&t->waits_since_before, word, __ATOMIC_RELAXED);
    count(word, 1);
}

void old_waiter_leaves(struct thread *t)
{
    uintptr_t word = __atomic_exchange_n(&t->waits_since_before, 0, __ATOMIC_RELAXED);
    if (word)
        count(word, -1u);
}

bool has_old_waiters(const void *object)
{
    return __atomic_load_n(&all, __ATOMIC_RELAXED) &&
           __atomic_load_n(&waiting[waitq_bucket(object)], __ATOMIC_RELAXED);
}
