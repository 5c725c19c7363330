/*
 * Waits in every way that signal(7) lists as failing with EINTR after any handler, without expecting it: it has no
 * handlers. Between the waits it computes, so that samples are due when a wait begins. With "disturbed", which is for
 * recordings only, more signals of the recorder's come in the middle of the waits. With "stopped" as well; then it only
 * waits in ways that go on after a stop. "stop PID" stops a process again and again, and has it go on, until it ends.
 * "signalled" does handle a signal, which comes together with a recorder's.
 */
#include "program.h"

#include <linux/futex.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/time.h>

enum { ROUNDS = 250, WAIT_NS = 200000 };

static int pipe_end, epoll, msgs, sems, socket_end;
static sem_t sem;

static void compute(void)
{
    for (volatile int i = 0; i < 20000; i++)
        ;
}

static const struct timespec moment = {0, WAIT_NS};

static bool lasted(const struct timespec *since, long ns)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - since->tv_sec) * 1000000000 + now.tv_nsec - since->tv_nsec >= ns;
}

/* The time that is left is counted in milliseconds, too. */
static void wait_poll(void)
{
    struct pollfd p = {pipe_end, POLLIN, 0};
    struct timespec before;
    clock_gettime(CLOCK_MONOTONIC, &before);
    CHECK(poll(&p, 1, 2) == 0 && lasted(&before, 2000000));
}

/* The kernel looks for signals at the end, also where there is nothing to wait for. So many take it some time. */
static void only_look(void)
{
    enum { MANY = 200 };
    struct pollfd p[MANY];
    for (int i = 0; i < MANY; i++)
        p[i] = (struct pollfd){pipe_end, POLLIN, 0};
    for (int i = 0; i < 20; i++)
        CHECK(poll(p, MANY, 0) == 0);
    CHECK(poll(p, MANY, 1) == 0);
}

static void wait_ppoll(void)
{
    struct pollfd p = {pipe_end, POLLIN, 0};
    sigset_t none;
    sigemptyset(&none);
    CHECK(ppoll(&p, 1, &moment, NULL) == 0);
    CHECK(ppoll(&p, 1, &moment, &none) == 0);
}

static void wait_select(void)
{
    fd_set set;
    struct timeval tv = {0, WAIT_NS / 1000};
    FD_ZERO(&set);
    FD_SET(pipe_end, &set);
    CHECK(select(pipe_end + 1, &set, NULL, NULL, &tv) == 0);
    FD_SET(pipe_end, &set);
    CHECK(pselect(pipe_end + 1, &set, NULL, NULL, &moment, NULL) == 0);
}

static void wait_epoll(void)
{
    struct epoll_event e;
    struct timespec before;
    clock_gettime(CLOCK_MONOTONIC, &before);
    CHECK(epoll_wait(epoll, &e, 1, 2) == 0 && lasted(&before, 2000000));
    CHECK(epoll_pwait(epoll, &e, 1, 1, NULL) == 0);
}

/* A sleep is no shorter than asked. */
static void wait_sleep(void)
{
    struct timespec before;
    clock_gettime(CLOCK_MONOTONIC, &before);
    CHECK(nanosleep(&moment, NULL) == 0);
    CHECK(clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL) == 0);
    CHECK(usleep(WAIT_NS / 1000) == 0);
    CHECK(lasted(&before, 3 * WAIT_NS));
    struct timespec until = from_now(CLOCK_REALTIME, 0);
    CHECK(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL) == 0);
    clock_gettime(CLOCK_MONOTONIC, &before);
    until = from_now(CLOCK_MONOTONIC, 1);
    CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == 0 && lasted(&before, 1000000));
}

