/*
 * Privileges: what a thread of the program drops by a system call of its own, the library's threads drop, too. glibc's
 * setuid and its like do that for all threads of the process, ours included; capset, prctl and syscall(2) do it for one.
 */
#ifndef THRACE_PRELOAD_SESSION_PRIVILEGES_H
#define THRACE_PRELOAD_SESSION_PRIVILEGES_H

#include <stdbool.h>

/*
 * The calling thread has changed its user, its groups, its capabilities or no_new_privs: when this returns the library's
 * threads have the same, or less; it waits for a second at most. Async-signal-safe.
 */
void privileges_follow(void);

/* The calling thread is about to make one of the library's own threads, which begins with what it has. */
enum privileges_of { PRIVILEGES_OF_HELPER, PRIVILEGES_OF_CONTROL, PRIVILEGES_THREADS };
void privileges_inherited(enum privileges_of who, bool (*wake)(void)); /* wake: false when it does not run */

/* By that thread, whenever it is woken, and when it ends. */
void privileges_adopt(enum privileges_of who);
void privileges_gone(enum privileges_of who);
void privileges_forget(void);

#endif
