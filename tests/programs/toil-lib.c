/*
 * A library to be loaded, used and unloaded: NAME computes for a while. Two of it have their code at the same offsets.
 */
#include "program.h"

int toil(void);

static NOINLINE int NAME(void)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    do {
        for (volatile int i = 0; i < 100000; i++)
            ;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < 200);
    return 1;
}

int toil(void)
{
    int done = NAME();
    NO_TAIL_CALL();
    return done;
}
