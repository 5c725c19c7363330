/*
 * raw-forks WAY: a fresh process makes one child by a way other than fork, while its threads are busy. What is known of
 * one child must not hide what the next does, so there is only one. fork-again: many, which fork. gives-up: one that
 * gives up rights, and may not wait for anybody to do the same, as there is nobody.
 */
#include "busy-threads.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { BUSY = 2, YIELDS = 300, CHILDREN = 100 };

static char stack[256 * 1024] __attribute__((aligned(16)));

static int work(void *arg)
{
    for (int i = 0; i < YIELDS; i++)
        sched_yield();
    int fd = open("/dev/null", O_WRONLY);
    (void)!write(fd, "x", 1);
    close(fd);
    _exit(arg ? 3 : 4);
}

/* Children of clone that fork: what of the recorder they copied is as it was at some moment. */
static int fork_in_children(void)
{
    int all = 0;
    for (int i = 0; i < CHILDREN; i++) {
        pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
        int status;
        if (!child) {
            alarm(20);
            pid_t grandchild = fork();
            if (!grandchild)
                _exit(0);
            _exit(grandchild < 0 || waitpid(grandchild, &status, 0) != grandchild || status);
        }
        while (waitpid(child, &status, 0) != child)
            CHECK(errno == EINTR);
        all += status == 0;
        if (status)
            break;
    }
    return all;
}

static long naps(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nvcsw;
}

static int give_up(void)
{
    long before = naps();
    CHECK(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    _exit(naps() - before < 10 ? 4 : 5);
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    pid_t (*own_fork)(void) = (pid_t(*)(void))dlsym(RTLD_DEFAULT, "_Fork");
    pid_t child = -1;
    int status;
    busy_begin(BUSY);
    if (!strcmp(way, "fork-again")) {
        printf("%s: %d\n", way, fork_in_children());
        busy_end(BUSY);
        return 0;
    }
    if (!strcmp(way, "clone")) {
        child = clone(work, stack + sizeof stack, SIGCHLD, stack);
    } else if (!strcmp(way, "syscall")) {
        child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    } else if (!strcmp(way, "gives-up")) {
        child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
        if (!child)
            give_up();
    } else if (!strcmp(way, "_Fork")) {
        child = own_fork ? own_fork() : fork();
    }
    if (!child)
        work(stack);
    CHECK(child > 0);
    while (waitpid(child, &status, 0) != child)
        CHECK(errno == EINTR);
    busy_end(BUSY);
    printf("%s: %d %d\n", way, WIFEXITED(status), WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    printf("trace: goroutines %d\n", 1 + BUSY);
    printf("trace: goroutine busy %d\n", BUSY);
    return 0;
}
