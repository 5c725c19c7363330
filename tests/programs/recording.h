/* For programs that record parts of their own run. */
#ifndef THRACE_TESTS_RECORDING_H
#define THRACE_TESTS_RECORDING_H

#include <errno.h>

#include <thrace/session.h>

/* A thread that has lost the processor may not give way in time; the program then tries again. */
static inline int start_recording(void)
{
    int err;
    do
        err = thrace_start();
    while (err == EBUSY);
    return err;
}

#endif
