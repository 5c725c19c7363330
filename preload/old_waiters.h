/*
 * Who waited for a condition or semaphore before anything was recorded: in no queue of ours, but the kernel wakes them
 * first. As long as there is one, who releases that object says of nobody else that he was woken. Any thread,
 * async-signal-safe; no lock.
 */
#ifndef THRACE_PRELOAD_OLD_WAITERS_H
#define THRACE_PRELOAD_OLD_WAITERS_H

#include <stdbool.h>
#include <stdint.h>

struct thread;

/* The thread waits for that futex, which may be a word of a condition, or a semaphore; and it does no more, if it did. */
void old_waiter_comes(struct thread *t, uintptr_t word);
void old_waiter_leaves(struct thread *t);

/* Somebody may. */
bool has_old_waiters(const void *object);

#endif
