/* Where a process that is recorded has its spool. */
#ifndef THRACE_CMD_TOP_FIND_SPOOL_H
#define THRACE_CMD_TOP_FIND_SPOOL_H

#include <limits.h>

#include "cmd/finish/process_life.h"
#include "cmd/finish/spool_claim.h"

enum { FOUND_SPOOL_SIZE = PATH_MAX + 64 };

/*
 * Opens the spool that it records to now, by what it has mapped, and believes what is there only if it is of that
 * process: s. found: its path. NULL, or why there is none: is_not_recorded, if nothing is. To be ended with
 * spool_claim_end(), which removes nothing.
 */
const char *find_spool(struct spool_claim *claim, char found[FOUND_SPOOL_SIZE], pid_t pid,
                       const struct process_stat *s);
extern const char is_not_recorded[];

/* The same of the spool at that path. NULL, or why it is none; "": it is another one. */
const char *find_spool_at(struct spool_claim *claim, const char *path, pid_t pid, const struct process_stat *s);

#endif
