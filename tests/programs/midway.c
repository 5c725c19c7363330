/*
 * A handler makes events in the middle of others: those that it makes in the middle of an event are lost and counted,
 * and hurt nothing else.
 */
#include "program.h"

#include <fcntl.h>
#include <signal.h>

enum { TIMES = 1000 };

static int null;
static atomic_int handled;

static NOINLINE void handler(int sig)
{
    (void)sig;
    CHECK(write(null, "", 1) == 1);
    atomic_fetch_add(&handled, 1);
}

static NOINLINE void *writes(void *self)
{
    introduce(self);
    while (atomic_load(&handled) < TIMES)
        CHECK(write(null, "", 1) == 1);
    return NULL;
}

int main(void)
{
    const struct sigaction act = {.sa_handler = handler};
    struct thread t;
    CHECK((null = open("/dev/null", O_WRONLY)) >= 0 && !sigaction(SIGUSR1, &act, NULL));
    spawn(&t, writes);
    while (!atomic_load(&t.tid)) /* a handler that runs before the thread does is another goroutine */
        sched_yield();
    for (int i = 0; i < TIMES; i++) { /* the next one not at once: it would come where the last one did */
        CHECK(!pthread_kill(t.id, SIGUSR1));
        while (atomic_load(&handled) == i)
            sched_yield();
        for (volatile int spin = i % 97 * 20; spin; spin--)
            ;
    }
    join(&t);
    puts("trace: goroutines 2");
    puts("trace: quiet writes");
    return 0;
}
