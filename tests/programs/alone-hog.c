/* A program without threads and without calls, that computes for a while. */
#include "program.h"

int main(void)
{
    struct timespec ts;
    do {
        for (volatile int i = 0; i < 1000000; i++)
            ;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    } while (!ts.tv_sec && ts.tv_nsec < 300000000);
    return 0;
}
