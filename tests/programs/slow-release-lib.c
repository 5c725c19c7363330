/*
 * Stands between the recorder and libc, and makes a release slow: a thread that finds the mutex taken for the second
 * time, being known as a waiter then, lets its owner go on to the unlock; and that takes effect when the waiter has
 * looked some more times, or gives up looking and waits. release_watch says which mutex.
 */
#include "program.h"

#include <dlfcn.h>

enum { LOOKS_UNTIL_RELEASE = 6 };

static pthread_mutex_t *_Atomic watched;
static atomic_int looks;
static atomic_bool waits, releasing, released;

void release_watch(pthread_mutex_t *m);

/* The owner, before its unlock: until somebody is known to wait. */
void release_watch(pthread_mutex_t *m)
{
    atomic_store(&watched, m);
    while (atomic_load(&looks) < 2)
        sched_yield();
}

int pthread_mutex_trylock(pthread_mutex_t *m)
{
    static int (*next)(pthread_mutex_t *);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "pthread_mutex_trylock");
    int ret = next(m);
    if (m != atomic_load(&watched) || ret != EBUSY)
        return ret;
    int look = atomic_fetch_add(&looks, 1) + 1;
    while (look == 2 && !atomic_load(&releasing))
        sched_yield();
    while (look == LOOKS_UNTIL_RELEASE && !atomic_load(&released))
        sched_yield();
    return look == LOOKS_UNTIL_RELEASE ? next(m) : ret;
}

int pthread_mutex_lock(pthread_mutex_t *m)
{
    static int (*next)(pthread_mutex_t *);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "pthread_mutex_lock");
    if (m == atomic_load(&watched))
        atomic_store(&waits, true);
    return next(m);
}

int pthread_mutex_unlock(pthread_mutex_t *m)
{
    static int (*next)(pthread_mutex_t *);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
    if (m == atomic_load(&watched)) {
        atomic_store(&releasing, true);
        while (atomic_load(&looks) < LOOKS_UNTIL_RELEASE && !atomic_load(&waits))
            sched_yield();
        atomic_store(&watched, NULL);
        int ret = next(m);
        atomic_store(&released, true);
        return ret;
    }
    return next(m);
}
