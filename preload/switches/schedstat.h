/*
 * For how long threads waited for a processor, by the kernel's own account: of each a sum since it was made, which is
 * right also where nobody sees when it was woken, and in the middle of calls. But for schedstat_ask the caller has the
 * lock of switches.h.
 */
#ifndef THRACE_PRELOAD_SWITCHES_SCHEDSTAT_H
#define THRACE_PRELOAD_SWITCHES_SCHEDSTAT_H

#include <stdbool.h>
#include <stdint.h>

/* A recording begins: writes what the sums of all threads are. */
void schedstat_begin(void);

/* Writes what they are now. */
void schedstat_write(void);

/* The caller, which began then, ends. It waits for the helper to read its sum, if that does not cost too much. */
void schedstat_ask(uint64_t began_ns);
bool schedstat_is_asked(void);
void schedstat_serve(void); /* by the helper */

/* In the child of a fork. */
void schedstat_forget(void);

#endif
