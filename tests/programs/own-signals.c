/*
 * A program that uses signals in all ways: masks, dispositions, timers, all 64 of them. It reads back what it wrote,
 * and its own signals arrive. A thread that began with everything blocked is sampled.
 */
#include "program.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/wait.h>

enum { LAST = 64 };

static void check_masks(void)
{
    sigset_t all, none, got;
    sigfillset(&all);
    sigemptyset(&none);
    for (int i = 0; i < 2; i++) {
        int (*change)(int, const sigset_t *, sigset_t *) = i ? pthread_sigmask : sigprocmask;
        CHECK(!change(SIG_SETMASK, &all, NULL) && !change(SIG_BLOCK, NULL, &got));
        for (int s = 1; s <= LAST; s++)
            CHECK(s == SIGKILL || s == SIGSTOP || sigismember(&got, s) == sigismember(&all, s));
        for (int s = SIGRTMIN; s <= SIGRTMAX; s++) {
            sigset_t one = none;
            sigaddset(&one, s);
            CHECK(!change(SIG_UNBLOCK, &one, &got) && sigismember(&got, s) == 1);
            CHECK(!change(SIG_SETMASK, NULL, &got) && sigismember(&got, s) == 0);
            CHECK(!change(SIG_BLOCK, &one, &got) && sigismember(&got, s) == 0);
        }
        CHECK(!change(SIG_SETMASK, &none, &all)); /* old and new may be one */
        for (int s = SIGRTMIN; s <= SIGRTMAX; s++)
            CHECK(sigismember(&all, s) == 1);
        CHECK(!change(SIG_BLOCK, &none, &got));
        for (int s = 1; s <= LAST; s++)
            CHECK(!sigismember(&got, s));
    }
    CHECK(sigprocmask(77, &none, NULL) == -1 && errno == EINVAL);
    CHECK(pthread_sigmask(77, &none, NULL) == EINVAL);
}

static volatile sig_atomic_t seen[LAST + 1], value;

static void plain(int sig) { seen[sig]++; }

static void detailed(int sig, siginfo_t *info, void *context)
{
    seen[sig]++;
    value = info->si_value.sival_int;
    CHECK(context);
}

static void check_dispositions(void)
{
    struct sigaction act, old;
    for (int s = 1; s <= LAST; s++) {
        if (s == SIGKILL || s == SIGSTOP || s == 32 || s == 33)
            continue;
        CHECK(!sigaction(s, NULL, &old) && old.sa_handler == SIG_DFL && !(old.sa_flags & SA_SIGINFO));
        memset(&act, 0, sizeof act);
        act.sa_sigaction = detailed;
        act.sa_flags = SA_SIGINFO | SA_RESTART;
        sigfillset(&act.sa_mask);
        CHECK(!sigaction(s, &act, NULL) && !sigaction(s, NULL, &old));
        CHECK(old.sa_sigaction == detailed && old.sa_flags & SA_SIGINFO && old.sa_flags & SA_RESTART);
        for (int k = SIGRTMIN; k <= SIGRTMAX; k++)
            CHECK(sigismember(&old.sa_mask, k) == 1);
        CHECK(!sigqueue(getpid(), s, (union sigval){.sival_int = 1000 + s}));
        CHECK(seen[s] == 1 && value == 1000 + s);
        CHECK(signal(s, plain) == (void (*)(int))(void *)detailed && !raise(s) && seen[s] == 2);
        CHECK(signal(s, SIG_IGN) == plain && !raise(s) && seen[s] == 2);
        CHECK(signal(s, SIG_DFL) == SIG_IGN);
        if (s == SIGCHLD || s == SIGCONT || s == SIGURG || s == SIGWINCH)
            CHECK(!raise(s));
    }
    CHECK(sigaction(0, NULL, &old) == -1 && errno == EINVAL);
    CHECK(sigaction(SIGKILL, &act, NULL) == -1 && errno == EINVAL);
}

/* What ends a process by default ends it. */
static void check_deaths(void)
{
    fflush(NULL);
    for (int s = SIGRTMIN; s <= SIGRTMAX; s++) {
        int status;
        pid_t child = fork();
        if (!child) {
            raise(s);
            _exit(0);
        }
        CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == s);
    }
}

/* Any signal is waited for, and none comes but those that were sent. */
static void check_waits(void)
{
    sigset_t all, old;
    siginfo_t info;
    int sig, fd;
    const struct timespec moment = {0, 1000000};
    sigfillset(&all);
    CHECK(!sigprocmask(SIG_SETMASK, &all, &old));
    for (int i = 0; i < 100; i++) {
        for (volatile int k = 0; k < 20000; k++)
            ;
        CHECK(sigtimedwait(&all, &info, &moment) == -1 && errno == EAGAIN);
    }
    CHECK(!raise(SIGUSR1) && !sigwait(&all, &sig) && sig == SIGUSR1);
    CHECK(!raise(SIGRTMIN) && sigwaitinfo(&all, &info) == SIGRTMIN);
    CHECK((fd = signalfd(-1, &all, SFD_NONBLOCK)) >= 0);
    struct signalfd_siginfo from;
    CHECK(read(fd, &from, sizeof from) == -1 && errno == EAGAIN);
    CHECK(!raise(SIGUSR2) && read(fd, &from, sizeof from) == sizeof from && from.ssi_signo == SIGUSR2);
    close(fd);
    CHECK(!sigprocmask(SIG_SETMASK, &old, NULL));
}

