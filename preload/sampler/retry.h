/* Calls that a handler makes return EINTR even with SA_RESTART. */
#ifndef THRACE_PRELOAD_SAMPLER_RETRY_H
#define THRACE_PRELOAD_SAMPLER_RETRY_H

#include "preload/thread.h"

/* Replaces, in `real`, the calls that a handler makes return EINTR even with SA_RESTART (retry.c). */
void retry_install(void);

/* A socket was given a timeout: receiving and sending may fail with EINTR from now on. */
void retry_sockets(void);

/* The handler's part: notes when a system call was interrupted by this signal and will return EINTR. */
void retry_note(struct thread *t, const void *context);

#endif
