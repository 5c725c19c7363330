/*
 * How long a thread that never sleeps was held up, but for waiting for a processor: the kernel accounts that as run_delay
 * in /proc/self/task/TID/schedstat.
 */
#ifndef THRACE_TESTS_BENCH_HELD_UP_H
#define THRACE_TESTS_BENCH_HELD_UP_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ns on CLOCK_MONOTONIC. */
static inline uint64_t now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Of the calling thread. */
static inline int open_schedstat(void)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%ld/schedstat", (long)syscall(SYS_gettid));
    return open(path, O_RDONLY);
}

/* Past every wrapper: the look at it must not be what is measured. */
static inline long raw_pread(int fd, char *buffer, size_t size)
{
    long result;
#if defined(__x86_64__)
    register long offset __asm__("r10") = 0;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(SYS_pread64), "D"(fd), "S"(buffer), "d"(size), "r"(offset)
                     : "rcx", "r11", "memory");
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = SYS_pread64, x0 __asm__("x0") = fd, x1 __asm__("x1") = (long)buffer;
    register long x2 __asm__("x2") = (long)size, x3 __asm__("x3") = 0;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
    result = x0;
#else
    result = pread(fd, buffer, size, 0);
#endif
    return result;
}

/* ns that the thread of that file has waited for a processor so far. */
static inline uint64_t run_delay(int fd)
{
    char text[128];
    unsigned long long executed, delay = 0;
    long n = raw_pread(fd, text, sizeof text - 1);
    text[n > 0 ? n : 0] = '\0';
    return sscanf(text, "%llu %llu", &executed, &delay) == 2 ? delay : 0;
}

/* What is left of so many ns since the last call, without the waiting for a processor. */
static inline uint64_t without_delay(uint64_t ns, int fd, uint64_t *delayed)
{
    uint64_t delayed_now = run_delay(fd), delay = delayed_now - *delayed;
    *delayed = delayed_now;
    return ns > delay ? ns - delay : 0;
}

#endif
