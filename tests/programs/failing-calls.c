/*
 * failing-calls: system calls that fail, some of them in a task, and what errno is after each. Prints how many of them
 * failed as they have to.
 */
#include <thrace/annotate.h>

#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int expected;

static void failed(long result, int error) { expected += result == -1 && errno == error; }

static NOINLINE void look_for_files(void)
{
    struct stat st;
    for (int i = 0; i < 25; i++)
        failed(open(i < 20 ? "/nonexistent/file" : "/dev/null/file", O_RDONLY), i < 20 ? ENOENT : ENOTDIR);
    close(open("/dev/null", O_RDONLY));
    failed(fstat(-1, &st), EBADF);
}

static NOINLINE void read_nothing(void)
{
    int ends[2];
    char byte;
    struct pollfd *volatile nowhere = (void *)1;
    socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends);
    for (int i = 0; i < 7; i++)
        failed(read(ends[0], &byte, 1), EAGAIN);
    failed(poll(nowhere, 1, -1), EFAULT);
}

/* Nobody listens at port 1 of this machine's own address; the connect is a blocking one, and a wait. */
static NOINLINE void ask_nobody(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(1), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    failed(connect(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&at, sizeof at), ECONNREFUSED);
}

static NOINLINE void fail_otherwise(void)
{
    failed(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0, EINVAL);
    failed(syscall(SYS_fsync, -1), EBADF);
}

int main(void)
{
    look_for_files();
    read_nothing();
    ask_nobody();
    uint64_t task = thrace_task_begin("request"), before = thrace_task_adopt(task);
    fail_otherwise();
    thrace_task_adopt(before);
    thrace_task_end(task);
    printf("%d\n", expected);
    return 0;
}
