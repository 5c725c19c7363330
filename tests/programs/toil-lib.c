/*
 * A library to be loaded, used and unloaded: NAME computes for a while. Two of it have their code at the same offsets.
 */
#include "program.h"

int toil(void);

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
