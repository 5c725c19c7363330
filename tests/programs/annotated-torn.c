/*
 * annotated-torn: a handler leaves whatever the thread does by siglongjmp, over and over, while that begins and ends
 * regions. Which regions the trace has is left to chance; that they are one inside the other is not.
 */
#include <thrace/annotate.h>

#include "program.h"

#include <setjmp.h>
#include <signal.h>

enum { THREADS = 100, JUMPS = 12, ROUNDS = 2000 };

static __thread sigjmp_buf back;
static __thread volatile int jumps, rounds;
static atomic_int done;

static void leave(int sig)
{
    (void)sig;
    siglongjmp(back, 1);
}

static void *annotates(void *self)
{
    if (sigsetjmp(back, 1))
        jumps = jumps + 1;
    introduce(self);
    while (jumps < JUMPS && rounds < ROUNDS) { /* on a busy machine signals are rare */
        rounds = rounds + 1;
        THRACE_REGION("one");
        THRACE_REGION("two");
        thrace_region_begin("three");
        thrace_region_end();
    }
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    atomic_store(&done, 1);
    return NULL;
}

int main(void)
{
    unsigned spins = 1;
    CHECK(signal(SIGUSR1, leave) != SIG_ERR);
    for (int i = 0; i < THREADS; i++) {
        struct thread t;
        atomic_store(&done, 0);
        spawn(&t, annotates);
        while (!atomic_load(&t.tid))
            sched_yield();
        while (!atomic_load(&done)) {
            spins = spins * 1103515245 + 12345;
            for (volatile unsigned n = 0; n < spins >> 20; n++)
                ;
            pthread_kill(t.id, SIGUSR1);
        }
        join(&t);
    }
    puts("done");
    return 0;
}
