/* Where a process that is recorded has its spool. */
#ifndef THRACE_CMD_TOP_FIND_SPOOL_H
#define THRACE_CMD_TOP_FIND_SPOOL_H

#include "cmd/finish/process_life.h"
#include "cmd/finish/spool_claim.h"

/*
 * Opens the spool that it records to now, by what it has mapped, and believes what is there only if it is of that
 * process: s. NULL, or why there is none. To be ended with spool_claim_end(), which removes nothing.
 */
const char *find_spool(struct spool_claim *claim, pid_t pid, const struct process_stat *s);

#endif
