/*
 * Doing a call again that failed with EINTR because a sample was taken (sampler/retry.c). In the wrapper where that can
 * be, because a function more that returns after the system call costs 25 ns: the kernel leaves the processor's memory
 * of return addresses empty.
 */
#ifndef THRACE_PRELOAD_RETRY_H
#define THRACE_PRELOAD_RETRY_H

#include <errno.h>

#include "preload/attributes.h"
#include "preload/thread.h"

/* The calls of this thread that a sample made fail so far. */
static inline uint32_t interruptions(void)
{
    const struct thread *t = self;
    return t && t != THREAD_OFF ? __atomic_load_n(&t->sample.interrupted, __ATOMIC_RELAXED) : 0;
}

/* Does `call` until it fails otherwise or not at all; `again` before each further time. errno is that of the last. */
#define RETRIED(failed, call, again)                                                                                 \
    ({                                                                                                                 \
        int before_ = errno;                                                                                           \
        uint32_t mark_ = interruptions();                                                                              \
        __typeof__(call) result_;                                                                                      \
        while (unlikely((result_ = (call)) == (failed)) && errno == EINTR && interruptions() != mark_) {               \
            mark_ = interruptions();                                                                                   \
            errno = before_;                                                                                           \
            again;                                                                                                     \
        }                                                                                                              \
        result_;                                                                                                       \
    })

#endif
