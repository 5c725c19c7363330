/*
 * looked-at THREADS COMMAND [ARG…]: what it costs to be looked at by a tool that prints stacks. THREADS threads wait for a
 * semaphore, some calls deep, and one is busy, while the command runs; an argument "PID" is this process's. Prints
 * "looked-at 1 NS held_up=NS": how long the command took, and for how long at most the busy thread was held up
 * meanwhile, but for waiting for a processor.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/bench/held_up.h"

enum { DEEPEST = 20, LONG_NS = 3000 };

extern char **environ;
static sem_t never;
static atomic_bool over;
static _Atomic uint64_t longest;

static __attribute__((noinline)) void wait_below(int depth)
{
    if (depth)
        wait_below(depth - 1);
    else
        sem_wait(&never);
    __asm__ volatile("");
}

static void *waits(void *arg)
{
    wait_below((int)(intptr_t)arg % DEEPEST);
    return NULL;
}

static void *busy(void *arg)
{
    int schedstat = open_schedstat();
    uint64_t before = now(), delayed = run_delay(schedstat);
    while (!over) {
        uint64_t after = now(), taken = after - before;
        if (taken > LONG_NS)
            taken = without_delay(taken, schedstat, &delayed);
        if (taken > longest)
            longest = taken;
        before = taken > LONG_NS ? now() : after;
    }
    return arg;
}

static int run(char **command)
{
    posix_spawn_file_actions_t quiet;
    pid_t pid;
    int status;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", O_WRONLY, 0);
    int failed = posix_spawnp(&pid, command[0], &quiet, NULL, command, environ);
    posix_spawn_file_actions_destroy(&quiet);
    if (failed)
        return -1;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

int main(int argc, char **argv)
{
    char own[16];
    pthread_t t, meter;
    if (argc < 3 || sem_init(&never, 0, 0)) {
        fputs("usage: looked-at THREADS COMMAND [ARG…]\n", stderr);
        return 2;
    }
    snprintf(own, sizeof own, "%ld", (long)getpid());
    for (int i = 3; i < argc; i++)
        if (!strcmp(argv[i], "PID"))
            argv[i] = own;
    for (intptr_t i = 0; i < atoi(argv[1]); i++)
        if (pthread_create(&t, NULL, waits, (void *)i)) {
            fputs("looked-at: so many threads cannot be had\n", stderr);
            return 1;
        }
    if (pthread_create(&meter, NULL, busy, NULL))
        return 1;
    usleep(200000); /* until all wait */
    longest = 0;
    uint64_t began = now();
    int status = run(argv + 2);
    uint64_t took = now() - began;
    over = true;
    pthread_join(meter, NULL);
    if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) { /* 1: eu-stack's where a stack has no good end */
        fprintf(stderr, "looked-at: %s failed\n", argv[2]);
        return 1;
    }
    printf("looked-at 1 %llu held_up=%llu\n", (unsigned long long)took, (unsigned long long)longest);
    return 0;
}
