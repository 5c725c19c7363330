/*
 * The last actions of threads: waits in a destructor of thread-specific data, and in the last one that libc calls.
 */
#include "program.h"

#include <limits.h>
#include <semaphore.h>

static pthread_key_t key;
static sem_t may_end;

static NOINLINE void destructor(void *arg)
{
    (void)arg;
    sem_wait(&may_end);
    NO_TAIL_CALL();
}

static NOINLINE void *ends_late(void *self)
{
    introduce(self);
    pthread_setspecific(key, self);
    return NULL;
}

static void wait_in_destructor(void)
{
    struct thread t;
    CHECK(!sem_init(&may_end, 0, 0) && !pthread_key_create(&key, destructor));
    spawn(&t, ends_late);
    await_asleep(&t);
    sem_post(&may_end);
    while (thread_state(atomic_load(&t.tid)))
        sched_yield();
    /* A bad clock is one also where nobody has to wait. */
    struct timespec until = from_now(CLOCK_MONOTONIC, 600000);
    CHECK(pthread_clockjoin_np(t.id, NULL, CLOCK_THREAD_CPUTIME_ID, &until) == EINVAL);
    join(&t);
    puts("trace: block ends_late sync main sem_wait<destructor");
}

/* Libc calls destructors in this many rounds, ours first in each: in the last one nothing of the thread is recorded. */
static pthread_key_t last_key;
static __thread int calls_of_destructor;
static sem_t in_last_round, may_leave, meanwhile;

static NOINLINE void last_destructor(void *arg)
{
    if (++calls_of_destructor < PTHREAD_DESTRUCTOR_ITERATIONS) {
        pthread_setspecific(last_key, arg);
        return;
    }
    introduce(arg);
    sem_post(&in_last_round);
    sem_wait(&may_leave);
    sem_wait(&may_leave);
    NO_TAIL_CALL();
}

static NOINLINE void *ends_last(void *self)
{
    pthread_setspecific(last_key, self);
    return NULL;
}

static NOINLINE void *begins_meanwhile(void *self)
{
    introduce(self);
    sem_wait(&meanwhile);
    NO_TAIL_CALL();
    return NULL;
}

static void wait_in_last_round(void)
{
    struct thread t, other;
    CHECK(!sem_init(&in_last_round, 0, 0) && !sem_init(&may_leave, 0, 0) && !sem_init(&meanwhile, 0, 0));
    CHECK(!pthread_key_create(&last_key, last_destructor));
    spawn(&t, ends_last);
    sem_wait(&in_last_round);
    await_asleep(&t);
    spawn(&other, begins_meanwhile);
    await_asleep(&other);
    sem_post(&may_leave);
    await_asleep(&t);
    sem_post(&meanwhile);
    join(&other);
    sem_post(&may_leave);
    join(&t);
    puts("trace: quiet ends_last");
    puts("trace: block begins_meanwhile sync main sem_wait<begins_meanwhile");
}

int main(void)
{
    wait_in_destructor();
    wait_in_last_round();
    printf("trace: goroutines %d\n", 1 + threads_spawned);
    return 0;
}
