/*
 * Who waited at a futex before anything was recorded: in no queue of ours, but the kernel wakes them first. So who wakes
 * some there says so of nobody else before that many. Any thread, async-signal-safe; no lock.
 */
#ifndef THRACE_PRELOAD_OLD_WAITERS_H
#define THRACE_PRELOAD_OLD_WAITERS_H

#include <stdint.h>

struct thread;

/* The thread waits at that futex; and it does no more, if it did. */
void old_waiter_comes(struct thread *t, uintptr_t futex);
void old_waiter_leaves(struct thread *t);

/* How many do still: of a semaphore, which begins with its futex, too. A load, where nobody was attached to. */
uint32_t futex_old_waiters(const void *futex);
uint32_t condition_old_waiters(const void *cond);

#endif
