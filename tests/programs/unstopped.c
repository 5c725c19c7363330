/*
 * unstopped: threads that wait in system calls of all kinds and end the program if one fails with EINTR, until the
 * input ends. Those calls that fail when a thread is stopped are entered once and not left; the others again and again.
 * Some go through syscall(2): unlike the functions of their own, it leaves the frame pointer where it is.
 */
#include "program.h"

#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ipc.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>

enum { MOMENT_NS = 3000000, ENTER_MS = 100, SIGSET_BYTES = 8, MUCH = 1 << 20 };

static int over, entered;
static int event, watched, sockets[2], semaphores, pipes[2], crowded[2];

static bool goes_on(void) { return !__atomic_load_n(&over, __ATOMIC_SEQ_CST); }
static void enters(void) { __atomic_add_fetch(&entered, 1, __ATOMIC_SEQ_CST); }

/* --- once --------------------------------------------------------------------------------------------------------- */

static NOINLINE void *watches(void *arg)
{
    struct epoll_event ev;
    enters();
    CHECK(epoll_wait(watched, &ev, 1, -1) == 1);
    return arg;
}

static NOINLINE void *receives(void *arg)
{
    char c;
    enters();
    CHECK(syscall(SYS_recvfrom, sockets[0], &c, 1, 0, NULL, NULL) == 1);
    return arg;
}

static NOINLINE void *takes(void *arg)
{
    struct sembuf take = {0, -1, 0};
    enters();
    CHECK(syscall(SYS_semop, semaphores, &take, 1) == 0);
    return arg;
}

static NOINLINE void *awaits_signal(void *arg)
{
    const struct timespec long_time = {1000, 0};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    enters();
    CHECK(syscall(SYS_rt_sigtimedwait, &set, NULL, &long_time, SIGSET_BYTES) == SIGUSR1);
    return arg;
}

/* A write that was stopped with a part of it done would end with that. */
static NOINLINE void *writes_much(void *arg)
{
    static char much[MUCH];
    enters();
    CHECK(syscall(SYS_write, crowded[1], much, sizeof much) == sizeof much);
    return arg;
}

/* --- again and again ---------------------------------------------------------------------------------------------- */

static NOINLINE void *sleeps(void *arg)
{
    const struct timespec moment = {0, MOMENT_NS};
    while (goes_on())
        CHECK(nanosleep(&moment, NULL) == 0);
    return arg;
}

static NOINLINE void *polls(void *arg)
{
    struct pollfd fd = {pipes[1], POLLIN, 0};
    while (goes_on())
        CHECK(poll(&fd, 1, MOMENT_NS / 1000000) == 0);
    return arg;
}

static NOINLINE void *selects(void *arg)
{
    while (goes_on()) {
        struct timeval moment = {0, MOMENT_NS / 1000};
        CHECK(select(0, NULL, NULL, NULL, &moment) == 0);
    }
    return arg;
}

static NOINLINE void *reads(void *arg)
{
    char c;
    while (goes_on())
        CHECK(read(pipes[0], &c, 1) == 1);
    return arg;
}

static NOINLINE void *writes(void *arg)
{
    const struct timespec moment = {0, MOMENT_NS};
    while (goes_on()) {
        nanosleep(&moment, NULL);
        CHECK(write(pipes[1], "x", 1) == 1);
    }
    CHECK(write(pipes[1], "x", 1) == 1);
    return arg;
}

static NOINLINE void *waits_timed(void *arg)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
    pthread_mutex_lock(&lock);
    while (goes_on()) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += MOMENT_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        CHECK(pthread_cond_timedwait(&never, &lock, &until) == ETIMEDOUT);
    }
    pthread_mutex_unlock(&lock);
    return arg;
}

/* What it computes depends on all its registers. */
static NOINLINE void *computes(void *arg)
{
    while (goes_on()) {
        uint64_t a = 1, b = 2, c = 3, d = 5;
        for (int i = 0; i < 100000; i++) {
            a = a * 31 + b;
            b = (b ^ a) + c;
            c = c * 17 + d;
            d = (d << 7 | d >> 57) ^ a;
        }
        static uint64_t first;
        uint64_t sum = a ^ b ^ c ^ d, none = 0;
        if (!__atomic_compare_exchange_n(&first, &none, sum, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            CHECK(none == sum);
        sched_yield();
    }
    return arg;
}

int main(void)
{
    static void *(*const threads[])(void *) = {watches, receives, takes, awaits_signal, writes_much, sleeps,
                                               polls,   selects,  reads, writes,        waits_timed, computes};
    enum { THREADS = sizeof threads / sizeof *threads, ONCE = 5, SIGNALLED = 3 };
    const struct timeval long_time = {1000, 0};
    struct epoll_event ev = {.events = EPOLLIN};
    struct sembuf give = {0, 1, 0};
    pthread_t t[THREADS];
    sigset_t set;
    char c;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    event = eventfd(0, EFD_CLOEXEC);
    watched = epoll_create1(EPOLL_CLOEXEC);
    CHECK(event >= 0 && watched >= 0 && epoll_ctl(watched, EPOLL_CTL_ADD, event, &ev) == 0);
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0 && pipe(pipes) == 0 && pipe(crowded) == 0);
    CHECK(setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &long_time, sizeof long_time) == 0);
    semaphores = semget(IPC_PRIVATE, 1, 0600);
    CHECK(semaphores >= 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&t[i], NULL, threads[i], NULL) == 0);
    while (__atomic_load_n(&entered, __ATOMIC_SEQ_CST) < ONCE)
        usleep(1000);
    usleep(ENTER_MS * 1000); /* nobody can see that they are in their calls but who looks from outside */
    puts("ready");
    fflush(stdout);
    CHECK(read(0, &c, 1) == 0);

    __atomic_store_n(&over, 1, __ATOMIC_SEQ_CST);
    uint64_t one = 1;
    CHECK(write(event, &one, sizeof one) == sizeof one && send(sockets[1], "x", 1, 0) == 1);
    CHECK(semop(semaphores, &give, 1) == 0 && pthread_kill(t[SIGNALLED], SIGUSR1) == 0);
    for (ssize_t n = 0, got; n < MUCH; n += got) {
        static char some[4096];
        got = read(crowded[0], some, sizeof some);
        CHECK(got > 0);
    }
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(t[i], NULL) == 0);
    CHECK(semctl(semaphores, 0, IPC_RMID) == 0);
    puts("done");
    return 0;
}
