/*
 * Who waited at the futex of a condition or semaphore, or one of the program's own, before anything was recorded: in no
 * queue of ours, but the kernel wakes them first. So who wakes some there says so of nobody else before that many. There
 * is room for some ten thousand places in the life of a process; who waits at another is not counted. Any thread,
 * async-signal-safe; no lock.
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
