#include "preload/old_waiters.h"

#include "lib/waitq.h"
#include "preload/thread.h"

static uint32_t waiting[WAITQ_BUCKETS], all; /* by the bucket of the object */

static void count(uintptr_t object, uint32_t n)
{
    __atomic_fetch_add(&waiting[waitq_bucket((const void *)object)], n, __ATOMIC_RELAXED);
    __atomic_fetch_add(&all, n, __ATOMIC_RELAXED);
}

void old_waiter_comes(struct thread *t, uintptr_t object)
{
    __atomic_store_n(&t->waits_since_before, object, __ATOMIC_RELAXED);
    count(object, 1);
}

void old_waiter_leaves(struct thread *t)
{
    uintptr_t object = __atomic_exchange_n(&t->waits_since_before, 0, __ATOMIC_RELAXED);
    if (object)
        count(object, -1u);
}

bool has_old_waiters(const void *object)
{
    return __atomic_load_n(&all, __ATOMIC_RELAXED) &&
           __atomic_load_n(&waiting[waitq_bucket(object)], __ATOMIC_RELAXED);
}
