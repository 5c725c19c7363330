/*
 * Signal handlers that a sampling signal might disturb. One that blocks all signals and computes is sampled. Flags of a
 * handler mean what they say, whatever the signal's number. The signals of a process reach its own threads, also when
 * all of them block these for a while.
 */
#include "program.h"

#include <signal.h>
#include <sys/wait.h>

static volatile sig_atomic_t seen, depth, deepest;
static atomic_int handled_by;

/* --- all blocked, and computing ----------------------------------------------------------------------------------- */

static NOINLINE void masks_all(int sig)
{
    (void)sig;
    compute_for(200);
    NO_TAIL_CALL();
}

static void check_full_mask(void)
{
    struct sigaction act = {.sa_handler = masks_all};
    sigfillset(&act.sa_mask);
    CHECK(!sigaction(SIGUSR1, &act, NULL) && !raise(SIGUSR1));
}

/* --- flags -------------------------------------------------------------------------------------------------------- */

static void count(int sig)
{
    (void)sig;
    seen++;
}

static void nests(int sig)
{
    if (++depth > deepest)
        deepest = depth;
    if (seen++ < 2)
        raise(sig);
    depth--;
}

static void check_flags(void)
{
    sigset_t blocked;
    for (int s = SIGRTMIN; s <= SIGRTMAX; s++) {
        struct sigaction act = {.sa_handler = count, .sa_flags = (int)SA_RESETHAND}, got;
        seen = 0;
        CHECK(!sigaction(s, &act, NULL) && !raise(s) && seen == 1);
        CHECK(!sigaction(s, NULL, &got) && got.sa_handler == SIG_DFL);
        act = (struct sigaction){.sa_handler = nests, .sa_flags = SA_NODEFER};
        seen = deepest = 0;
        CHECK(!sigaction(s, &act, NULL) && !raise(s) && seen == 3 && deepest == 3);
        act.sa_flags = 0; /* one after the other */
        seen = deepest = 0;
        CHECK(!sigaction(s, &act, NULL) && !raise(s) && seen == 3 && deepest == 1);
        CHECK(signal(s, SIG_DFL) == nests);
        CHECK(!sigprocmask(SIG_BLOCK, NULL, &blocked) && !sigismember(&blocked, s));
    }
}

/* --- after a fork ------------------------------------------------------------------------------------------------- */

static NOINLINE void after_fork(void)
{
    int status;
    pid_t child = fork();
    if (!child)
        _exit(0);
    CHECK(child > 0 && waitpid(child, &status, 0) == child && !status);
    compute_for(200);
    NO_TAIL_CALL();
}

/* --- for the process ---------------------------------------------------------------------------------------------- */

static void note_thread(int sig)
{
    (void)sig;
    atomic_store(&handled_by, (int)syscall(SYS_gettid));
}

static atomic_bool worker_may_end;

static NOINLINE void *worker(void *self)
{
    sigset_t usr2;
    sigemptyset(&usr2);
    sigaddset(&usr2, SIGUSR2);
    CHECK(!pthread_sigmask(SIG_BLOCK, &usr2, NULL));
    introduce(self);
    while (!atomic_load(&worker_may_end))
        milliseconds(1);
    return NULL;
}

static void check_process_signals(void)
{
    struct sigaction act = {.sa_handler = note_thread};
    struct thread t;
    sigset_t usr2;
    CHECK(!sigaction(SIGUSR2, &act, NULL));
    spawn(&t, worker);
    while (!atomic_load(&t.tid))
        sched_yield();
    sigemptyset(&usr2);
    sigaddset(&usr2, SIGUSR2);
    for (int i = 0; i < 50; i++) {
        atomic_store(&handled_by, 0);
        CHECK(!pthread_sigmask(SIG_BLOCK, &usr2, NULL) && !kill(getpid(), SIGUSR2));
        milliseconds(1); /* time for a thread that should not */
        CHECK(atomic_load(&handled_by) == 0 && !pthread_sigmask(SIG_UNBLOCK, &usr2, NULL));
        CHECK(atomic_load(&handled_by) == getpid());
    }
    atomic_store(&worker_may_end, true);
    join(&t);
}

int main(void)
{
    check_process_signals(); /* the first thread is made with nothing blocked */
    check_flags();
    check_full_mask();
    after_fork();
    puts("trace: goroutines 2");
    puts("trace: cpu main compute_for<masks_all<check_full_mask<main");
    puts("trace: cpu main compute_for<after_fork<main");
    return 0;
}
