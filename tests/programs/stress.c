/*
 * stress [MS [SESSIONS]]: threads that do everything at once, for a while. All that is known of its trace is that it
 * must be valid. Records that many parts of its run by itself.
 */
#include "program.h"
#include "recording.h"

#include <fcntl.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

enum { PAIRS = 3, LOCKERS = 4 };

static atomic_bool stop;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t shared_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t tokens;

static bool running(void) { return !atomic_load(&stop); }

/* Writes to the other end and waits for the answer; ends when the other end does. */
static void *talks(void *arg)
{
    int fd = *(int *)arg;
    char c = 'x';
    while (running() && write(fd, &c, 1) == 1) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (poll(&p, 1, 20) > 0 && read(fd, &c, 1) != 1)
            break;
    }
    CHECK(close(fd) == 0);
    return NULL;
}

static void *locks(void *arg)
{
    unsigned n = (unsigned)(size_t)arg;
    while (running()) {
        pthread_mutex_lock(&lock);
        n = n * 1664525 + 1013904223;
        if (n >> 30 == 0)
            pthread_cond_broadcast(&changed);
        else if (n >> 30 == 1) {
            struct timespec ts = from_now(CLOCK_REALTIME, 2);
            pthread_cond_timedwait(&changed, &lock, &ts);
        }
        pthread_mutex_unlock(&lock);
        if (n >> 29 == 5)
            pthread_rwlock_wrlock(&shared_lock);
        else
            pthread_rwlock_rdlock(&shared_lock);
        sched_yield();
        pthread_rwlock_unlock(&shared_lock);
        if (n >> 30 == 2)
            sem_post(&tokens);
        else if (n >> 30 == 3) {
            struct timespec ts = from_now(CLOCK_REALTIME, 1);
            sem_timedwait(&tokens, &ts);
        }
    }
    return NULL;
}

static void *nothing(void *arg) { return arg; }

static void *bears(void *arg)
{
    while (running()) {
        pthread_t t[4];
        for (int i = 0; i < 4; i++)
            CHECK(pthread_create(&t[i], NULL, nothing, NULL) == 0);
        for (int i = 0; i < 4; i++)
            CHECK(pthread_join(t[i], NULL) == 0);
        usleep(100);
    }
    return arg;
}

static void *calls(void *arg)
{
    char buf[256];
    while (running()) {
        int fd = open("/proc/self/stat", O_RDONLY);
        CHECK(fd >= 0 && read(fd, buf, sizeof buf) > 0 && close(fd) == 0);
        FILE *f = fopen("/dev/null", "w");
        CHECK(f && fputs("nothing", f) >= 0 && fclose(f) == 0);
    }
    return arg;
}

static void *forks(void *arg)
{
    while (running()) {
        pid_t pid = fork();
        if (!pid)
            _exit(0);
        CHECK(pid > 0 && waitpid(pid, NULL, 0) == pid);
        milliseconds(3);
    }
    return arg;
}

static void *computes(void *arg)
{
    while (running())
        ;
    return arg;
}

static void on_signal(int sig)
{
    int saved = errno;
    close(dup(0));
    errno = saved;
}

int main(int argc, char **argv)
{
    long ms = argc > 1 ? atol(argv[1]) : 300, sessions = argc > 2 ? atol(argv[2]) : 0;
    struct sigaction sa = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    void *(*const others[])(void *) = {bears, calls, calls, forks, computes};
    enum { OTHERS = sizeof others / sizeof others[0] };
    pthread_t t[2 * PAIRS + LOCKERS + OTHERS];
    int fds[PAIRS][2], n = 0;
    CHECK(sem_init(&tokens, 0, 0) == 0 && sigaction(SIGUSR1, &sa, NULL) == 0);
    signal(SIGPIPE, SIG_IGN);
    for (int i = 0; i < PAIRS; i++) {
        CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, fds[i]) == 0);
        for (int k = 0; k < 2; k++)
            CHECK(pthread_create(&t[n++], NULL, talks, &fds[i][k]) == 0);
    }
    for (int i = 0; i < LOCKERS; i++)
        CHECK(pthread_create(&t[n++], NULL, locks, (void *)(size_t)i) == 0);
    for (int i = 0; i < OTHERS; i++)
        CHECK(pthread_create(&t[n++], NULL, others[i], NULL) == 0);
    for (long i = 0; i < ms; i += 2) {
        CHECK(pthread_kill(t[i % n], SIGUSR1) == 0);
        milliseconds(2);
    }
    for (long i = 0; i < sessions; i++) {
        int err = start_recording();
        CHECK(!err || err == ENOSYS);
        milliseconds(1);
        CHECK(thrace_stop() == err);
    }
    atomic_store(&stop, true);
    for (int i = 0; i < n; i++)
        CHECK(pthread_join(t[i], NULL) == 0);
    puts("done");
    return 0;
}
