/* daemonizes FILE: becomes a daemon, whose threads outlive the command, and reports in a file. Trap 34. */
#include "program.h"

static NOINLINE void *of_the_daemon(void *self)
{
    introduce(self);
    milliseconds(300);
    return NULL;
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    puts("started");
    fflush(stdout);
    CHECK(daemon(1, 0) == 0);
    struct thread t;
    spawn(&t, of_the_daemon);
    join(&t);
    FILE *f = fopen(argv[1], "w");
    CHECK(f);
    fputs("the daemon has worked\n", f);
    fclose(f);
    return 0;
}
