/* The time of a thread in the kernel, of which events say nothing. */
#ifndef THRACE_PRELOAD_SAMPLER_SAMPLE_KERNEL_H
#define THRACE_PRELOAD_SAMPLER_SAMPLE_KERNEL_H

#include "preload/thread.h"

/*
 * The handler's part where a thread has both a timer and an event: for how many samples a signal stands, none to many.
 * `periods` of the thread's CPU time are over since the timer's last signal.
 */
uint64_t sample_user_time(struct thread *t);
uint64_t sample_kernel_time(struct thread *t, uint64_t periods, const void *context);

#endif
