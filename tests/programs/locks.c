/* Locks of every kind answer as they always do: robust, inheriting, shared, checking, recursive, adaptive. */
#include "program.h"

#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>

static pthread_mutex_t *made(int type, int robust, int protocol, int shared)
{
    pthread_mutex_t *m = mmap(NULL, sizeof *m, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_t attributes;
    CHECK(m != MAP_FAILED);
    CHECK(pthread_mutexattr_init(&attributes) == 0);
    CHECK(pthread_mutexattr_settype(&attributes, type) == 0);
    CHECK(pthread_mutexattr_setrobust(&attributes, robust) == 0);
    CHECK(pthread_mutexattr_setprotocol(&attributes, protocol) == 0);
    CHECK(pthread_mutexattr_setpshared(&attributes, shared) == 0);
    CHECK(pthread_mutex_init(m, &attributes) == 0);
    pthread_mutexattr_destroy(&attributes);
    return m;
}

static pthread_mutex_t *robust_lock;

static NOINLINE void *dies_holding(void *self)
{
    CHECK(pthread_mutex_lock(robust_lock) == 0);
    introduce(self);
    while (!((struct thread *)self)[1].id)
        sched_yield();
    await_asleep((struct thread *)self + 1);
    return NULL;
}

static NOINLINE void *inherits(void *self)
{
    introduce(self);
    int result = pthread_mutex_lock(robust_lock);
    printf("waiter of a dead owner: %s\n", strerrorname_np(result));
    CHECK(result == EOWNERDEAD);
    CHECK(pthread_mutex_unlock(robust_lock) == 0);
    return NULL;
}

static void robust(int protocol)
{
    robust_lock = made(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, protocol, PTHREAD_PROCESS_PRIVATE);
    struct thread pair[2] = {0};
    spawn(&pair[0], dies_holding);
    while (!atomic_load(&pair[0].tid))
        sched_yield();
    spawn(&pair[1], inherits);
    join(&pair[0]);
    join(&pair[1]);
    printf("not made consistent: %s\n", strerrorname_np(pthread_mutex_lock(robust_lock)));
    CHECK(pthread_mutex_destroy(robust_lock) == 0);
}

static void robust_between_processes(void)
{
    pthread_mutex_t *m =
        made(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE, PTHREAD_PROCESS_SHARED);
    pid_t child = fork();
    if (child == 0) {
        pthread_mutex_lock(m);
        _exit(0);
    }
    CHECK(waitpid(child, NULL, 0) == child);
    printf("owner process died: trylock %s", strerrorname_np(pthread_mutex_trylock(m)));
    printf(", consistent %d", pthread_mutex_consistent(m));
    printf(", unlock %d", pthread_mutex_unlock(m));
    printf(", lock %d\n", pthread_mutex_lock(m));
    pthread_mutex_unlock(m);
}

static void semaphore_between_processes(void)
{
    sem_t *s = mmap(NULL, 2 * sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(s != MAP_FAILED && sem_init(&s[0], 1, 0) == 0 && sem_init(&s[1], 1, 0) == 0);
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 100; i++) {
            sem_wait(&s[0]);
            sem_post(&s[1]);
        }
        _exit(0);
    }
    for (int i = 0; i < 100; i++) {
        sem_post(&s[0]);
        sem_wait(&s[1]);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    printf("semaphore between processes: %d\n", status);
}

static pthread_mutex_t *shared_lock;
static long counter;

static NOINLINE void *adds(void *arg)
{
    for (int i = 0; i < 2000; i++) {
        CHECK(pthread_mutex_lock(shared_lock) == 0);
        counter++;
        CHECK(pthread_mutex_unlock(shared_lock) == 0);
    }
    return arg;
}

static void contended(const char *what, pthread_mutex_t *m)
{
    shared_lock = m;
    counter = 0;
    struct thread t[4];
    for (int i = 0; i < 4; i++)
        spawn(&t[i], adds);
    for (int i = 0; i < 4; i++)
        join(&t[i]);
    printf("%s: %ld\n", what, counter);
    CHECK(pthread_mutex_destroy(m) == 0);
}

static void return_codes(void)
{
    pthread_mutex_t *m = made(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE, 0);
    printf("errorcheck: unlock %s", strerrorname_np(pthread_mutex_unlock(m)));
    pthread_mutex_lock(m);
    printf(", lock %s", strerrorname_np(pthread_mutex_lock(m)));
    struct timespec until = from_now(CLOCK_REALTIME, 1000);
    printf(", timedlock %s\n", strerrorname_np(pthread_mutex_timedlock(m, &until)));

    m = made(PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE, 0);
    printf("recursive: lock %d %d %d", pthread_mutex_lock(m), pthread_mutex_lock(m), pthread_mutex_trylock(m));
    printf(", unlock %d %d %d", pthread_mutex_unlock(m), pthread_mutex_unlock(m), pthread_mutex_unlock(m));
    printf(", unlock %s\n", strerrorname_np(pthread_mutex_unlock(m)));

    m = made(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE, 0);
    pthread_mutex_lock(m);
    struct timespec bad = {0, -1}, past = {0, 0};
    printf("timedlock: bad time %s", strerrorname_np(pthread_mutex_timedlock(m, &bad)));
    printf(", past %s\n", strerrorname_np(pthread_mutex_timedlock(m, &past)));
    pthread_mutex_unlock(m);

    pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
    pthread_rwlock_wrlock(&rw);
    printf("rwlock: rdlock of the writer %s", strerrorname_np(pthread_rwlock_rdlock(&rw)));
    printf(", wrlock %s", strerrorname_np(pthread_rwlock_wrlock(&rw)));
    printf(", tryrdlock %s\n", strerrorname_np(pthread_rwlock_tryrdlock(&rw)));
    pthread_rwlock_unlock(&rw);

    errno = 123;
    pthread_mutex_lock(m);
    pthread_mutex_unlock(m);
    printf("errno stays %d\n", errno);
    sem_t s;
    sem_init(&s, 0, 0);
    int result = sem_trywait(&s);
    printf("sem_trywait %d %s\n", result, strerrorname_np(errno));
    errno = 0;
    result = sem_timedwait(&s, &bad);
    printf("sem_timedwait %d %s\n", result, strerrorname_np(errno));
    printf("join itself %s", strerrorname_np(pthread_join(pthread_self(), NULL)));
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    printf(", bad priority %s\n", strerrorname_np(pthread_setschedprio(pthread_self(), 99)));
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    robust(PTHREAD_PRIO_NONE);
    robust(PTHREAD_PRIO_INHERIT);
    robust_between_processes();
    semaphore_between_processes();
    contended("priority inheritance", made(PTHREAD_MUTEX_NORMAL, 0, PTHREAD_PRIO_INHERIT, 0));
    contended("process-shared", made(PTHREAD_MUTEX_NORMAL, 0, PTHREAD_PRIO_NONE, PTHREAD_PROCESS_SHARED));
    contended("recursive", made(PTHREAD_MUTEX_RECURSIVE, 0, PTHREAD_PRIO_NONE, 0));
    contended("adaptive", made(PTHREAD_MUTEX_ADAPTIVE_NP, 0, PTHREAD_PRIO_NONE, 0));
    contended("robust", made(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE, 0));
    return_codes();
    printf("trace: goroutines %d\n", threads_spawned + 1);
    puts("trace: goroutine dies_holding 2");
    return 0;
}
