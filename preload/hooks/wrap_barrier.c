/*
 * Barriers. Whoever arrives waits, but for the last one, who wakes the others. That it is the last one only the number
 * given to pthread_barrier_init tells, so those numbers are kept here, by address. Of a barrier that is not in the
 * table (made before us, shared with another process, table full) every waiter wakes itself in the trace.
 */
#include "preload/wrapper.h"

enum { BARRIERS = 1024 };

static struct barrier {
    const void *address; /* NULL: free */
    uint32_t count;
    uint32_t arrived; /* in this round */
} barriers[BARRIERS];

static struct barrier *find(const void *address)
{
    for (uint32_t n = 0, i = waitq_bucket(address) % BARRIERS; n < BARRIERS; n++, i = (i + 1) % BARRIERS)
        if (__atomic_load_n(&barriers[i].address, __ATOMIC_ACQUIRE) == address)
            return &barriers[i];
    return NULL;
}

static void forget(const void *address)
{
    struct barrier *b = find(address);
    if (b)
        __atomic_store_n(&b->address, NULL, __ATOMIC_RELEASE);
}

static void remember(const void *address, uint32_t count)
{
    static const char reserved;
    for (uint32_t n = 0, i = waitq_bucket(address) % BARRIERS; n < BARRIERS; n++, i = (i + 1) % BARRIERS) {
        const void *none = NULL;
        if (!__atomic_compare_exchange_n(&barriers[i].address, &none, &reserved, false, __ATOMIC_ACQUIRE,
                                         __ATOMIC_RELAXED))
            continue;
        barriers[i].count = count;
        barriers[i].arrived = 0;
        __atomic_store_n(&barriers[i].address, address, __ATOMIC_RELEASE);
        return;
    }
}

EXPORT int pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *attr, unsigned count)
{
    int ret = real.pthread_barrier_init(b, attr, count);
    int shared = PTHREAD_PROCESS_PRIVATE;
    if (attr)
        pthread_barrierattr_getpshared(attr, &shared);
    forget(b);
    if (!ret && shared == PTHREAD_PROCESS_PRIVATE)
        remember(b, count);
    if (!ret)
        NOTE_MADE(pthread_barrier_init, b);
    return ret;
}

EXPORT int pthread_barrier_destroy(pthread_barrier_t *b)
{
    forget(b);
    note_unmade(b);
    return real.pthread_barrier_destroy(b);
}

/* Counts the caller in; true when it completes the round. */
static bool arrive(const void *address)
{
    struct barrier *b = find(address);
    if (!b)
        return false;
    uint32_t n = __atomic_add_fetch(&b->arrived, 1, __ATOMIC_ACQ_REL);
    return n % b->count == 0;
}

EXPORT int pthread_barrier_wait(pthread_barrier_t *b)
{
    WAIT_SCOPE w = {.t = NULL};
    struct hook h;
    bool last = arrive(b);
    if (wrapped(CLASS_SYNC) && HOOK_ENTER(&h, pthread_barrier_wait)) {
        if (last) {
            wake_all(&h, b, WAITER_ANY);
            hook_leave(&h);
        } else {
            hook_waits_for(&h, OBJECT_BARRIER, b);
            wait_register(&h, b, WAITER_ANY);
            while (!wait_block(&h, &w, REASON_SYNC))
                ;
        }
    }
    return real.pthread_barrier_wait(b);
}
