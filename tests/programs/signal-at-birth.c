/*
 * A signal is handled in a new thread before any code of the thread's own has run; the handler calls wrapped functions.
 */
#include "program.h"

#include <signal.h>

enum { THREADS = 20 };

static atomic_int handled;

static void on_signal(int sig)
{
    int saved = errno;
    close(dup(0));
    errno = saved;
    atomic_fetch_add(&handled, 1);
}

static NOINLINE void *born(void *arg)
{
    CHECK(atomic_load(&handled) == *(int *)arg);
    milliseconds(1);
    return arg;
}

int main(void)
{
    struct sigaction sa = {.sa_handler = on_signal};
    sigset_t all_but, none;
    pthread_attr_t attr;
    sigemptyset(&none);
    sigemptyset(&all_but);
    sigaddset(&all_but, SIGUSR1);
    CHECK(sigaction(SIGUSR1, &sa, NULL) == 0);
    CHECK(pthread_sigmask(SIG_BLOCK, &all_but, NULL) == 0);
    CHECK(pthread_attr_init(&attr) == 0);
    if (pthread_attr_setsigmask_np(&attr, &none)) {
        puts("before glibc 2.32 a thread begins with the mask of its creator");
        return 77;
    }
    for (int i = 1; i <= THREADS; i++) {
        pthread_t t;
        CHECK(kill(getpid(), SIGUSR1) == 0); /* pending for whoever does not block it: the next thread */
        CHECK(pthread_create(&t, &attr, born, &i) == 0);
        CHECK(pthread_join(t, NULL) == 0);
    }
    printf("trace: goroutine born %d\n", THREADS);
    return 0;
}
