/* The waits of known-waits that end with time, and what is no wait at all. */
#include "known-waits.h"

#include <semaphore.h>

/* --- timed waits that time out ----------------------------------------------------------------------------------- */

static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t busy = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t busy_rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t empty;

static NOINLINE void *impatient(void *self)
{
    introduce(self);
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&own);
    struct timespec until = from_now(CLOCK_REALTIME, 20);
    CHECK(pthread_cond_timedwait(&never, &own, &until) == ETIMEDOUT);
    until = from_now(CLOCK_MONOTONIC, 20);
    CHECK(pthread_cond_clockwait(&never, &own, CLOCK_MONOTONIC, &until) == ETIMEDOUT);
    pthread_mutex_unlock(&own);

    until = from_now(CLOCK_REALTIME, 20);
    CHECK(pthread_mutex_timedlock(&busy, &until) == ETIMEDOUT);
    until = from_now(CLOCK_MONOTONIC, 20);
    CHECK(pthread_mutex_clocklock(&busy, CLOCK_MONOTONIC, &until) == ETIMEDOUT);

    until = from_now(CLOCK_REALTIME, 20);
    CHECK(pthread_rwlock_timedrdlock(&busy_rwlock, &until) == ETIMEDOUT);
    until = from_now(CLOCK_MONOTONIC, 20);
    CHECK(pthread_rwlock_clockwrlock(&busy_rwlock, CLOCK_MONOTONIC, &until) == ETIMEDOUT);

    until = from_now(CLOCK_REALTIME, 20);
    CHECK(sem_timedwait(&empty, &until) == -1 && errno == ETIMEDOUT);
    until = from_now(CLOCK_MONOTONIC, 20);
    CHECK(sem_clockwait(&empty, CLOCK_MONOTONIC, &until) == -1 && errno == ETIMEDOUT);
    return NULL;
}

void timeouts(void)
{
    static const char *const sync_calls[] = {"pthread_mutex_timedlock",    "pthread_mutex_clocklock",
                                             "pthread_rwlock_timedrdlock", "pthread_rwlock_clockwrlock",
                                             "sem_timedwait",              "sem_clockwait"};
    struct thread t;
    CHECK(sem_init(&empty, 0, 0) == 0);
    pthread_mutex_lock(&busy);
    pthread_rwlock_wrlock(&busy_rwlock);
    spawn(&t, impatient);
    join(&t);
    pthread_rwlock_unlock(&busy_rwlock);
    pthread_mutex_unlock(&busy);
    sem_destroy(&empty);
    puts("trace: block impatient sync.(*Cond).Wait self pthread_cond_timedwait<impatient");
    puts("trace: block impatient sync.(*Cond).Wait self pthread_cond_clockwait<impatient");
    for (size_t i = 0; i < sizeof sync_calls / sizeof sync_calls[0]; i++)
        printf("trace: block impatient sync self %s<impatient\n", sync_calls[i]);
}

/* --- sleeps, and what is no wait at all --------------------------------------------------------------------------- */

static NOINLINE void *sleeper(void *self)
{
    introduce(self);
    struct timespec ts = {0, 20000000};
    nanosleep(&ts, NULL);
    clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
    usleep(20000);
    return NULL;
}

static NOINLINE void *uncontended(void *self)
{
    introduce(self);
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
    pthread_rwlock_t own_rwlock = PTHREAD_RWLOCK_INITIALIZER;
    pthread_cond_t own_cond = PTHREAD_COND_INITIALIZER;
    sem_t own_sem;
    CHECK(sem_init(&own_sem, 0, 0) == 0);
    pthread_mutex_lock(&other);
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_lock(&own);
        CHECK(pthread_mutex_trylock(&other) == EBUSY);
        pthread_cond_signal(&own_cond);
        pthread_mutex_unlock(&own);
        pthread_rwlock_rdlock(&own_rwlock);
        CHECK(pthread_rwlock_trywrlock(&own_rwlock) == EBUSY);
        pthread_rwlock_unlock(&own_rwlock);
        CHECK(sem_trywait(&own_sem) == -1 && errno == EAGAIN);
        sem_post(&own_sem);
        sem_wait(&own_sem);
    }
    pthread_mutex_unlock(&other);
    sem_destroy(&own_sem);
    return NULL;
}

void sleeps(void)
{
    struct thread s, u;
    spawn(&s, sleeper);
    spawn(&u, uncontended);
    join(&s);
    join(&u);
    puts("trace: block sleeper sleep self nanosleep<sleeper");
    puts("trace: block sleeper sleep self clock_nanosleep<sleeper");
    puts("trace: block sleeper sleep self usleep<sleeper");
    puts("trace: quiet uncontended");
}

int timed_threads(void) { return threads_spawned; }