/* By syscall(2), as programs that have locks of their own do. */
static void wait_past_libc(void)
{
    int word = 0;
    struct pollfd p = {pipe_end, POLLIN, 0};
    struct epoll_event e;
    struct timespec before, limit = moment, until = from_now(CLOCK_MONOTONIC, 1), left = {0, 0};
    clock_gettime(CLOCK_MONOTONIC, &before);
    CHECK(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &moment) == -1 && errno == ETIMEDOUT);
    CHECK(syscall(SYS_nanosleep, &moment, NULL) == 0);
    CHECK(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &moment, &left) == 0);
    CHECK(lasted(&before, 3 * WAIT_NS));
    CHECK(syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 0, &until, NULL, FUTEX_BITSET_MATCH_ANY) == -1 &&
          errno == ETIMEDOUT);
    CHECK(syscall(SYS_ppoll, &p, 1, &limit, NULL, 0) == 0);
    CHECK(syscall(SYS_epoll_pwait, epoll, &e, 1, 1, NULL, 0) == 0);
}

static void wait_sem(void)
{
    struct timespec until = from_now(CLOCK_REALTIME, 1);
    CHECK(sem_timedwait(&sem, &until) == -1 && errno == ETIMEDOUT);
    struct sembuf down = {0, -1, 0};
    CHECK(semtimedop(sems, &down, 1, &moment) == -1 && errno == EAGAIN);
}

static void wait_signal(void)
{
    sigset_t usr1;
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    CHECK(sigtimedwait(&usr1, NULL, &moment) == -1 && errno == EAGAIN);
}

static void wait_message(void)
{
    struct {
        long type;
        char text[8];
    } m = {1, "hello"};
    CHECK(msgsnd(msgs, &m, sizeof m.text, 0) == 0);
    CHECK(msgrcv(msgs, &m, sizeof m.text, 0, 0) == sizeof m.text);
}

static void wait_socket(void)
{
    char c;
    CHECK(recv(socket_end, &c, 1, 0) == -1 && (errno == EAGAIN || errno == EWOULDBLOCK));
    CHECK(read(socket_end, &c, 1) == -1 && (errno == EAGAIN || errno == EWOULDBLOCK));
}

/* None is shorter than asked. */
static void longer_waits(void)
{
    enum { WAITS = 200, LONGER_NS = 600000 };
    static const struct timespec longer = {0, LONGER_NS};
    struct pollfd p = {pipe_end, POLLIN, 0};
    for (int i = 0; i < WAITS; i++) {
        struct timespec before, left = {0, 0};
        struct timespec until = from_now(CLOCK_MONOTONIC, 1);
        clock_gettime(CLOCK_MONOTONIC, &before);
        CHECK(nanosleep(&longer, NULL) == 0 && lasted(&before, LONGER_NS));
        CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, &left) == 0 && lasted(&until, 0));
        clock_gettime(CLOCK_MONOTONIC, &before);
        CHECK(ppoll(&p, 1, &longer, NULL) == 0 && lasted(&before, LONGER_NS));
    }
}

/* --- interrupted by what it handles itself ------------------------------------------------------------------------ */

enum { SAMPLE_SIGNAL = 57, SAMPLE_MARK = 0x7452a3e1 };

static volatile sig_atomic_t handled;
static void handle(int sig) { handled = sig; }

static void await_state(pid_t pid, char state)
{
    for (char line[256], now = 0; now != state; milliseconds(1)) {
        snprintf(line, sizeof line, "/proc/%ld/stat", (long)pid);
        FILE *f = fopen(line, "r");
        CHECK(f && fgets(line, sizeof line, f) && strrchr(line, ')'));
        now = strrchr(line, ')')[2];
        fclose(f);
    }
}

/* A sample and a signal of its own, at once: it is stopped meanwhile. Once more for each byte that comes. */
static void send_both(pid_t pid, int ready)
{
    siginfo_t info = {.si_code = SI_TIMER, .si_value.sival_int = SAMPLE_MARK};
    for (char c; read(ready, &c, 1) == 1;) {
        await_state(pid, 'S');
        CHECK(!kill(pid, SIGSTOP));
        await_state(pid, 'T');
        CHECK(!syscall(SYS_rt_tgsigqueueinfo, pid, pid, SAMPLE_SIGNAL, &info) && !kill(pid, SIGUSR1));
        CHECK(!kill(pid, SIGCONT));
    }
    _exit(0);
}

