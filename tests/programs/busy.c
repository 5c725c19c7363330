/* busy THREADS SECONDS: threads that lock, wait, sleep, yield and compute as fast as they can. */
#include "program.h"

#include <semaphore.h>

enum { LOCKS = 4, MAX_THREADS = 256 };
static pthread_mutex_t locks[LOCKS];
static pthread_cond_t conds[LOCKS];
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t sem;
static atomic_bool over;
static atomic_ulong work;

static unsigned next(unsigned *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 16;
}

static NOINLINE void lock_some(unsigned which)
{
    pthread_mutex_lock(&locks[which]);
    atomic_fetch_add(&work, 1);
    pthread_mutex_unlock(&locks[which]);
    NO_TAIL_CALL();
}

static NOINLINE void wait_some(unsigned which)
{
    struct timespec until = from_now(CLOCK_REALTIME, 1);
    pthread_mutex_lock(&locks[which]);
    pthread_cond_timedwait(&conds[which], &locks[which], &until);
    pthread_mutex_unlock(&locks[which]);
    NO_TAIL_CALL();
}

static NOINLINE void read_or_write(unsigned which)
{
    if (which % 8)
        pthread_rwlock_rdlock(&rwlock);
    else
        pthread_rwlock_wrlock(&rwlock);
    atomic_fetch_add(&work, 1);
    pthread_rwlock_unlock(&rwlock);
    NO_TAIL_CALL();
}

static NOINLINE void *busy(void *self)
{
    introduce(self);
    unsigned state = (unsigned)atomic_load(&((struct thread *)self)->tid);
    while (!atomic_load(&over)) {
        unsigned dice = next(&state), which = next(&state) % LOCKS;
        switch (dice % 8) {
        case 0: wait_some(which); break;
        case 1: pthread_cond_broadcast(&conds[which]); break;
        case 2: read_or_write(next(&state)); break;
        case 3: sem_post(&sem); break;
        case 4: sem_trywait(&sem); break;
        case 5: sched_yield(); break;
        default: lock_some(which);
        }
        for (volatile unsigned i = dice % 512; i > 0; i--)
            ;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 64;
    long seconds = argc > 2 ? atol(argv[2]) : 1;
    struct thread t[MAX_THREADS];
    CHECK(threads > 0 && threads <= MAX_THREADS);
    CHECK(sem_init(&sem, 0, 0) == 0);
    for (int i = 0; i < LOCKS; i++) {
        pthread_mutex_init(&locks[i], NULL);
        pthread_cond_init(&conds[i], NULL);
    }
    for (int i = 0; i < threads; i++)
        spawn(&t[i], busy);
    milliseconds(seconds * 1000);
    atomic_store(&over, true);
    for (int i = 0; i < threads; i++)
        join(&t[i]);
    CHECK(atomic_load(&work) > 0);
    printf("trace: goroutines %d\n", threads + 1);
    printf("trace: goroutine busy %d\n", threads);
    return 0;
}
