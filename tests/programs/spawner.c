/*
 * Starts programs in every way while threads are busy: system, popen, posix_spawn, vfork, clone(CLONE_VM). Traps 27,
 * 28.
 */
#include "busy-threads.h"

#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

enum { BUSY = 4 };

extern char **environ;

static sem_t from_child;
static char child_stack[256 * 1024] __attribute__((aligned(16)));

static int reap(pid_t child)
{
    int status;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static pid_t by_vfork(char *const argv[])
{
    pid_t child = vfork();
    if (child == 0) {
        execv("/bin/sh", argv);
        _exit(127);
    }
    return child;
}

/* Shares everything with its parent, the thread's own storage included. */
static int shares_memory(void *arg)
{
    sched_yield();
    sem_post(arg);
    _exit(5);
}

int main(void)
{
    char *const exits_3[] = {(char *)"sh", (char *)"-c", (char *)"exit 3", NULL};
    busy_begin(BUSY);
    int sum[5] = {0};
    for (int i = 0; i < 10; i++) {
        sum[0] += WEXITSTATUS(system("exit 3"));
        pid_t child;
        CHECK(posix_spawn(&child, "/bin/sh", NULL, NULL, exits_3, environ) == 0);
        sum[1] += reap(child);
        sum[2] += reap(by_vfork(exits_3));
        FILE *pipe = popen("echo 3", "r");
        int from_pipe = 0;
        CHECK(pipe && fscanf(pipe, "%d", &from_pipe) == 1);
        pclose(pipe);
        sum[3] += from_pipe;
    }
    CHECK(sem_init(&from_child, 0, 0) == 0);
    for (int i = 0; i < 10; i++) {
        pid_t child = clone(shares_memory, child_stack + sizeof child_stack, CLONE_VM | CLONE_VFORK | SIGCHLD,
                            &from_child);
        sum[4] += reap(child);
        sem_wait(&from_child);
    }
    busy_end(BUSY);
    printf("%d %d %d %d %d\n", sum[0], sum[1], sum[2], sum[3], sum[4]);
    puts("trace: goroutines 5");
    puts("trace: goroutine busy 4");
    return 0;
}