/* The program's own profiler, and its own timer on a real-time signal. */
static void check_timers(void)
{
    struct sigaction act = {.sa_handler = plain, .sa_flags = SA_RESTART};
    struct itimerval often = {{0, 5000}, {0, 5000}}, never = {{0, 0}, {0, 0}};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 1};
    struct itimerspec also = {{0, 5000000}, {0, 5000000}};
    timer_t timer;
    seen[SIGPROF] = seen[SIGRTMIN + 1] = 0;
    CHECK(!sigaction(SIGPROF, &act, NULL) && !sigaction(SIGRTMIN + 1, &act, NULL));
    CHECK(!setitimer(ITIMER_PROF, &often, NULL) && !timer_create(CLOCK_MONOTONIC, &event, &timer));
    CHECK(!timer_settime(timer, 0, &also, NULL));
    while (seen[SIGPROF] < 5 || seen[SIGRTMIN + 1] < 5)
        ;
    CHECK(!setitimer(ITIMER_PROF, &never, NULL) && !timer_delete(timer));
}

/* As a library does that wants none of the program's signals in its threads. */
static NOINLINE void *deaf(void *arg)
{
    sigset_t got;
    CHECK(!pthread_sigmask(SIG_BLOCK, NULL, &got));
    for (int s = SIGRTMIN; s <= SIGRTMAX; s++)
        CHECK(sigismember(&got, s) == 1);
    compute_for(200);
    NO_TAIL_CALL();
    return arg;
}

static void check_blocked_thread(void)
{
    sigset_t all, old;
    pthread_t t;
    sigfillset(&all);
    CHECK(!pthread_sigmask(SIG_SETMASK, &all, &old));
    CHECK(!pthread_create(&t, NULL, deaf, NULL));
    CHECK(!pthread_sigmask(SIG_SETMASK, &old, NULL));
    CHECK(!pthread_join(t, NULL));
}

/* A handler on a stack that is just large enough. */
static void on_small_stack(int sig)
{
    for (volatile int i = 0; i < 20000; i++)
        ;
    seen[sig]++;
}

static void check_small_stack(void)
{
    size_t size = least_signal_stack() + 512;
    stack_t small = {.ss_sp = malloc(size), .ss_size = size}, off = {.ss_flags = SS_DISABLE};
    struct sigaction act = {.sa_handler = on_small_stack, .sa_flags = SA_ONSTACK};
    seen[SIGUSR1] = 0;
    CHECK(small.ss_sp && !sigaltstack(&small, NULL) && !sigaction(SIGUSR1, &act, NULL));
    for (int i = 0; i < 500; i++)
        CHECK(!raise(SIGUSR1));
    CHECK(seen[SIGUSR1] == 500 && !sigaltstack(&off, NULL));
    free(small.ss_sp);
}

/* A handler on a stack of its own that has room is sampled there, and below are those that it interrupted. */
static NOINLINE void on_large_stack(int sig)
{
    seen[sig]++;
    compute_for(200);
    NO_TAIL_CALL();
}

static NOINLINE void check_large_stack(void)
{
    enum { SIZE = 64 << 10 };
    stack_t large = {.ss_sp = malloc(SIZE), .ss_size = SIZE}, off = {.ss_flags = SS_DISABLE};
    struct sigaction act = {.sa_handler = on_large_stack, .sa_flags = SA_ONSTACK}, got;
    seen[SIGUSR2] = 0;
    CHECK(large.ss_sp && !sigaltstack(&large, NULL) && !sigaction(SIGUSR2, &act, NULL));
    CHECK(!sigaction(SIGUSR2, NULL, &got) && got.sa_handler == on_large_stack);
    CHECK(got.sa_flags & SA_ONSTACK && !(got.sa_flags & SA_SIGINFO));
    for (int s = SIGRTMIN; s <= SIGRTMAX; s++)
        CHECK(!sigismember(&got.sa_mask, s));
    CHECK(!raise(SIGUSR2) && seen[SIGUSR2] == 1);
    CHECK(signal(SIGUSR2, SIG_DFL) == on_large_stack && !sigaltstack(&off, NULL));
    free(large.ss_sp);
}

/* SIGTRAP is an ordinary signal, and what a breakpoint makes. */
static void check_traps(void)
{
    struct sigaction act = {.sa_sigaction = detailed, .sa_flags = SA_SIGINFO}, got;
    seen[SIGTRAP] = 0;
    CHECK(!sigaction(SIGTRAP, &act, NULL) && !sigaction(SIGTRAP, NULL, &got) && got.sa_sigaction == detailed);
    for (int i = 0; i < 100; i++) {
        for (volatile int k = 0; k < 20000; k++)
            ;
        CHECK(!raise(SIGTRAP) && seen[SIGTRAP] == i + 1);
    }
#ifdef __x86_64__
    __asm__ volatile("int3");
    CHECK(seen[SIGTRAP] == 101);
#endif
    CHECK(signal(SIGTRAP, SIG_DFL) != SIG_ERR);
    fflush(NULL);
    int status;
    pid_t child = fork();
    if (!child) {
        raise(SIGTRAP);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGTRAP);
}

int main(void)
{
    check_masks();
    check_dispositions();
    check_deaths();
    check_waits();
    check_timers();
    check_blocked_thread();
    check_small_stack();
    check_large_stack();
    check_traps();
    printf("trace: goroutines 2\n");
    printf("trace: cpu main compute_for<on_large_stack<check_large_stack<main\n");
    printf("trace: cpu deaf compute_for<deaf\n");
    return 0;
}
