/* Locks are counted (THRACE_LOCK_STATS): how often each is taken, after how many waits, and for how long it is held. */
#ifndef THRACE_PRELOAD_HOOKS_COUNTED_LOCKS_H
#define THRACE_PRELOAD_HOOKS_COUNTED_LOCKS_H

/* Once, in the constructor: puts functions that count before libc's, in `real`. */
void count_locks(void);

#endif
