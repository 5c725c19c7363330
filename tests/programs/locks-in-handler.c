/*
 * A handler takes locks, thousands of times and anywhere: also where the program's only thread does what the recorder
 * has to do now and then. Who waits for himself there is ended by SIGALRM.
 */
#include "program.h"

#include <signal.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static volatile sig_atomic_t handled;

static void takes_locks(int signal)
{
    int error = errno;
    (void)signal;
    CHECK(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
    CHECK(pthread_rwlock_rdlock(&rwlock) == 0 && pthread_rwlock_unlock(&rwlock) == 0);
    CHECK(pthread_spin_trylock(&spin) == 0 && pthread_spin_unlock(&spin) == 0);
    CHECK(errno == error);
    handled++;
}

int main(void)
{
    const struct timespec moment = {0, 10000};
    const struct itimerspec often = {.it_interval.tv_nsec = 50000, .it_value.tv_nsec = 50000};
    struct sigaction sa = {.sa_handler = takes_locks, .sa_flags = SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    timer_t timer;
    alarm(60);
    CHECK(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE) == 0);
    CHECK(sigaction(SIGUSR1, &sa, NULL) == 0);
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 && timer_settime(timer, 0, &often, NULL) == 0);
    while (handled < 3000)
        nanosleep(&moment, NULL);
    CHECK(timer_delete(timer) == 0);
    puts("handled");
    return 0;
}
