/* Which thread pthread_join waits for, where the word that it waits for does not say it. */
#ifndef THRACE_CMD_STACKS_JOINED_H
#define THRACE_CMD_STACKS_JOINED_H

#include "cmd/stacks/process.h"

/* By the word's address in glibc's record of the thread. 0: it is in none that is known. */
pid_t joined_thread(const struct process *p, uint64_t word);

#endif
