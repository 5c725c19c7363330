/*
 * micro [-k] NAME [OPERATIONS]: does one thing many times and prints "NAME OPERATIONS NANOSECONDS cpu=NANOSECONDS",
 * the latter of the whole process. The table below says what an operation is. With -k it then kills itself.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <thrace/annotate.h>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            perror("micro: " #condition);                                                                              \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

enum { MAX_THREADS = 8 };

static long per_thread;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t conds[2] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_rwlock_t chain[3] = {PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER};
static pthread_barrier_t barrier, chained;
static sem_t sems[2];
static int pipes[2][2];
static int pair[2];
static int counters[2];
static uint32_t futex_turn;
static int turn;
static uint64_t shared = 1;

/* Some work that takes a fixed number of dependent steps, about a nanosecond each. */
static uint64_t compute(uint64_t x, int steps)
{
    for (int i = 0; i < steps; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        __asm__ volatile("" : "+r"(x));
    }
    return x;
}

static int index_of(void *arg)
{
    return (int)(intptr_t)arg;
}

static void *mutex_uncontended(void *arg)
{
    for (long i = 0; i < per_thread; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

static void *mutex_own(void *arg)
{
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    for (long i = 0; i < per_thread; i++) {
        pthread_mutex_lock(&own);
        pthread_mutex_unlock(&own);
    }
    return NULL;
}

static void *mutex_contended(void *arg)
{
    for (long i = 0; i < per_thread; i++) {
        pthread_mutex_lock(&mutex);
        shared = compute(shared, 90);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

static void *cond_pingpong(void *arg)
{
    int me = index_of(arg);
    for (long i = 0; i < per_thread; i++) {
        pthread_mutex_lock(&mutex);
        while (turn != me)
            pthread_cond_wait(&conds[me], &mutex);
        turn = !me;
        pthread_cond_signal(&conds[!me]);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

static void *cond_signal_unheard(void *arg)
{
    for (long i = 0; i < per_thread; i++)
        pthread_cond_signal(&conds[0]);
    return NULL;
}

static void *sem_pingpong(void *arg)
{
    int me = index_of(arg);
    for (long i = 0; i < per_thread; i++) {
        while (sem_wait(&sems[me]) != 0)
            ;
        sem_post(&sems[!me]);
    }
    return NULL;
}

static void *sem_uncontended(void *arg)
{
    for (long i = 0; i < per_thread; i++) {
        sem_post(&sems[1]);
        sem_wait(&sems[1]);
    }
    return NULL;
}

static void *rwlock_read(void *arg)
{
    for (long i = 0; i < per_thread; i++) {
        pthread_rwlock_rdlock(&rwlock);
        pthread_rwlock_unlock(&rwlock);
    }
    return NULL;
}

static void *rwlock_mix(void *arg)
{
    uint64_t sum = 0;
    for (long i = 0; i < per_thread; i++) {
        if ((i & 15) == index_of(arg)) {
            pthread_rwlock_wrlock(&rwlock);
            shared = compute(shared, 20);
        } else {
            pthread_rwlock_rdlock(&rwlock);
            sum += shared;
        }
        pthread_rwlock_unlock(&rwlock);
    }
    __asm__ volatile("" : : "r"(sum));
    return NULL;
}

/* Each holds a lock, wants the next one of three, which the other holds, and only then lets go of its own. */
static void *rwlock_pingpong(void *arg)
{
    long mine = index_of(arg);
    pthread_rwlock_wrlock(&chain[mine]);
    pthread_barrier_wait(&chained);
    for (long i = 0; i < per_thread; i++, mine++) {
        pthread_rwlock_wrlock(&chain[(mine + 1) % 3]);
        pthread_rwlock_unlock(&chain[mine % 3]);
    }
    pthread_rwlock_unlock(&chain[mine % 3]);
    return NULL;
}

static void *barrier_pair(void *arg)
{
    for (long i = 0; i < per_thread; i++)
        pthread_barrier_wait(&barrier);
    return NULL;
}

static void *nothing(void *arg)
{
    return arg;
}

static void *thread_churn(void *arg)
{
    for (long i = 0; i < per_thread; i++) {
        pthread_t t;
        CHECK(pthread_create(&t, NULL, nothing, NULL) == 0);
        pthread_join(t, NULL);
    }
    return NULL;
}

static void *yield(void *arg)
{
    for (long i = 0; i < per_thread; i++)
        sched_yield();
    return NULL;
}

static void *malloc_free(void *arg)
{
    enum { SLOTS = 256 };
    void *slots[SLOTS] = {0};
    uint32_t random = 12345 + (uint32_t)index_of(arg);
    for (long i = 0; i < per_thread; i++) {
        random = random * 1664525u + 1013904223u;
        unsigned k = (random >> 8) % SLOTS;
        free(slots[k]);
        slots[k] = malloc(16 + (random >> 16) % 1009);
        *(volatile char *)slots[k] = 1;
    }
    for (int i = 0; i < SLOTS; i++)
        free(slots[i]);
    return NULL;
}

static void *read_byte(void *arg)
{
    char byte;
    int fd = open("/dev/zero", O_RDONLY);
    CHECK(fd >= 0);
    for (long i = 0; i < per_thread; i++)
        CHECK(read(fd, &byte, 1) == 1);
    close(fd);
    return NULL;
}

static void *pipe_pingpong(void *arg)
{
    int me = index_of(arg);
    char byte = 1;
    for (long i = 0; i < per_thread; i++) {
        if (me == 0)
            CHECK(write(pipes[0][1], &byte, 1) == 1);
        CHECK(read(pipes[!me][0], &byte, 1) == 1);
        if (me == 1)
            CHECK(write(pipes[1][1], &byte, 1) == 1);
    }
    return NULL;
}

static void *write_byte(void *arg)
{
    char byte = 0;
    int fd = open("/dev/null", O_WRONLY);
    CHECK(fd >= 0);
    for (long i = 0; i < per_thread; i++)
        CHECK(write(fd, &byte, 1) == 1);
    close(fd);
    return NULL;
}

static void *socket_pingpong(void *arg)
{
    int me = index_of(arg), fd = pair[me];
    char byte = 1;
    for (long i = 0; i < per_thread; i++) {
        if (me == 0)
            CHECK(send(fd, &byte, 1, 0) == 1);
        CHECK(recv(fd, &byte, 1, 0) == 1);
        if (me == 1)
            CHECK(send(fd, &byte, 1, 0) == 1);
    }
    return NULL;
}

/* Each waits for its own counter by way of epoll, as event loops are woken. */
static void *epoll_pingpong(void *arg)
{
    int me = index_of(arg), epoll = epoll_create1(0);
    struct epoll_event e = {.events = EPOLLIN};
    uint64_t n = 1;
    CHECK(epoll >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, counters[me], &e) == 0);
    for (long i = 0; i < per_thread; i++) {
        if (me == 0)
            CHECK(write(counters[!me], &n, sizeof n) == sizeof n);
        CHECK(epoll_wait(epoll, &e, 1, -1) == 1 && read(counters[me], &n, sizeof n) == sizeof n);
        if (me == 1)
            CHECK(write(counters[!me], &n, sizeof n) == sizeof n);
    }
    close(epoll);
    return NULL;
}

/* As runtimes with locks of their own do: libc's syscall, never its locks. */
static void *futex_pingpong(void *arg)
{
    uint32_t me = (uint32_t)index_of(arg), now;
    for (long i = 0; i < per_thread; i++) {
        while ((now = __atomic_load_n(&futex_turn, __ATOMIC_ACQUIRE)) != me)
            syscall(SYS_futex, &futex_turn, FUTEX_WAIT_PRIVATE, now, NULL, NULL, 0);
        __atomic_store_n(&futex_turn, !me, __ATOMIC_RELEASE);
        syscall(SYS_futex, &futex_turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
    return NULL;
}

static void *region(void *arg)
{
    for (long i = 0; i < per_thread; i++) {
        THRACE_REGION("region");
    }
    return NULL;
}

static const struct bench {
    const char *name;
    const char *operation;
    void *(*run)(void *);
    int threads;
    int ops_of_each; /* 1: the threads share each operation; 0: each does its part of them */
    long ops;
} benches[] = {
    {"mutex-uncontended", "lock and unlock, one thread", mutex_uncontended, 1, 0, 20000000},
    {"mutex-own", "lock and unlock, two threads with a mutex each", mutex_own, 2, 0, 20000000},
    {"mutex-contended", "lock, 100 ns of work, unlock, four threads", mutex_contended, 4, 0, 1000000},
    {"cond-pingpong", "round trip between two threads", cond_pingpong, 2, 1, 100000},
    {"cond-signal-unheard", "signal that nobody waits for", cond_signal_unheard, 1, 0, 20000000},
    {"sem-pingpong", "round trip between two threads", sem_pingpong, 2, 1, 100000},
    {"sem-uncontended", "post and wait, one thread", sem_uncontended, 1, 0, 10000000},
    {"rwlock-read", "read lock and unlock, one thread", rwlock_read, 1, 0, 10000000},
    {"rwlock-mix", "lock and unlock, four threads, one of 16 writes", rwlock_mix, 4, 0, 1000000},
    {"rwlock-pingpong", "round trip between two threads that write-lock by turns", rwlock_pingpong, 2, 1, 100000},
    {"barrier", "meeting of two threads", barrier_pair, 2, 1, 100000},
    {"pipe-pingpong", "round trip between two threads over two pipes", pipe_pingpong, 2, 1, 100000},
    {"thread-churn", "create and join", thread_churn, 1, 0, 20000},
    {"yield", "sched_yield, one thread", yield, 1, 0, 1000000},
    {"malloc-free", "malloc of 16 to 1,024 bytes and free", malloc_free, 1, 0, 10000000},
    {"malloc-free-4", "the same, four threads", malloc_free, 4, 0, 10000000},
    {"region", "region begun and ended by thrace/annotate.h, one thread", region, 1, 0, 10000000},
    {"read-byte", "read of one byte of /dev/zero", read_byte, 1, 0, 2000000},
    {"read-byte-2", "the same, two threads with a descriptor each", read_byte, 2, 0, 4000000},
    {"write-byte", "write of one byte to /dev/null", write_byte, 1, 0, 2000000},
    {"socket-pingpong", "round trip between two threads over a pair of sockets", socket_pingpong, 2, 1, 100000},
    {"epoll-pingpong", "round trip between two threads that wait for eventfds by epoll", epoll_pingpong, 2, 1, 100000},
    {"futex-pingpong", "round trip between two threads by syscall(SYS_futex)", futex_pingpong, 2, 1, 100000},
};
enum { BENCHES = sizeof benches / sizeof benches[0] };

static uint64_t now(clockid_t clock)
{
    struct timespec ts;
    clock_gettime(clock, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void measure(const struct bench *b, long ops)
{
    pthread_t threads[MAX_THREADS];
    per_thread = b->ops_of_each ? ops : ops / b->threads;
    CHECK(sem_init(&sems[0], 0, 1) == 0 && sem_init(&sems[1], 0, 0) == 0);
    CHECK(pthread_barrier_init(&barrier, NULL, 2) == 0);
    CHECK(pipe(pipes[0]) == 0 && pipe(pipes[1]) == 0);
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    CHECK((counters[0] = eventfd(0, 0)) >= 0 && (counters[1] = eventfd(0, 0)) >= 0);
    CHECK(pthread_barrier_init(&chained, NULL, 2) == 0);
    uint64_t start = now(CLOCK_MONOTONIC), start_cpu = now(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < b->threads; i++)
        CHECK(pthread_create(&threads[i], NULL, b->run, (void *)(intptr_t)i) == 0);
    for (int i = 0; i < b->threads; i++)
        pthread_join(threads[i], NULL);
    uint64_t taken = now(CLOCK_MONOTONIC) - start, cpu = now(CLOCK_PROCESS_CPUTIME_ID) - start_cpu;
    printf("%s %ld %llu cpu=%llu\n", b->name, b->ops_of_each ? ops : per_thread * b->threads,
           (unsigned long long)taken, (unsigned long long)cpu);
}

int main(int argc, char **argv)
{
    bool kill_at_end = argc > 1 && !strcmp(argv[1], "-k");
    argc -= kill_at_end;
    argv += kill_at_end;
    if (argc == 1 || !strcmp(argv[1], "-h")) {
        puts("usage: micro [-k] NAME [OPERATIONS]\n");
        for (int i = 0; i < BENCHES; i++)
            printf("  %-20s %9ld  %s\n", benches[i].name, benches[i].ops, benches[i].operation);
        return argc == 1 ? 2 : 0;
    }
    for (int i = 0; i < BENCHES; i++)
        if (!strcmp(argv[1], benches[i].name)) {
            long ops = argc > 2 ? atol(argv[2]) : benches[i].ops;
            CHECK(ops > 0);
            measure(&benches[i], ops);
            fflush(stdout);
            if (kill_at_end)
                raise(SIGKILL);
            return 0;
        }
    fprintf(stderr, "micro: no benchmark \"%s\"; -h lists them\n", argv[1]);
    return 2;
}
