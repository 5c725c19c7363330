/* Threads that come to life: what all that make threads share. */
#ifndef THRACE_PRELOAD_THREAD_START_H
#define THRACE_PRELOAD_THREAD_START_H

#include "preload/hook.h"

/* The calling thread is about to make a thread: writes its GoCreate. NULL when it cannot be recorded. */
struct thread *announce_thread(struct hook *h, const void *start_routine);

/* It was not made after all. */
void unannounce_thread(struct thread *child);

/* In the child of a fork, where what could not be made is gone with everything else. */
void forget_spares(void);

/* It was made: its handle. g is its G, taken before it could end. */
void know_handle(struct thread *child, uint64_t g, pthread_t handle);

/* The first thing in the new thread. */
void begin_thread(struct thread *t);

/* Bytes of the stack of a thread that is made without attributes. */
size_t default_stack_size(void);

#endif
