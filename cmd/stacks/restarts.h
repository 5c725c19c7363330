/* Which system calls the kernel begins anew after a stop. */
#ifndef THRACE_CMD_STACKS_RESTARTS_H
#define THRACE_CMD_STACKS_RESTARTS_H

#include "cmd/stacks/thread.h"

/*
 * The program sees nothing of a stop in the thread's call. Others fail with EINTR (signal(7)), or end early with what
 * was moved so far, as a large write to a pipe does. What is not known here is one of them.
 */
bool goes_on_after_stop(const struct process *p, const struct thread *t);

#endif
