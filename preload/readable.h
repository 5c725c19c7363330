/*
 * Memory of the program that may not be there, copied without a fault. rt_sigprocmask takes a copy of a set before it
 * looks at what is to be done with it, which is nothing here: EFAULT says that the set cannot be read.
 * process_vm_readv would copy at once, but sandboxes may kill for it.
 */
#ifndef THRACE_PRELOAD_READABLE_H
#define THRACE_PRELOAD_READABLE_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

#include "lib/rawsys.h"

enum { READABLE_PAGE = 4096, READABLE_WORD = 8 };

/* Whether the page can be read. NULL would be no set, of which the kernel says nothing. */
static inline bool is_readable(uintptr_t at)
{
    enum { NO_SUCH_THING_TO_DO = -1 };
    at &= ~(uintptr_t)(READABLE_WORD - 1);
    return at && raw_syscall(SYS_rt_sigprocmask, NO_SUCH_THING_TO_DO, (long)at, 0, READABLE_WORD, 0, 0) != -EFAULT;
}

/* Copies what can be read of n bytes, up to the first page that cannot. Returns how many. */
static inline unsigned long copy_readable(void *to, uintptr_t from, unsigned long n)
{
    unsigned long done = 0;
    while (done < n && is_readable(from + done)) {
        unsigned long page = READABLE_PAGE - (from + done) % READABLE_PAGE, part = n - done < page ? n - done : page;
        memcpy((char *)to + done, (const void *)(from + done), part);
        done += part;
    }
    return done;
}

#endif
