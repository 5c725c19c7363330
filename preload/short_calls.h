/* System calls that were too short to be shown (THRACE_MIN_CALL): counted by function, and reported at the end. */
#ifndef THRACE_PRELOAD_SHORT_CALLS_H
#define THRACE_PRELOAD_SHORT_CALLS_H

#include "preload/thread.h"

/* By the thread that owns them. */
void short_calls_count(struct short_calls *s, uintptr_t leaf, uint64_t calls, uint64_t ticks);

/* The thread ends: adds its counts to those of the process, and forgets them. Takes the registry lock. */
void short_calls_collect(struct short_calls *of_thread);

/* At the end of the recording: writes the counts of the process and of all its threads. */
void short_calls_write(void);

#endif
