/*
 * Children by other ways than fork, while threads are busy: clone with and without the parent's memory, the bare system
 * calls, _Fork. What a child does is not the parent's doing, even if it has the parent's memory, and the thread's own
 * storage with it, and both go on at the same time. Trap 28.
 */
#include "busy-threads.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

enum { BUSY = 4, ROUNDS = 20, YIELDS = 300 };

static atomic_int of_child;
static char stack[256 * 1024] __attribute__((aligned(16)));

static void work(void)
{
    for (int i = 0; i < YIELDS; i++)
        sched_yield();
    int fd = open("/dev/null", O_WRONLY);
    (void)!write(fd, "x", 1);
    close(fd);
}

static int shares_memory(void *arg)
{
    (void)arg;
    for (int i = 0; i < YIELDS; i++) {
        sched_yield();
        atomic_fetch_add(&of_child, 1);
    }
    return 3;
}

static int has_its_own(void *arg)
{
    work();
    _exit(*(int *)arg);
}

static int reap(pid_t child)
{
    int status;
    CHECK(child > 0);
    while (waitpid(child, &status, 0) != child)
        CHECK(errno == EINTR);
    CHECK(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int end_of(pid_t child)
{
    if (child == 0) {
        work();
        _exit(5);
    }
    return reap(child);
}

int main(void)
{
    pid_t (*own_fork)(void) = (pid_t(*)(void))dlsym(RTLD_DEFAULT, "_Fork");
    int sum[4] = {0}, four = 4;
    busy_begin(BUSY);
    for (int i = 0; i < ROUNDS; i++) {
        pid_t child = clone(shares_memory, stack + sizeof stack, CLONE_VM | CLONE_FS | SIGCHLD, NULL);
        for (int k = 0; k < YIELDS; k++)
            sched_yield();
        sum[0] += reap(child);
        sum[1] += reap(clone(has_its_own, stack + sizeof stack, SIGCHLD, &four));
        sum[2] += end_of((pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
        sum[3] += end_of(own_fork ? own_fork() : fork());
    }
    busy_end(BUSY);
    printf("%d %d %d %d %d\n", sum[0], sum[1], sum[2], sum[3], atomic_load(&of_child));
    puts("trace: goroutines 5");
    puts("trace: goroutine busy 4");
    return 0;
}