/* What it waits for ends these calls; if a sample hides that, only the alarm does. */
static int wait_for_signals(void)
{
    enum { PATIENCE_S = 60 };
    const struct sigaction action = {.sa_handler = handle};
    struct pollfd p = {pipe_end, POLLIN, 0};
    int ready[2];
    pid_t self = getpid();
    CHECK(!sigaction(SIGUSR1, &action, NULL) && !pipe(ready));
    if (fork() == 0) {
        close(ready[1]);
        send_both(self, ready[0]);
    }
    alarm(PATIENCE_S);
    CHECK(write(ready[1], "", 1) == 1 && poll(&p, 1, -1) == -1 && errno == EINTR && handled == SIGUSR1);
    handled = 0;
    CHECK(write(ready[1], "", 1) == 1 && syscall(SYS_ppoll, &p, 1, NULL, NULL, 0) == -1 && errno == EINTR);
    CHECK(handled == SIGUSR1);
    return 0;
}

/* --- interrupted by what it does not know of ---------------------------------------------------------------------- */

/*
 * Where a kernel takes CPU timers for due on the way back to the program, samples hardly ever come in the middle of a
 * wait. So that they do, a timer of ours sends what the recorder's timers send.
 */
static bool disturbed;

static void disturb(void)
{
    enum { EVERY_NS = 130000 };
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SAMPLE_SIGNAL};
    const struct itimerspec often = {{0, EVERY_NS}, {0, EVERY_NS}};
    timer_t timer;
    event.sigev_value.sival_int = SAMPLE_MARK;
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    CHECK(!timer_create(CLOCK_MONOTONIC, &event, &timer) && !timer_settime(timer, 0, &often, NULL));
}

static time_t stopped_for, started; /* s */

static time_t seconds_since_start(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec - started;
}

static int stop(pid_t pid)
{
    enum { AT_MOST_S = 60 };
    static const struct timespec pause = {0, 50000};
    CHECK(pid > 1);
    started = seconds_since_start();
    while (seconds_since_start() < AT_MOST_S && !kill(pid, SIGSTOP) && !kill(pid, SIGCONT))
        nanosleep(&pause, NULL);
    return 0;
}

static void *waiter(void *arg)
{
    static void (*const waits[])(void) = {wait_poll,      only_look, wait_ppoll,  wait_select,  wait_epoll, wait_sleep,
                                          wait_past_libc, wait_sem,  wait_signal, wait_message, wait_socket};
    if (disturbed)
        disturb();
    while (stopped_for > 0 && seconds_since_start() < stopped_for) {
        wait_sleep();
        only_look();
        wait_poll();
    }
    if (stopped_for > 0)
        return arg;
    longer_waits();
    for (int i = 0; i < ROUNDS; i++)
        for (size_t k = 0; k < sizeof waits / sizeof waits[0]; k++) {
            if (disturbed && waits[k] == wait_socket)
                continue; /* its timeout begins anew each time */
            compute();
            waits[k]();
        }
    return arg;
}

int main(int argc, char **argv)
{
    enum { STOPPED_S = 6 };
    int fds[2];
    if (argc > 2 && !strcmp(argv[1], "stop"))
        return stop((pid_t)atol(argv[2]));
    if (argc > 1 && !strcmp(argv[1], "signalled")) {
        CHECK(!pipe(fds));
        pipe_end = fds[0];
        return wait_for_signals();
    }
    disturbed = argc > 1;
    started = seconds_since_start();
    stopped_for = argc > 1 && !strcmp(argv[1], "stopped") ? STOPPED_S : 0;
    struct timeval tv = {0, WAIT_NS / 1000};
    CHECK(!pipe(fds));
    pipe_end = fds[0];
    epoll = epoll_create1(0);
    msgs = msgget(IPC_PRIVATE, 0600);
    sems = semget(IPC_PRIVATE, 1, 0600);
    CHECK(epoll >= 0 && msgs >= 0 && sems >= 0 && !sem_init(&sem, 0, 0));
    CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
    socket_end = fds[0];
    CHECK(!setsockopt(socket_end, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv));
    pthread_t t;
    CHECK(!pthread_create(&t, NULL, waiter, NULL));
    waiter(NULL);
    CHECK(!pthread_join(t, NULL));
    msgctl(msgs, IPC_RMID, NULL);
    semctl(sems, 0, IPC_RMID);
    return 0;
}
