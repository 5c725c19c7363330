/*
 * Which thread of a process the library can be loaded in, at this moment: one that holds no lock that loading takes, as
 * far as can be told from its stack. That is a thread that waits in a system call which goes on afterwards as if
 * nothing had been, and not within the loader; or one in the middle of the program's own code.
 */
#ifndef THRACE_CMD_ATTACH_PLACE_H
#define THRACE_CMD_ATTACH_PLACE_H

#include "cmd/attach/tracee.h"
#include "cmd/attach/waits.h"

/* How long one is looked for, others are tried after the first, and a worker waits for the loader's lock. */
#define PLACE_PATIENCE_NS UINT64_C(7500000000)

/* Where the threads of the process waited just before; and whether pthread_create need not wait for the loader. */
struct place_waits {
    struct waits list;
    bool loader_is_free;
};

/*
 * Holds such a thread. NULL, or why there is none. restorer: see tracee.h. The waits are to be freed in any case, and
 * what was looked at is to be closed, which takes its time, when no thread is held any more.
 */
const char *place_hold(struct process *p, struct tracee *t, uint64_t *restorer, struct place_waits *waits);
void place_close(void);

/* A tracee_may_leave of dlopen: another thread has the loader's lock; this one has done nothing but to ask for it. */
bool place_waits_for_loader(const struct tracee *t, const struct user_regs_struct *now);

#endif
