/* Where the threads of a process wait, and for which object, as seen from outside: the library begins with that. */
#ifndef THRACE_CMD_ATTACH_WAITS_H
#define THRACE_CMD_ATTACH_WAITS_H

#include "cmd/stacks/threads.h"
#include "lib/control.h"
#include "parser/vec.h"

struct waits {
    struct attach_wait *v;
    size_t n, cap;
};

/* Of those that are in a system call; by tid. Where memory is short some are missing. To be freed with VEC_FREE. */
void waits_take(struct waits *waits, const struct process *p, const struct threads *ts);

#endif
