/*
 * stuck: threads that wait, each for something else, some for each other, until the input ends; and one that runs. Says
 * for each what it waits for, "NAME: what".
 */
#include "program.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/socket.h>

enum { ACCOUNTS = 2 };

static struct account {
    long money;
    pthread_mutex_t lock;
} accounts[ACCOUNTS] = {{1, PTHREAD_MUTEX_INITIALIZER}, {1, PTHREAD_MUTEX_INITIALIZER}};

static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER, again = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static sem_t slots;
static pthread_barrier_t meeting;
static pthread_t movers[2];
static int movers_hold, pipes[2], listener;
static volatile long spins;

static void call_me(const char *name) { CHECK(pthread_setname_np(pthread_self(), name) == 0); }

static NOINLINE void take_second(int i)
{
    __atomic_add_fetch(&movers_hold, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&movers_hold, __ATOMIC_SEQ_CST) < 2)
        usleep(1000);
    pthread_mutex_lock(&accounts[i].lock);
    NO_TAIL_CALL();
}

static void *mover(void *arg)
{
    int i = (int)(long)arg;
    call_me(i ? "mover 2" : "mover 1");
    pthread_mutex_lock(&accounts[i].lock);
    take_second(!i);
    return NULL;
}

static void *locks_again(void *arg)
{
    call_me("again");
    pthread_mutex_lock(&again);
    pthread_mutex_lock(&again);
    return arg;
}

static void *reads_table(void *arg)
{
    call_me("reader");
    pthread_rwlock_rdlock(&table);
    return arg;
}

static void *writes_table(void *arg)
{
    call_me("writer");
    pthread_rwlock_wrlock(&table);
    return arg;
}

static void *waits(void *arg)
{
    call_me("worker");
    pthread_mutex_lock(&queue);
    pthread_cond_wait(&filled, &queue);
    return arg;
}

static void *takes_slot(void *arg)
{
    call_me("taker");
    sem_wait(&slots);
    return arg;
}

static void *meets(void *arg)
{
    call_me("meet\033er");
    pthread_barrier_wait(&meeting);
    return arg;
}

static void *joins(void *arg)
{
    call_me("joiner");
    pthread_join(movers[0], NULL);
    return arg;
}

static void *sleeps(void *arg)
{
    call_me("sleeper");
    sleep(100000);
    return arg;
}

static void *accepts(void *arg)
{
    call_me("accepter");
    accept(listener, NULL, NULL);
    return arg;
}

static void *polls(void *arg)
{
    struct pollfd fds[] = {{listener, POLLIN, 0}, {pipes[0], POLLIN, 0}};
    call_me("poller");
    poll(fds, 2, -1);
    return arg;
}

static void *watches(void *arg)
{
    struct epoll_event ev = {.events = EPOLLIN};
    int e = epoll_create1(EPOLL_CLOEXEC);
    call_me("watcher");
    CHECK(e >= 0 && epoll_ctl(e, EPOLL_CTL_ADD, pipes[0], &ev) == 0);
    epoll_wait(e, &ev, 1, -1);
    return arg;
}

static void *spins_on(void *arg)
{
    call_me("spinner");
    for (;; spins++)
        ;
    return arg;
}

static unsigned listen_somewhere(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof a;
    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(listener >= 0 && bind(listener, (struct sockaddr *)&a, size) == 0 && listen(listener, 1) == 0);
    CHECK(getsockname(listener, (struct sockaddr *)&a, &size) == 0);
    return ntohs(a.sin_port);
}

int main(void)
{
    static void *(*const threads[])(void *) = {locks_again, reads_table, writes_table, waits,   waits,
                                               waits,       takes_slot,  meets,        joins,   sleeps,
                                               accepts,     polls,       watches,      spins_on};
    pthread_t t;
    unsigned port = listen_somewhere();
    CHECK(sem_init(&slots, 0, 0) == 0 && pthread_barrier_init(&meeting, NULL, 2) == 0 && pipe(pipes) == 0);
    CHECK(pthread_rwlock_wrlock(&table) == 0);
    for (long i = 0; i < 2; i++)
        CHECK(pthread_create(&movers[i], NULL, mover, (void *)i) == 0);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
        CHECK(pthread_create(&t, NULL, threads[i], NULL) == 0);
    puts("mover 1: waits for mutex accounts[1].lock (stuck.c:19), held by mover 2\n"
         "mover 2: waits for mutex accounts[0].lock (stuck.c:19), held by mover 1\n"
         "again: waits for mutex again (stuck.c:22), held by itself\n"
         "reader: waits for rwlock table (stuck.c:21), held by MAIN\n"
         "writer: waits for rwlock table (stuck.c:21), held by MAIN\n"
         "worker: waits for condition filled (stuck.c:23)\n"
         "worker: waits for condition filled (stuck.c:23)\n"
         "worker: waits for condition filled (stuck.c:23)\n"
         "taker: waits for semaphore slots (stuck.c:24)\n"
         "meet?er: waits for barrier meeting (stuck.c:25)\n"
         "joiner: waits for thread mover 1\n"
         "sleeper: waits for the end of its sleep");
    printf("accepter: waits for listener 127.0.0.1:%u, to accept\n", port);
    printf("poller: waits for listener 127.0.0.1:%u and 1 more\n", port);
    puts("watcher: waits for epoll of 1 descriptor\n"
         "spinner: runs\n"
         "MAIN: waits for pipe N, to read");
    fflush(stdout);
    char c;
    CHECK(read(0, &c, 1) == 0);
    _exit(0);
}
