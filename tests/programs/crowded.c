/* crowded N [WRITERS]: N threads that compute and four that write, until SIGTERM: more than there are processors. */
#include "program.h"

#include <fcntl.h>
#include <signal.h>

static atomic_bool stop;

static void *computes(void *self)
{
    introduce(self);
    while (!atomic_load_explicit(&stop, memory_order_relaxed))
        ;
    return NULL;
}

static void *writes(void *self)
{
    int fd = open("/dev/null", O_WRONLY);
    introduce(self);
    while (!atomic_load_explicit(&stop, memory_order_relaxed))
        CHECK(write(fd, "x", 1) == 1);
    close(fd);
    return NULL;
}

int main(int argc, char **argv)
{
    enum { MOST = 200 };
    static struct thread threads[2 * MOST];
    int n = argc > 1 ? atoi(argv[1]) : 50, writers = argc > 2 ? atoi(argv[2]) : 4, sig;
    sigset_t term;
    CHECK(n <= MOST && writers <= MOST);
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    CHECK(pthread_sigmask(SIG_BLOCK, &term, NULL) == 0);
    for (int i = 0; i < writers + n; i++)
        spawn(&threads[i], i < writers ? writes : computes);
    puts("begun");
    fflush(stdout);
    CHECK(sigwait(&term, &sig) == 0);
    atomic_store(&stop, true);
    for (int i = 0; i < writers + n; i++)
        join(&threads[i]);
    puts("done");
    return 0;
}
