/* Names of system calls, with the errnos that each is made to fail with, and of errnos. */
#ifndef THRACE_TESTS_FAULTS_CALLS_H
#define THRACE_TESTS_FAULTS_CALLS_H

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

static const struct {
    int number;
    const char *name, *errnos;
} calls[] = {
#define FAULT(call, errnos) {SYS_##call, #call, errnos},
#include "calls.def"
#undef FAULT
};
enum { NCALLS = sizeof calls / sizeof *calls };

static const struct {
    int number;
    const char *name;
} errors[] = {
#define THRACE_ERRNO(name) {name, #name},
#include "lib/errnos.def"
#undef THRACE_ERRNO
};
enum { NERRORS = sizeof errors / sizeof *errors };

static inline int call_number(const char *name)
{
    for (int i = 0; i < NCALLS; i++)
        if (!strcmp(calls[i].name, name))
            return calls[i].number;
    return -1;
}

static inline const char *call_name(int number)
{
    for (int i = 0; i < NCALLS; i++)
        if (calls[i].number == number)
            return calls[i].name;
    return NULL;
}

static inline int error_number(const char *name)
{
    for (int i = 0; i < NERRORS; i++)
        if (!strcmp(errors[i].name, name))
            return errors[i].number;
    return 0;
}

#endif
