/*
 * failing-calls: system calls that fail, some of them in a task or interrupted, and what errno is after each. Prints how
 * many of them failed as they have to.
 */
#include <thrace/annotate.h>

#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
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

/* What the handler interrupts fails, and what it does itself does not. The pause ends by that. */
static void write_a_byte(int sig)
{
    static const int out = 1;
    (void)sig;
    if (write(out, "", 0))
        expected = -1;
}

static NOINLINE void be_interrupted(void)
{
    int ends[2];
    char byte;
    struct sigaction act = {.sa_handler = write_a_byte};
    struct itimerval soon = {.it_value.tv_usec = 20000};
    sigaction(SIGALRM, &act, NULL);
    CHECK(!pipe(ends));
    setitimer(ITIMER_REAL, &soon, NULL);
    failed(read(ends[0], &byte, 1), EINTR);
}

/* An error of its own, which is no errno. */
static NOINLINE void look_up_nobody(void)
{
    struct addrinfo hints = {.ai_flags = -1}, *found;
    errno = EMFILE;
    expected += getaddrinfo("localhost", NULL, &hints, &found) == EAI_BADFLAGS;
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
    be_interrupted();
    look_up_nobody();
    uint64_t task = thrace_task_begin("request"), before = thrace_task_adopt(task);
    fail_otherwise();
    thrace_task_adopt(before);
    thrace_task_end(task);
    printf("%d\n", expected);
    return 0;
}
