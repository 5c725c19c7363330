/* musl: waits of each common kind, in a program that is built for musl. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "line %d: %s does not hold\n", __LINE__, #condition);                                      \
            _exit(99);                                                                                                 \
        }                                                                                                              \
    } while (0)

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static int ends[2];
static int ready;
static atomic_int waiter;

static NOINLINE void *takes(void *arg)
{
    waiter = (int)syscall(SYS_gettid);
    CHECK(!pthread_mutex_lock(&mutex));
    CHECK(!pthread_mutex_unlock(&mutex));
    return arg;
}

static NOINLINE void *awaits(void *arg)
{
    CHECK(!pthread_mutex_lock(&guard));
    waiter = (int)syscall(SYS_gettid);
    while (!ready)
        CHECK(!pthread_cond_wait(&condition, &guard));
    CHECK(!pthread_mutex_unlock(&guard));
    return arg;
}

static NOINLINE void *reads(void *arg)
{
    waiter = (int)syscall(SYS_gettid);
    CHECK(!pthread_rwlock_rdlock(&rwlock));
    CHECK(!pthread_rwlock_unlock(&rwlock));
    return arg;
}

static NOINLINE void *gets(void *arg)
{
    waiter = (int)syscall(SYS_gettid);
    while (sem_wait(&semaphore))
        ;
    return arg;
}

static NOINLINE void *receives(void *arg)
{
    char byte;
    waiter = (int)syscall(SYS_gettid);
    CHECK(read(ends[0], &byte, 1) == 1);
    return arg;
}

static char state_of(int tid)
{
    char path[64], line[512], *end;
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
    FILE *f = fopen(path, "r");
    CHECK(f && fgets(line, sizeof line, f));
    fclose(f);
    end = strrchr(line, ')');
    CHECK(end);
    return end[2];
}

static pthread_t begin(void *(*function)(void *))
{
    static const struct timespec a_while = {0, 2000000};
    pthread_t thread;
    waiter = 0;
    CHECK(!pthread_create(&thread, NULL, function, NULL));
    for (int asleep = 0; asleep < 3; asleep = waiter && state_of(waiter) == 'S' ? asleep + 1 : 0)
        nanosleep(&a_while, NULL);
    return thread;
}

static void end(pthread_t thread, const char *what)
{
    CHECK(!pthread_join(thread, NULL));
    printf("trace: block %s\n", what);
}

int main(void)
{
    CHECK(!pipe(ends) && !sem_init(&semaphore, 0, 0));
    CHECK(!pthread_mutex_lock(&mutex));
    pthread_t t = begin(takes);
    CHECK(!pthread_mutex_unlock(&mutex));
    end(t, "takes sync main pthread_mutex_lock<takes");

    t = begin(awaits);
    CHECK(!pthread_mutex_lock(&guard));
    ready = 1;
    CHECK(!pthread_cond_signal(&condition));
    CHECK(!pthread_mutex_unlock(&guard));
    end(t, "awaits sync.(*Cond).Wait main pthread_cond_wait<awaits");

    CHECK(!pthread_rwlock_wrlock(&rwlock));
    t = begin(reads);
    CHECK(!pthread_rwlock_unlock(&rwlock));
    end(t, "reads sync main pthread_rwlock_rdlock<reads");

    t = begin(gets);
    CHECK(!sem_post(&semaphore));
    end(t, "gets sync main sem_wait<gets");

    t = begin(receives);
    CHECK(write(ends[1], "x", 1) == 1);
    end(t, "receives chan_receive main read<receives");

    puts("trace: goroutines 6");
    fflush(stdout);
    return system("echo a shell") ? 1 : 0;
}
