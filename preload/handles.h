/*
 * Which thread a pthread_t stands for, for who joins it. A table of fixed size without locks: who joins may be torn out
 * of the call, by a signal handler that leaves it.
 */
#ifndef THRACE_PRELOAD_HANDLES_H
#define THRACE_PRELOAD_HANDLES_H

#include <pthread.h>
#include <stdint.h>

/* The handle is that of this goroutine from now on. */
void handle_remember(pthread_t handle, uint64_t g);

/* The goroutine that the handle was given to last; 0: it is not known any more. */
uint64_t handle_goroutine(pthread_t handle);

#endif
