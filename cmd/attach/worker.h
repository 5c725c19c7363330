/*
 * A thread that one of the program's makes, by pthread_create, to do in its stead what takes long: so the program's own
 * is held for no longer than that, and nobody waits for it who is in the loader meanwhile.
 */
#ifndef THRACE_CMD_ATTACH_WORKER_H
#define THRACE_CMD_ATTACH_WORKER_H

#include "cmd/attach/tracee.h"

/* Before anything is held: NULL, or why the process can have none. */
const char *worker_prepare(const struct process *p);

/*
 * How large its stack is, once that is prepared: as the program's own threads have it, unless they ask for another, so
 * that it gets the one of a thread that ended, without new memory.
 */
size_t worker_stack(void);

/* By a thread that is held, and prepared. NULL, or why there is none. */
const char *worker_make(struct tracee *maker);

/*
 * Holds the worker of a thread that has been let go, to be prepared as any other. NULL, or why not. Left to itself, as
 * where the command is killed, it sleeps for a second and ends.
 */
const char *worker_hold(struct tracee *worker, const struct tracee *maker);

/* Lets it go, and awaits its end. */
void worker_end(struct tracee *worker);

#endif
