/*
 * A handler makes events in the middle of others: those that it makes in the middle of an event are lost and counted,
 * and hurt nothing else.
 */
#include "program.h"

#include <fcntl.h>
#include <signal.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

enum { TIMES = 2000, EVERY_NS = 50000 };

static int null;
static volatile sig_atomic_t handled;

static NOINLINE void handler(int sig)
{
    (void)sig;
    CHECK(write(null, "", 1) == 1);
    handled++;
}

static NOINLINE void *writes(void *self)
{
    const struct itimerspec often = {.it_interval.tv_nsec = EVERY_NS, .it_value.tv_nsec = EVERY_NS};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
    timer_t timer;
    introduce(self);
    event.sigev_notify_thread_id = atomic_load(&((struct thread *)self)->tid);
    CHECK(!timer_create(CLOCK_MONOTONIC, &event, &timer) && !timer_settime(timer, 0, &often, NULL));
    while (handled < TIMES)
        CHECK(write(null, "", 1) == 1);
    CHECK(!timer_delete(timer));
    return NULL;
}

int main(void)
{
    const struct sigaction act = {.sa_handler = handler};
    struct thread t;
    CHECK((null = open("/dev/null", O_WRONLY)) >= 0 && !sigaction(SIGUSR1, &act, NULL));
    spawn(&t, writes);
    join(&t);
    puts("trace: goroutines 2");
    puts("trace: quiet writes");
    return 0;
}
