/* Cancels threads in every wait that is a cancellation point, then many at any point at all. */
#include "program.h"

#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t empty;
static atomic_int cleanups;
static atomic_bool over; /* never set: only cancellation ends the threads */
static struct thread forever_thread;

static void unlock_after(void *held)
{
    atomic_fetch_add(&cleanups, 1);
    if (held)
        CHECK(pthread_mutex_unlock(held) == 0);
}

/* A start routine that makes the call for ever, with a cleanup handler that unlocks what is held meanwhile. */
#define WAITER(name, before, held, call)                                                                               \
    static NOINLINE void *name(void *self)                                                                             \
    {                                                                                                                  \
        introduce(self);                                                                                               \
        before;                                                                                                        \
        pthread_cleanup_push(unlock_after, held);                                                                      \
        while (!atomic_load(&over))                                                                                    \
            call;                                                                                                      \
        pthread_cleanup_pop(0);                                                                                        \
        return NULL;                                                                                                   \
    }
#define COND_WAITER(name, call) WAITER(name, pthread_mutex_lock(&lock), &lock, call)
#define PLAIN_WAITER(name, call) WAITER(name, (void)0, NULL, call)

static const struct timespec hour = {3600, 0};
static struct timespec later, later_mono;

COND_WAITER(in_cond_wait, pthread_cond_wait(&never, &lock))
COND_WAITER(in_cond_timedwait, pthread_cond_timedwait(&never, &lock, &later))
COND_WAITER(in_cond_clockwait, pthread_cond_clockwait(&never, &lock, CLOCK_MONOTONIC, &later_mono))
PLAIN_WAITER(in_sem_wait, sem_wait(&empty))
PLAIN_WAITER(in_sem_timedwait, sem_timedwait(&empty, &later))
PLAIN_WAITER(in_sem_clockwait, sem_clockwait(&empty, CLOCK_MONOTONIC, &later_mono))
PLAIN_WAITER(in_nanosleep, nanosleep(&hour, NULL))
PLAIN_WAITER(in_clock_nanosleep, clock_nanosleep(CLOCK_MONOTONIC, 0, &hour, NULL))
PLAIN_WAITER(in_sleep, sleep(3600))
PLAIN_WAITER(in_usleep, usleep(999999))
PLAIN_WAITER(in_join, pthread_join(forever_thread.id, NULL))
PLAIN_WAITER(in_testcancel, (sched_yield(), pthread_testcancel()))
PLAIN_WAITER(in_pause, pause())

static NOINLINE void *forever(void *self)
{
    introduce(self);
    pause();
    return NULL;
}

static void *(*const waiters[])(void *) = {
    in_cond_wait,  in_cond_timedwait,  in_cond_clockwait, in_sem_wait, in_sem_timedwait, in_sem_clockwait,
    in_nanosleep,  in_clock_nanosleep, in_sleep,          in_usleep,   in_join,          in_testcancel,
    in_pause,
};
enum { WAITERS = sizeof waiters / sizeof waiters[0], STORM = 200 };

/* Cancelled wherever it is: in the middle of a hook, too. */
static NOINLINE void *storm(void *self)
{
    sem_t own;
    CHECK(sem_init(&own, 0, 0) == 0);
    CHECK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL) == 0);
    introduce(self);
    while (!atomic_load(&over)) {
        sched_yield();
        sem_trywait(&own);
        sem_post(&own);
    }
    return NULL;
}

static void cancel(struct thread *t)
{
    void *result = NULL;
    CHECK(pthread_cancel(t->id) == 0);
    CHECK(pthread_join(t->id, &result) == 0 && result == PTHREAD_CANCELED);
}

int main(void)
{
    CHECK(sem_init(&empty, 0, 0) == 0);
    later = from_now(CLOCK_REALTIME, 3600000);
    later_mono = from_now(CLOCK_MONOTONIC, 3600000);
    spawn(&forever_thread, forever);
    for (int i = 0; i < WAITERS; i++) {
        struct thread t;
        spawn(&t, waiters[i]);
        if (waiters[i] != in_testcancel && waiters[i] != in_usleep)
            await_asleep(&t);
        else
            while (!atomic_load(&t.tid))
                sched_yield();
        cancel(&t);
        /* Cancelled or not, the lock must be free now. */
        CHECK(pthread_mutex_trylock(&lock) == 0 && pthread_mutex_unlock(&lock) == 0);
    }
    printf("%d cleanups\n", cleanups);

    for (int i = 0; i < STORM; i += 8) {
        struct thread t[8];
        for (int j = 0; j < 8; j++)
            spawn(&t[j], storm);
        for (int j = 0; j < 8; j++) {
            while (!atomic_load(&t[j].tid))
                sched_yield();
            for (int k = i * j % 7; k > 0; k--)
                sched_yield();
            cancel(&t[j]);
        }
    }
    cancel(&forever_thread);

    printf("trace: goroutines %d\n", threads_spawned + 1);
    printf("trace: goroutine storm %d\n", STORM);
    puts("trace: alive storm 0");
    puts("trace: goroutine in_cond_wait 1");
    puts("trace: alive in_cond_wait 0");
    puts("trace: alive in_join 0");
    puts("trace: alive main 1");
    return 0;
}
