/*
 * interrupted-alone returns | jumps: the only thread of a program, which does itself what the recorder has to do now
 * and then. A handler writes to a file, thousands of times and anywhere, and returns, or leaves every second time by
 * siglongjmp. The next one comes a moment after it, so that the thread gets on also where handlers take long. Who waits
 * for himself there is ended by SIGALRM.
 */
#include "program.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>

enum { SIGNALS = 5000 };
static volatile sig_atomic_t handled, jumps;
static sigjmp_buf back;
static int null;
static timer_t timer;

static void next_one(void)
{
    const struct itimerspec soon = {.it_value.tv_nsec = 50000};
    CHECK(timer_settime(timer, 0, &soon, NULL) == 0);
}

static void writes(int signal)
{
    int error = errno;
    (void)signal;
    CHECK(write(null, "h", 1) == 1);
    if (++handled < SIGNALS)
        next_one();
    errno = error;
    if (handled % 2 == 0 && jumps)
        siglongjmp(back, 1);
}

int main(int argc, char **argv)
{
    struct sigaction sa = {.sa_handler = writes, .sa_flags = SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    CHECK(argc == 2);
    jumps = !strcmp(argv[1], "jumps");
    alarm(60);
    CHECK((null = open("/dev/null", O_WRONLY | O_CLOEXEC)) >= 0);
    CHECK(sigaction(SIGUSR1, &sa, NULL) == 0 && timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    if (!sigsetjmp(back, 1))
        next_one();
    while (handled < SIGNALS)
        CHECK(write(null, "m", 1) == 1);
    CHECK(timer_delete(timer) == 0);
    puts("handled");
    return 0;
}
