/* One thread waits for a pipe, another sits in a system call, while the main thread computes for a while. */
#include "program.h"

#include <fcntl.h>
#include <sys/stat.h>

static int ends[2];
static char fifo[] = "/tmp/pipe-XXXXXX";

static NOINLINE void *reader(void *self)
{
    char c;
    introduce(self);
    CHECK(read(ends[0], &c, 1) == 1 && c == 'x');
    return NULL;
}

static NOINLINE void *sitter(void *self)
{
    introduce(self);
    CHECK(open(fifo, O_RDONLY) >= 0);
    return NULL;
}

static void compute(long ms)
{
    struct timespec until = from_now(CLOCK_MONOTONIC, ms), now;
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while (now.tv_sec < until.tv_sec || (now.tv_sec == until.tv_sec && now.tv_nsec < until.tv_nsec));
}

int main(void)
{
    struct thread reads, sits;
    int fd = mkstemp(fifo);
    CHECK(fd >= 0 && close(fd) == 0 && unlink(fifo) == 0 && mkfifo(fifo, 0600) == 0);
    CHECK(pipe(ends) == 0);
    spawn(&reads, reader);
    spawn(&sits, sitter);
    await_asleep(&reads);
    await_asleep(&sits);
    compute(200);
    CHECK(write(ends[1], "x", 1) == 1);
    fd = open(fifo, O_WRONLY);
    CHECK(fd >= 0);
    join(&reads);
    join(&sits);
    CHECK(unlink(fifo) == 0);
    puts("trace: block reader chan_receive main read<reader");
    puts("trace: syscall reader none");
    puts("trace: quiet sitter");
    puts("trace: syscall sitter open|open64<sitter");
    return 0;
}
