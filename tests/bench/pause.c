/*
 * pause THREADS SECONDS PERIOD-MS: how long any of many busy threads is held up. Each reads one byte of /dev/zero again
 * and again and looks at the clock after each. With more threads than processors most of the time goes by waiting for a
 * processor, with or without a tracer; so what the kernel accounts as such (run_delay of /proc/self/task/TID/schedstat)
 * is taken off each interval that was long. What is left is the thread's own execution and its sleep, where it should
 * not sleep at all. The run is cut into windows of PERIOD-MS, each of which has one change of generation when
 * THRACE_PERIOD is the same, and of each window the worst interval of any thread counts: "pause 1 NS p50=… p90=…
 * p99=… max=…", in ns.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/bench/held_up.h"

enum { MAX_WINDOWS = 100000, LONG_NS = 3000 };

static _Atomic uint64_t worst[MAX_WINDOWS];
static uint64_t start, period, end;
static pthread_barrier_t ready;

static void note(uint64_t when, uint64_t ns)
{
    uint64_t window = (when - start) / period;
    if (window >= MAX_WINDOWS)
        return;
    uint64_t old = atomic_load_explicit(&worst[window], memory_order_relaxed);
    while (ns > old && !atomic_compare_exchange_weak_explicit(&worst[window], &old, ns, memory_order_relaxed,
                                                              memory_order_relaxed))
        ;
}

static void *busy(void *arg)
{
    char byte;
    int zero = open("/dev/zero", O_RDONLY), schedstat = open_schedstat();
    if (zero < 0 || schedstat < 0)
        return arg;
    for (int i = 0; i < 100; i++) /* its first stacks, and chunks, are no pause */
        if (read(zero, &byte, 1) != 1)
            return arg;
    pthread_barrier_wait(&ready);
    uint64_t before = now(), delayed = run_delay(schedstat);
    while (before < end) {
        if (read(zero, &byte, 1) != 1)
            break;
        uint64_t after = now(), taken = after - before;
        if (taken > LONG_NS)
            taken = without_delay(taken, schedstat, &delayed);
        if (before >= start)
            note(before, taken);
        before = taken > LONG_NS ? now() : after;
    }
    return NULL;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    int threads = argc == 4 ? atoi(argv[1]) : 0;
    double seconds = argc == 4 ? atof(argv[2]) : 0;
    period = argc == 4 ? (uint64_t)(atof(argv[3]) * 1e6) : 0;
    if (threads < 1 || threads > 1000 || seconds <= 0 || period == 0 || access("/proc/self/schedstat", R_OK) != 0) {
        fputs("usage: pause THREADS SECONDS PERIOD-MS; needs /proc/self/schedstat\n", stderr);
        return 2;
    }
    pthread_t all[1000];
    pthread_barrier_init(&ready, NULL, (unsigned)threads + 1);
    for (int i = 0; i < threads; i++)
        if (pthread_create(&all[i], NULL, busy, NULL) != 0)
            return 1;
    start = now() + 50000000; /* by then all have come to the barrier, as a rule */
    end = start + (uint64_t)(seconds * 1e9);
    pthread_barrier_wait(&ready);
    for (int i = 0; i < threads; i++)
        pthread_join(all[i], NULL);
    static uint64_t sorted[MAX_WINDOWS];
    int n = 0;
    for (int i = 0; i < MAX_WINDOWS; i++)
        if (worst[i])
            sorted[n++] = worst[i];
    if (n == 0)
        return 1;
    qsort(sorted, (size_t)n, sizeof *sorted, by_value);
    printf("pause 1 %llu p50=%llu p90=%llu p99=%llu max=%llu windows=%d\n", (unsigned long long)sorted[n / 2],
           (unsigned long long)sorted[n / 2], (unsigned long long)sorted[n - 1 - n / 10],
           (unsigned long long)sorted[n - 1 - n / 100], (unsigned long long)sorted[n - 1], n);
    return 0;
}
