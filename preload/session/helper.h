/* The helper thread: how others come to it, and what it is given to do. */
#ifndef THRACE_PRELOAD_SESSION_HELPER_H
#define THRACE_PRELOAD_SESSION_HELPER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* All but run may be NULL. A table of jobs ends with one without it. */
struct helper_job {
    void (*prepare)(void); /* the calling thread is about to make the helper */
    void (*begin)(void);   /* in the helper, before anything else */
    void (*run)(void);     /* in the helper, whenever it is woken or a job is due */
    uint64_t (*due)(void); /* when to run again though nobody wakes the helper: CLOCK_MONOTONIC, ns; UINT64_MAX: never */
    void (*end)(void);     /* in the helper, last; or it could not be made */
    void (*forget)(void);  /* in the child of a fork, which has no helper */
};

extern const struct helper_job helper_jobs[]; /* session/upcalls.c */

/* Makes sure that the helper thread runs, if it is needed. */
void helper_start(void);
void helper_stop(void);

/* The same, and helper_start leaves it at that, until something is recorded or helper_start_for_triggers is called. */
void helper_stop_for_good(void);
void helper_forget(void);

/* It is needed from now on, whatever is recorded. */
void helper_start_for_triggers(void);

/*
 * A thread of the library's own: with the program's signals blocked, and a small stack. The first thing it calls is
 * helper_settle, with its name: then it has a file table of its own.
 */
bool helper_create(pthread_t *thread, void *(*run)(void *));
void helper_settle(const char *name);

/* False when there is no helper. Async-signal-safe. */
bool helper_wake(void);

#endif
