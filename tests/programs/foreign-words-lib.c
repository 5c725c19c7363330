/*
 * Stands between the recorder and libc, and keeps the state of locks elsewhere than libc does: of the objects that
 * FOREIGN names, "mutex", "rwlock" and "once". With "stream" it has another number for a stream's descriptor, and with
 * "self" other handles for threads. Where libc has a mutex's owner, a foreign one has the first thread for good, and
 * where libc says that an rwlock is held by a writer, a foreign one always says so.
 */
#include "program.h"

#include <dlfcn.h>
#include <linux/futex.h>

static bool is_foreign(const char *what)
{
    const char *list = getenv("FOREIGN");
    return list && strstr(list, what);
}

#define NEXT(ret, name, params, args)                                                                                  \
    ({                                                                                                                 \
        static ret(*next) params;                                                                                      \
        if (!next)                                                                                                     \
            *(void **)&next = dlsym(RTLD_NEXT, #name);                                                                 \
        next args;                                                                                                     \
    })

/* Past the recorder, as libc does it. */
static void futex(int *word, int operation, int value)
{
    int saved = errno;
    NEXT(long, syscall, (long, ...), (SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0));
    errno = saved;
}

enum { FREE, TAKEN, AWAITED };

static bool try(int *state) { return __sync_bool_compare_and_swap(state, FREE, TAKEN); }

static void take(int *state)
{
    while (!try(state) && __atomic_exchange_n(state, AWAITED, __ATOMIC_SEQ_CST) != FREE)
        futex(state, FUTEX_WAIT, AWAITED);
}

static void release(int *state)
{
    if (__atomic_exchange_n(state, FREE, __ATOMIC_SEQ_CST) == AWAITED)
        futex(state, FUTEX_WAKE, 1);
}

#define TRY(name, what, type, state)                                                                                   \
    int name(type *o)                                                                                                  \
    {                                                                                                                  \
        if (!is_foreign(what))                                                                                         \
            return NEXT(int, name, (type *), (o));                                                                     \
        return try(state(o)) ? 0 : EBUSY;                                                                              \
    }
#define TAKE(name, what, type, state)                                                                                  \
    int name(type *o)                                                                                                  \
    {                                                                                                                  \
        if (!is_foreign(what))                                                                                         \
            return NEXT(int, name, (type *), (o));                                                                     \
        take(state(o));                                                                                                \
        return 0;                                                                                                      \
    }
#define RELEASE(name, what, type, state)                                                                               \
    int name(type *o)                                                                                                  \
    {                                                                                                                  \
        if (!is_foreign(what))                                                                                         \
            return NEXT(int, name, (type *), (o));                                                                     \
        release(state(o));                                                                                             \
        return 0;                                                                                                      \
    }

/* Words that libc does not use in objects of the ordinary kind, and which are 0 in new ones. */
static int *mutex_state(pthread_mutex_t *m)
{
    m->__data.__owner = getpid();
    return (int *)((char *)m + 36);
}

static int *rwlock_state(pthread_rwlock_t *l)
{
    l->__data.__readers = 1;
    return (int *)((char *)l + 40);
}

TRY(pthread_mutex_trylock, "mutex", pthread_mutex_t, mutex_state)
TAKE(pthread_mutex_lock, "mutex", pthread_mutex_t, mutex_state)
RELEASE(pthread_mutex_unlock, "mutex", pthread_mutex_t, mutex_state)
TRY(pthread_rwlock_tryrdlock, "rwlock", pthread_rwlock_t, rwlock_state)
TRY(pthread_rwlock_trywrlock, "rwlock", pthread_rwlock_t, rwlock_state)
TAKE(pthread_rwlock_rdlock, "rwlock", pthread_rwlock_t, rwlock_state)
TAKE(pthread_rwlock_wrlock, "rwlock", pthread_rwlock_t, rwlock_state)
RELEASE(pthread_rwlock_unlock, "rwlock", pthread_rwlock_t, rwlock_state)

/* 2 is a routine that runs, and 3 one that has run: the other way round than libc's. */
int pthread_once(pthread_once_t *once, void (*routine)(void))
{
    enum { RUNS = 2, HAS_RUN = 3 };
    if (!is_foreign("once"))
        return NEXT(int, pthread_once, (pthread_once_t *, void (*)(void)), (once, routine));
    if (__sync_bool_compare_and_swap(once, PTHREAD_ONCE_INIT, RUNS)) {
        routine();
        __atomic_store_n(once, HAS_RUN, __ATOMIC_SEQ_CST);
        futex(once, FUTEX_WAKE, 1000);
    }
    while (__atomic_load_n(once, __ATOMIC_SEQ_CST) != HAS_RUN)
        futex(once, FUTEX_WAIT, RUNS);
    return 0;
}

int fileno_unlocked(FILE *f) { return NEXT(int, fileno_unlocked, (FILE *), (f)) + (is_foreign("stream") ? 100 : 0); }

pthread_t pthread_self(void)
{
    return NEXT(pthread_t, pthread_self, (void), ()) + (is_foreign("self") ? (pthread_t)1 << 50 : 0);
}
