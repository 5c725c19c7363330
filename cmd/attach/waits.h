/* Where the threads of a process wait, and for which object, as seen from outside: the library begins with that. */
#ifndef THRACE_CMD_ATTACH_WAITS_H
#define THRACE_CMD_ATTACH_WAITS_H

#include "cmd/attach/remote_function.h"
#include "cmd/stacks/threads.h"
#include "lib/control.h"
#include "parser/vec.h"

enum { WAITING_FUNCTIONS = 13 };

struct waits {
    struct attach_wait *v; /* by tid */
    size_t n, cap;
    struct remote_range functions[WAITING_FUNCTIONS]; /* where those of libc are that wait for an object */
};

/* Before a thread is held: looking for functions takes its time. */
void waits_prepare(struct waits *waits, const struct process *p);

/* Of those that are in a system call. Where memory is short some are missing. To be freed with VEC_FREE. */
void waits_take(struct waits *waits, const struct threads *ts);

#endif
