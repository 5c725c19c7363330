/*
 * Doing a call again that failed with EINTR because a sample was taken (sampler/retry.c). In the wrapper where that can
 * be, because a function more that returns after the system call costs 25 ns: the kernel leaves the processor's memory
 * of return addresses empty.
 */
#ifndef THRACE_PRELOAD_RETRY_H
#define THRACE_PRELOAD_RETRY_H

#include <errno.h>
#include <time.h>

#include "lib/clock.h"
#include "preload/attributes.h"
#include "preload/thread.h"

/* The calls of this thread that a sample made fail so far. */
static inline uint32_t interruptions(void)
{
    const struct thread *t = self;
    return t && t != THREAD_OFF ? __atomic_load_n(&t->sample.interrupted, __ATOMIC_RELAXED) : 0;
}

/*
 * Does `call` until it fails otherwise or not at all, or `prepared`, which is asked before each further time, is false.
 * errno is that of the last time.
 */
#define RETRIED_IF(failed, call, prepared)                                                                             \
    ({                                                                                                                 \
        int before_ = errno;                                                                                           \
        uint32_t mark_ = interruptions();                                                                              \
        __typeof__(call) result_;                                                                                      \
        while (unlikely((result_ = (call)) == (failed)) && errno == EINTR && interruptions() != mark_ && (prepared)) { \
            mark_ = interruptions();                                                                                   \
            errno = before_;                                                                                           \
        }                                                                                                              \
        result_;                                                                                                       \
    })

/* The same; `again` is done before each further time. */
#define RETRIED(failed, call, again) RETRIED_IF(failed, call, ((again), true))

/* What is left of a time that began then, on CLOCK_MONOTONIC, in ns. */
static inline uint64_t retry_left(uint64_t began, uint64_t ns)
{
    uint64_t gone = clock_mono_ns() - began;
    return gone < ns ? ns - gone : 0;
}

/* The same of a timeout of a call, rounded up; negative: there is none. */
static inline int retry_rest_ms(uint64_t began, int timeout)
{
    return timeout > 0 ? (int)((retry_left(began, (uint64_t)timeout * 1000000) + 999999) / 1000000) : timeout;
}

/* NULL: there is none. Looks at it only now, when the kernel has found that it can be read. */
static inline const struct timespec *retry_rest(uint64_t began, const struct timespec *timeout, struct timespec *rest)
{
    if (!timeout || timeout->tv_sec > INT32_MAX) /* decades, which need not be counted */
        return timeout;
    uint64_t ns = retry_left(began, (uint64_t)timeout->tv_sec * 1000000000 + (uint64_t)timeout->tv_nsec);
    *rest = (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    return rest;
}

#endif
