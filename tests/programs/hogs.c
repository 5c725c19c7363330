/*
 * hogs [SECONDS]: eight threads that take 1/36, 2/36 … 8/36 of that much CPU time, each in a function of its own and by
 * its own CPU clock.
 */
#include "program.h"

enum { HOGS = 8 };
static double total = 1;

static double cpu_time(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Where the time goes: all but a thousandth of it in here, without system calls. */
static NOINLINE void spin(void)
{
    for (volatile int i = 0; i < 200000; i++)
        ;
}

#define HOG(n)                                                                                                         \
    static NOINLINE void work_##n(void)                                                                                \
    {                                                                                                                  \
        spin();                                                                                                        \
        __asm__ volatile("" : : "i"(n)); /* keeps the compiler from merging the eight */                               \
    }                                                                                                                  \
    static NOINLINE void *hog_##n(void *self)                                                                          \
    {                                                                                                                  \
        introduce(self);                                                                                               \
        while (cpu_time() < total * n / 36)                                                                            \
            work_##n();                                                                                                \
        return NULL;                                                                                                   \
    }

HOG(1)
HOG(2)
HOG(3)
HOG(4)
HOG(5)
HOG(6)
HOG(7)
HOG(8)

int main(int argc, char **argv)
{
    static void *(*const hogs[HOGS])(void *) = {hog_1, hog_2, hog_3, hog_4, hog_5, hog_6, hog_7, hog_8};
    struct thread t[HOGS];
    if (argc > 1)
        total = atof(argv[1]);
    for (int i = 0; i < HOGS; i++)
        spawn(&t[i], hogs[i]);
    for (int i = 0; i < HOGS; i++)
        join(&t[i]);
    printf("trace: goroutines %d\n", HOGS + 1);
    for (int i = 1; i <= HOGS; i++)
        printf("trace: cpu hog_%d spin<work_%d<hog_%d\n", i, i, i);
    return 0;
}
