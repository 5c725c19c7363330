/*
 * A library to be loaded, used and unloaded: NAME computes for a while. Two of it have their code at the same offsets.
 * Its constructor opens the FIFO TOIL_WAITS, if there is that variable: so it lasts until somebody opens it to write.
 */
#include "program.h"

#include <fcntl.h>

int toil(void);
int toil_nap(void);

__attribute__((constructor)) static void await_writer(void)
{
    const char *fifo = getenv("TOIL_WAITS");
    if (fifo)
        CHECK(close(open(fifo, O_RDONLY)) == 0);
}

static NOINLINE int NAME(void)
{
    compute_for(200);
    return 1;
}

int toil(void)
{
    int done = NAME();
    NO_TAIL_CALL();
    return done;
}

int toil_nap(void)
{
    int err = usleep(1000);
    NO_TAIL_CALL();
    return !err;
}
