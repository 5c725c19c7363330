/* The helper thread: what it is for, and how others come to it. */
#ifndef THRACE_PRELOAD_SESSION_HELPER_H
#define THRACE_PRELOAD_SESSION_HELPER_H

#include <pthread.h>
#include <stdbool.h>

/* Makes sure that the helper thread runs: it drains, grows the pool and begins generations. */
void helper_start(void);
void helper_stop(void);
void helper_forget(void);

/* It is needed from now on, whatever is recorded: there are orders to obey. listen: and somebody may give others. */
void helper_start_for_orders(bool listen);

/*
 * A thread of the shim's own: with the program's signals blocked, and a small stack. The first thing it calls is
 * helper_settle, with its name: then it has a file table of its own.
 */
bool helper_create(pthread_t *thread, void *(*run)(void *));
void helper_settle(const char *name);

/* False when there is no helper. Async-signal-safe. */
bool helper_wake(void);

#endif
