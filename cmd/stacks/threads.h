/*
 * What the threads of a process do at one moment, and their stacks.
 *
 * A thread that waits in a system call is looked at as it is: the kernel says its stack pointer, and that it did not
 * move while its stack was copied. Only those that run, and those whose frames cannot be found without their frame
 * pointer, are stopped, all at once, for as long as it takes to copy what they have. A system call that would then fail
 * with EINTR, or end early, is not interrupted: the rest of that stack is not known. (A thread that runs may be about
 * to enter such a call. It is looked at once more just before.)
 */
#ifndef THRACE_CMD_STACKS_THREADS_H
#define THRACE_CMD_STACKS_THREADS_H

#include "cmd/stacks/stop.h"

/* Which threads may be stopped, if that is what it takes: all but those whose call would fail, none, all. */
enum stops { STOP_SAFE, STOP_NONE, STOP_ALL };

struct threads {
    VEC(struct thread) list; /* by TID */
    struct stops_done stops;
};

/* Looks at all threads. NULL, or why that was not possible. */
const char *threads_look(struct threads *ts, struct process *p, struct modules *ms, enum stops stops);
void threads_free(struct threads *ts);

/* The one of that number as the process sees it; NULL: there is none. */
const struct thread *threads_find(const struct threads *ts, pid_t own_tid);

#endif
