/*
 * drops WAY THREADS YIELDS: gives up what it takes to open its recording, then THREADS threads (0: none but main) yield
 * YIELDS times each. WAY: user, root (the directory), descriptors, none.
 */
#include "program.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/resource.h>

static long n;

static void *yields(void *self)
{
    if (self)
        introduce(self);
    for (long i = 0; i < n; i++)
        sched_yield();
    return NULL;
}

static void drop(const char *way)
{
    static const struct rlimit none = {0, 0};
    if (!strcmp(way, "user")) {
        CHECK(setgroups(0, NULL) == 0 && setgid(65534) == 0 && setuid(65534) == 0);
    } else if (!strcmp(way, "root")) {
        CHECK(chroot("/proc/self/fdinfo") == 0 && chdir("/") == 0);
    } else if (!strcmp(way, "descriptors")) {
        CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0);
        CHECK(open("/dev/null", O_RDONLY) == -1 && errno == EMFILE);
    }
}

int main(int argc, char **argv)
{
    static struct thread threads[16];
    int nthreads = argc > 2 ? atoi(argv[2]) : 0;
    n = argc > 3 ? atol(argv[3]) : 1000;
    CHECK(argc > 1 && nthreads <= 16);
    yield_among_ourselves();
    drop(argv[1]);
    for (int i = 0; i < nthreads; i++)
        spawn(&threads[i], yields);
    if (!nthreads)
        yields(NULL);
    for (int i = 0; i < nthreads; i++)
        join(&threads[i]);
    puts("done");
    return 0;
}
