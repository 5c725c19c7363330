/*
 * held: a thread named "writes" that makes events, one named "burns" that computes, one that waits with timeouts for
 * the first. Signals command the process: SIGHUP forks a child that makes events, SIGUSR2 exits.
 */
#include "program.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *writes(void *self)
{
    prctl(PR_SET_NAME, "writes");
    introduce(self);
    for (;;) {
        sched_yield();
        pthread_cond_signal(&cond);
        usleep(50);
    }
    return NULL;
}

static void *burns(void *self)
{
    prctl(PR_SET_NAME, "burns");
    introduce(self);
    for (;;)
        ;
    return NULL;
}

/* Its timeouts end even if its waker never comes. */
static void *waits(void *self)
{
    introduce(self);
    for (;;) {
        struct timespec soon = from_now(CLOCK_REALTIME, 1);
        pthread_mutex_lock(&mutex);
        pthread_cond_timedwait(&cond, &mutex, &soon);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

static void fork_one(void)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 100; i++)
            sched_yield();
        exit(0);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    puts("forked");
    fflush(stdout);
}

int main(void)
{
    static struct thread threads[3];
    sigset_t commands;
    int sig;
    sigemptyset(&commands);
    sigaddset(&commands, SIGHUP);
    sigaddset(&commands, SIGUSR2);
    CHECK(pthread_sigmask(SIG_BLOCK, &commands, NULL) == 0);
    spawn(&threads[0], writes);
    spawn(&threads[1], burns);
    spawn(&threads[2], waits);
    while (sigwait(&commands, &sig) == 0 && sig != SIGUSR2)
        fork_one();
    puts("done");
    return 0;
}
