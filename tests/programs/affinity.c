/* GOMAXPROCS follows the affinity of the main thread, with threads running and in system calls meanwhile. */
#include "program.h"

#include <fcntl.h>
#include <sys/stat.h>

static cpu_set_t all;
static int first;
static atomic_bool stop;
static char fifo[] = "/tmp/affinity-XXXXXX";

static NOINLINE void *runs(void *self)
{
    introduce(self);
    wait_for(&stop);
    return NULL;
}

static NOINLINE void *sits(void *self)
{
    introduce(self);
    CHECK(open(fifo, O_RDONLY) >= 0);
    return NULL;
}

static void use(int ncpus)
{
    cpu_set_t some;
    CPU_ZERO(&some);
    for (int cpu = first, n = 0; n < ncpus; cpu++) {
        if (CPU_ISSET(cpu, &all)) {
            CPU_SET(cpu, &some);
            n++;
        }
    }
    CHECK(sched_setaffinity(getpid(), sizeof some, &some) == 0);
    printf("GOMAXPROCS %d\n", ncpus);
}

int main(void)
{
    struct thread runner, sitter;
    CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
    int ncpus = CPU_COUNT(&all);
    while (!CPU_ISSET(first, &all))
        first++;
    int fd = mkstemp(fifo);
    CHECK(fd >= 0 && close(fd) == 0 && unlink(fifo) == 0 && mkfifo(fifo, 0600) == 0);
    printf("GOMAXPROCS %d\n", ncpus);
    spawn(&sitter, sits);
    await_asleep(&sitter);
    use(1);
    use(ncpus);
    use(1);
    use(ncpus);
    spawn(&runner, runs);
    fd = open(fifo, O_WRONLY);
    CHECK(fd >= 0);
    atomic_store(&stop, true);
    join(&runner);
    join(&sitter);
    CHECK(close(fd) == 0 && unlink(fifo) == 0);
    return 0;
}
