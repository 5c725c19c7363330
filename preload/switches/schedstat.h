/*
 * For how long threads waited for a processor, by the kernel's own account: of each a sum since it was made, which is
 * right also where nobody sees when it was woken, and in the middle of calls. The caller has the lock of switches.h.
 */
#ifndef THRACE_PRELOAD_SWITCHES_SCHEDSTAT_H
#define THRACE_PRELOAD_SWITCHES_SCHEDSTAT_H

#include <stdbool.h>
#include <stdint.h>

/* A recording begins: writes what the sums of all threads are. */
void schedstat_begin(void);

/* The thread has had a processor, so its sum may be another one now. 0: some threads have, nobody knows which. */
void schedstat_ran(uint32_t tid);

/* Writes the sums of those. */
void schedstat_write(void);

/* Writes the caller's, which ends. */
void schedstat_write_own(void);

void schedstat_forget(void);

#endif
