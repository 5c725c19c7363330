/*
 * A library to be loaded, used and unloaded: NAME computes for a while. Two of it have their code at the same offsets.
 */
#include "program.h"

int toil(void);
int toil_nap(void);

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
