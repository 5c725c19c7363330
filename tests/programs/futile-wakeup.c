/*
 * Wakeups in vain: a lock is given up and taken again by the same thread, over and over, while others wait for it. Each
 * of them waits once, however often the kernel wakes it meanwhile.
 */
#include "program.h"

enum { WAITERS = 6, TURNS = 200 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static bool open_at_last;

static NOINLINE void *lock_waiter(void *self)
{
    introduce(self);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    NO_TAIL_CALL();
    return NULL;
}

/* It waits again after each broadcast: these are waits of its own, and they show. */
static NOINLINE void *cond_waiter(void *self)
{
    int waits = 0;
    introduce(self);
    pthread_mutex_lock(&lock);
    while (!open_at_last) {
        pthread_cond_wait(&turned, &lock);
        waits++;
    }
    pthread_mutex_unlock(&lock);
    CHECK(waits == 1);
    return NULL;
}

static void barge(void)
{
    for (int i = 0; i < TURNS; i++) {
        pthread_mutex_unlock(&lock);
        while (pthread_mutex_trylock(&lock) != 0)
            ;
    }
}

int main(void)
{
    struct thread waiters[WAITERS], sleeper;
    spawn(&sleeper, cond_waiter);
    await_asleep(&sleeper);
    pthread_mutex_lock(&lock);
    for (int i = 0; i < WAITERS; i++) {
        spawn(&waiters[i], lock_waiter);
        await_asleep(&waiters[i]);
    }
    barge();
    open_at_last = true;
    pthread_cond_broadcast(&turned);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < WAITERS; i++)
        join(&waiters[i]);
    join(&sleeper);
    printf("trace: goroutine lock_waiter %d\n", WAITERS);
    printf("trace: block lock_waiter sync * pthread_mutex_lock<lock_waiter %d\n", WAITERS);
    printf("trace: block cond_waiter sync.(*Cond).Wait main pthread_cond_wait<cond_waiter\n");
    return 0;
}
