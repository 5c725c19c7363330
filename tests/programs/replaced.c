/* replaced N: computes for a moment and executes itself, N times; and so do children. */
#include "program.h"

#include <sys/wait.h>

static void compute(void)
{
    struct timespec ts;
    do {
        for (volatile int i = 0; i < 10000; i++)
            ;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    } while (ts.tv_nsec < 20000000 && !ts.tv_sec);
}

static void *busy(void *arg)
{
    for (;;)
        compute();
    return arg;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 5, status;
    char next[16];
    pthread_t t;
    CHECK(!pthread_create(&t, NULL, busy, NULL));
    compute();
    for (int i = 0; i < 20; i++) {
        pid_t child = fork();
        if (!child) {
            compute();
            _exit(i);
        }
        CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == i);
    }
    if (!n) {
        printf("done\n");
        return 3;
    }
    snprintf(next, sizeof next, "%d", n - 1);
    execl("/proc/self/exe", argv[0], next, (char *)NULL);
    return 99;
}
