/*
 * cpu-deep [OPERATIONS [THREADS [WAY HZ]]]: threads that go down thirty calls, through four functions, compute there,
 * and come up again: one operation. Prints "OPERATIONS CPU-NANOSECONDS WALL-NANOSECONDS" of the whole process. WAY: the
 * threads are interrupted HZ times per second of their CPU time, for nothing (floor.h).
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/bench/floor.h"

#define NOINLINE __attribute__((noinline))
enum { MAX_THREADS = 64, DEPTH = 30, LEAF_STEPS = 400 };

static volatile uint64_t sink;
static long per_thread;
static enum floor_way way;
static long hz;

static NOINLINE uint64_t leaf(uint64_t x)
{
    for (int i = 0; i < LEAF_STEPS; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        __asm__ volatile("" : "+r"(x));
    }
    return x;
}

static uint64_t one(int depth, uint64_t x);
static uint64_t two(int depth, uint64_t x);
static uint64_t three(int depth, uint64_t x);
static uint64_t four(int depth, uint64_t x);

/* What is done to the result keeps the calls from being jumps. */
static NOINLINE uint64_t one(int depth, uint64_t x) { return (depth ? two(depth - 1, x + 1) : leaf(x)) ^ 1; }

static NOINLINE uint64_t two(int depth, uint64_t x)
{
    return (!depth ? leaf(x) : x & 1 ? three(depth - 1, x * 3) : four(depth - 1, x + 7)) ^ 2;
}

static NOINLINE uint64_t three(int depth, uint64_t x) { return (depth ? four(depth - 1, x ^ 5) : leaf(x)) + 3; }

static NOINLINE uint64_t four(int depth, uint64_t x) { return (depth ? one(depth - 1, x * 5) : leaf(x)) + 4; }

static void *run(void *arg)
{
    uint64_t x = (uint64_t)(uintptr_t)arg + 1;
    if (!floor_start(way, hz))
        exit(3);
    for (long i = 0; i < per_thread; i++)
        x = one(DEPTH, x);
    sink = x;
    return NULL;
}

static double ns(clockid_t clock)
{
    struct timespec ts;
    clock_gettime(clock, &ts);
    return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

int main(int argc, char **argv)
{
    pthread_t t[MAX_THREADS];
    long operations = argc > 1 ? atol(argv[1]) : 2000000;
    int threads = argc > 2 ? atoi(argv[2]) : 2;
    if (operations < 1 || threads < 1 || threads > MAX_THREADS)
        return 2;
    if (argc > 4) {
        way = floor_way(argv[3]);
        hz = atol(argv[4]);
        if (way == FLOOR_NONE || hz < 1)
            return 2;
    }
    per_thread = operations / threads;
    double cpu = ns(CLOCK_PROCESS_CPUTIME_ID), wall = ns(CLOCK_MONOTONIC);
    for (int i = 0; i < threads; i++)
        if (pthread_create(&t[i], NULL, run, (void *)(uintptr_t)i) != 0)
            return 1;
    for (int i = 0; i < threads; i++)
        pthread_join(t[i], NULL);
    printf("%ld %.0f %.0f\n", per_thread * threads, ns(CLOCK_PROCESS_CPUTIME_ID) - cpu, ns(CLOCK_MONOTONIC) - wall);
    return 0;
}
