/*
 * system-time calls | long | faults: half a second of CPU time, nearly all of it in the kernel: in many short system
 * calls, in few long ones, in page faults.
 */
#include "program.h"

#include <fcntl.h>
#include <sys/mman.h>

enum { LONG = 64 << 20, MAPPING = 8 << 20, PAGE = 4096 };

static bool is_over(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return ts.tv_sec || ts.tv_nsec > 500000000;
}

static NOINLINE void calls(int zero)
{
    char byte;
    for (int i = 0; i < 1000; i++)
        CHECK(read(zero, &byte, 1) == 1);
}

static NOINLINE void long_calls(int zero)
{
    static char to[LONG];
    CHECK(read(zero, to, sizeof to) == (ssize_t)sizeof to);
}

static NOINLINE void faults(int zero)
{
    (void)zero;
    volatile char *p = mmap(NULL, MAPPING, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(p != MAP_FAILED && !madvise((void *)p, MAPPING, MADV_NOHUGEPAGE));
    for (size_t i = 0; i < MAPPING; i += PAGE)
        p[i] = 1;
    munmap((void *)p, MAPPING);
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    void (*some)(int) = !strcmp(argv[1], "calls") ? calls : !strcmp(argv[1], "long") ? long_calls : faults;
    int zero = open("/dev/zero", O_RDONLY);
    CHECK(zero >= 0);
    while (!is_over())
        some(zero);
    return 0;
}
