/*
 * scale IDLE SECONDS: one thread reads one byte of /dev/zero again and again while IDLE threads wait for a semaphore.
 * What waits should cost nothing: "scale READS NS stalls=N longest=NS", the reads in so many ns, how many of them took
 * more than 100 µs, less what the thread waited for a processor, and the longest of these.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/bench/held_up.h"

enum { STALL_NS = 100000 };

static sem_t arrived, leave;

static void await(sem_t *s)
{
    while (sem_wait(s) != 0 && errno == EINTR)
        ;
}

static void *idle(void *arg)
{
    sem_post(&arrived);
    await(&leave);
    return arg;
}

static double seconds;

static void *busy(void *arg)
{
    char byte;
    int zero = open("/dev/zero", O_RDONLY), schedstat = open_schedstat();
    uint64_t reads = 0, stalls = 0, longest = 0, delayed = run_delay(schedstat);
    uint64_t begin = now(), before = begin, end = begin + (uint64_t)(seconds * 1e9);
    while (before < end && read(zero, &byte, 1) == 1) {
        uint64_t after = now(), taken = after - before;
        reads++;
        before = after;
        if (taken <= STALL_NS)
            continue;
        taken = without_delay(taken, schedstat, &delayed);
        stalls += taken > STALL_NS;
        longest = taken > longest ? taken : longest;
        before = now();
    }
    printf("scale %llu %llu stalls=%llu longest=%llu\n", (unsigned long long)reads, (unsigned long long)(before - begin),
           (unsigned long long)stalls, (unsigned long long)longest);
    return arg;
}

int main(int argc, char **argv)
{
    int n = argc == 3 ? atoi(argv[1]) : -1;
    pthread_t *threads = calloc((size_t)(n < 0 ? 0 : n) + 1, sizeof *threads);
    pthread_attr_t small;
    seconds = argc == 3 ? atof(argv[2]) : 0;
    if (n < 0 || seconds <= 0 || !threads || access("/proc/self/schedstat", R_OK) != 0) {
        fputs("usage: scale IDLE SECONDS; needs /proc/self/schedstat\n", stderr);
        return 2;
    }
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    for (int i = 0; i < n; i++)
        if (pthread_create(&threads[i], &small, idle, NULL) != 0) {
            perror("scale: pthread_create");
            return 1;
        }
    for (int i = 0; i < n; i++)
        await(&arrived);
    if (pthread_create(&threads[n], NULL, busy, NULL) != 0 || pthread_join(threads[n], NULL) != 0)
        return 1;
    for (int i = 0; i < n; i++)
        sem_post(&leave);
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
