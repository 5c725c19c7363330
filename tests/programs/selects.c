/*
 * Waits by select and pselect three times, each until a thread that saw it sleep writes, and once for a moment; and
 * passes sets that cannot be read or written.
 */
#include "program.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/select.h>

enum { ROUNDS = 3 };

static int pipes[2];
static struct thread reader;

static void *writes(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        await_asleep(&reader);
        CHECK(write(pipes[1], "x", 1) == 1);
    }
    return arg;
}

static void wait_once(int how)
{
    char c;
    fd_set set;
    FD_ZERO(&set);
    FD_SET(pipes[0], &set);
    int n = how ? pselect(pipes[0] + 1, &set, NULL, NULL, NULL, NULL) : select(pipes[0] + 1, &set, NULL, NULL, NULL);
    CHECK(n == 1 && FD_ISSET(pipes[0], &set) && read(pipes[0], &c, 1) == 1);
}

/* At the end of a page behind which there is none: whole, cut, and not there at all. */
static void odd_sets(void)
{
    long page = sysconf(_SC_PAGESIZE);
    char *two = mmap(NULL, 2 * (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct timeval soon = {0, 1000};
    CHECK(two != MAP_FAILED && munmap(two + page, (size_t)page) == 0);
    CHECK(dup2(pipes[0], 127) == 127); /* the kernel reads no more of a set than the process has room for descriptors */
    CHECK(select(64, (fd_set *)(two + page - 8), NULL, NULL, &soon) == 0);
    CHECK(select(128, (fd_set *)(two + page - 8), NULL, NULL, &soon) < 0 && errno == EFAULT);
    CHECK(select(64, NULL, (fd_set *)(two + page), NULL, &soon) < 0 && errno == EFAULT);
}

int main(void)
{
    pthread_t t;
    introduce(&reader);
    CHECK(pipe(pipes) == 0 && pthread_create(&t, NULL, writes, NULL) == 0);
    for (int i = 0; i < ROUNDS; i++)
        wait_once(i % 2);
    CHECK(pthread_join(t, NULL) == 0);
    odd_sets();
    puts("done");
}
