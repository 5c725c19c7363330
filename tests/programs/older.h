/* What the programs under test use of glibc 2.32 to 2.34, for older ones. */
#ifndef THRACE_TESTS_OLDER_H
#define THRACE_TESTS_OLDER_H

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#if !__GLIBC_PREREQ(2, 32)
static inline const char *strerrorname_np(int error)
{
    switch (error) {
    case 0: return "0";
#define THRACE_ERRNO(name) case name: return #name;
#include "lib/errnos.def"
#undef THRACE_ERRNO
    default: return NULL;
    }
}

static inline int pthread_attr_setsigmask_np(pthread_attr_t *attr, const sigset_t *mask)
{
    (void)attr, (void)mask;
    return ENOTSUP;
}
#endif

#if !__GLIBC_PREREQ(2, 33)
#define mallinfo2 mallinfo
#endif

#if !__GLIBC_PREREQ(2, 34)
static inline int close_range(unsigned from, unsigned to, int flags)
{
    (void)flags;
    for (unsigned fd = from; fd <= to && fd < 65536; fd++)
        close((int)fd);
    return 0;
}
#endif

#endif
