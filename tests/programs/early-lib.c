/*
 * A library that is busy before anybody else's constructor has run: an IFUNC resolver that allocates, and a constructor
 * that locks, waits and starts threads. The loader runs it before the constructor of what is preloaded. Traps 1 and 4.
 */
#include "program.h"

#include <semaphore.h>

int early_result(void);
int early_threads(void);
int chosen(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static int result;

static int from_malloc(void)
{
    return 42;
}

static int without_malloc(void)
{
    return 0;
}

static __attribute__((used)) int (*resolve_chosen(void))(void)
{
    void *p = malloc(100);
    bool got = p;
    free(p);
    return got ? from_malloc : without_malloc;
}

int chosen(void) __attribute__((ifunc("resolve_chosen")));

static NOINLINE void *early_thread(void *self)
{
    introduce(self);
    pthread_mutex_lock(&lock);
    result++;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&lock);
    sem_post(&sem);
    return NULL;
}

__attribute__((constructor)) static void before_everybody(void)
{
    struct thread t;
    CHECK(sem_init(&sem, 0, 0) == 0);
    pthread_mutex_lock(&lock);
    spawn(&t, early_thread);
    while (result == 0)
        pthread_cond_wait(&cond, &lock);
    pthread_mutex_unlock(&lock);
    sem_wait(&sem);
    join(&t);
    sched_yield();
    milliseconds(1);
}

int early_result(void)
{
    return result;
}

int early_threads(void)
{
    return threads_spawned;
}
