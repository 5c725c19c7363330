/*
 * Children of vfork, posix_spawn and clone that close, copy and open descriptors, read and write before their exec,
 * while other threads use theirs. Their actions are not the parent's, and the parent's descriptors stay what they were.
 * Traps 27 and 28. With an argument: one child, and then it is killed itself.
 */
#include "program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>

extern char **environ;

enum { ROUNDS = 30 };

static char *const argv_true[] = {(char *)"true", NULL};
static char child_stack[64 * 1024] __attribute__((aligned(16)));
static atomic_bool over;
static int pair[2];
static char byte;
static int sum; /* of the children's statuses */

static NOINLINE void *ping(void *self)
{
    introduce(self);
    int p[2];
    CHECK(pipe(p) == 0);
    for (int i = 1; !atomic_load(&over); i++) {
        if (i % 50 == 0)
            milliseconds(1);
        CHECK(write(p[1], &byte, 1) == 1 && read(p[0], &byte, 1) == 1);
        int fd = open("/dev/null", O_RDWR), copy = dup(fd);
        CHECK(close(fd) == 0 && close(copy) == 0);
    }
    return NULL;
}

/* In the child: takes every number that the parent has in use for something else, and waits a little. */
static void make_a_mess(void)
{
    int p[2], null;
    for (int fd = 3; fd < 40; fd++)
        close(fd);
    null = open("/dev/null", O_RDWR);
    for (int fd = 3; fd < 40; fd++)
        if (fd != null)
            dup2(null, fd);
    close(20);
    close(21);
    if (pipe(p) == 0 && write(p[1], &byte, 1) == 1 && read(p[0], &byte, 1) == 1)
        poll(&(struct pollfd){p[0], POLLIN, 0}, 1, 2);
    sched_yield();
}

static int reap(pid_t child)
{
    int status;
    CHECK(child > 0);
    while (waitpid(child, &status, 0) != child)
        CHECK(errno == EINTR);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static NOINLINE pid_t vforked(bool exec)
{
    pid_t child = vfork();
    if (child == 0) {
        make_a_mess();
        if (exec)
            execv("/bin/true", argv_true);
        _exit(7);
    }
    return child;
}

static NOINLINE pid_t killed(void)
{
    pid_t child = vfork();
    if (child == 0) {
        kill(getpid(), SIGKILL);
        _exit(9);
    }
    return child;
}

static int cloned(void *arg)
{
    (void)arg;
    make_a_mess();
    _exit(5);
}

static NOINLINE void *parent(void *self)
{
    introduce(self);
    posix_spawn_file_actions_t actions;
    CHECK(posix_spawn_file_actions_init(&actions) == 0);
    CHECK(posix_spawn_file_actions_addopen(&actions, 5, "/dev/null", O_RDWR, 0) == 0);
    CHECK(posix_spawn_file_actions_adddup2(&actions, 5, 6) == 0 && posix_spawn_file_actions_addclose(&actions, 7) == 0);
    for (int i = 0; i < ROUNDS; i++) {
        sum += reap(vforked(true)) + reap(vforked(false));
        CHECK(reap(killed()) == -1);
        pid_t child;
        CHECK(posix_spawn(&child, "/bin/true", &actions, NULL, argv_true, environ) == 0);
        sum += reap(child);
        child = clone(cloned, child_stack + sizeof child_stack, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
        sum += reap(child);
    }
    CHECK(posix_spawn_file_actions_destroy(&actions) == 0);
    while (waitpid(-1, NULL, 0) > 0)
        ;
    return NULL;
}

static NOINLINE void *reader(void *self)
{
    introduce(self);
    CHECK(recv(pair[0], &byte, 1, 0) == 1);
    NO_TAIL_CALL();
    return NULL;
}

static NOINLINE void *writer(void *self)
{
    introduce(self);
    CHECK(send(pair[1], &byte, 1, 0) == 1);
    NO_TAIL_CALL();
    return NULL;
}

int main(int argc, char **argv)
{
    struct thread t[3], p, r, w;
    (void)argv;
    if (argc > 1)
        return reap(vforked(true)) || raise(SIGKILL);
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    for (int i = 0; i < 3; i++)
        spawn(&t[i], ping);
    spawn(&p, parent);
    join(&p);
    atomic_store(&over, true);
    for (int i = 0; i < 3; i++)
        join(&t[i]);

    /* Which socket is whose other end is known from its making only. */
    spawn(&r, reader);
    await_asleep(&r);
    spawn(&w, writer);
    join(&w);
    join(&r);
    printf("%d\n", sum);
    puts("trace: block reader network writer recv<reader");
    puts("trace: syscall writer send<writer");
    puts("trace: quiet parent");
    printf("trace: syscall parent waitpid<parent %d\n", 5 * ROUNDS + 1);
    printf("trace: goroutines %d\n", threads_spawned + 1);
    return 0;
}
