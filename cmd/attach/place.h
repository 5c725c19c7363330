/*
 * Which thread of a process the library can be loaded in, at this moment: one that holds no lock that loading takes, as
 * far as can be told from its stack. That is a thread that waits in a system call which goes on afterwards as if
 * nothing had been, and not within the loader; or one in the middle of the program's own code.
 */
#ifndef THRACE_CMD_ATTACH_PLACE_H
#define THRACE_CMD_ATTACH_PLACE_H

#include "cmd/attach/tracee.h"

/* Holds such a thread. NULL, or why there is none. instruction: see tracee.h. */
const char *place_hold(struct process *p, struct tracee *t, uint64_t *instruction);

#endif
