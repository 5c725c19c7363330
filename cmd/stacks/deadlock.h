/* Threads that wait for each other in a circle. */
#ifndef THRACE_CMD_STACKS_DEADLOCK_H
#define THRACE_CMD_STACKS_DEADLOCK_H

#include "cmd/stacks/wait.h"

/*
 * Marks in in_circle, one for each thread, those that are in a circle: each waits, without a time limit, for a lock
 * that the next one holds, or for its end. All of them are looked at twice, and who holds what in between, so that a
 * circle was one at that moment. next has the number of the thread that each waits for, SIZE_MAX: none. False: memory
 * is short.
 */
bool deadlocks_find(const struct process *p, const struct threads *ts, const struct wait *waits, size_t *next,
                    bool *in_circle);

#endif
