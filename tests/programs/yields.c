/* yields N: two threads that give way N times each, so that a recording of it has its size whatever the speed. */
#include "program.h"

static long n;

static NOINLINE void *yields(void *self)
{
    if (self)
        introduce(self);
    for (long i = 0; i < n; i++)
        sched_yield();
    return NULL;
}

int main(int argc, char **argv)
{
    struct thread t;
    n = argc > 1 ? atol(argv[1]) : 1000;
    yield_among_ourselves();
    spawn(&t, yields);
    yields(NULL);
    join(&t);
    puts("done");
    return 0;
}
