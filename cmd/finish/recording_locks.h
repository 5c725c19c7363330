/* Reads how locks were used: from records, and from the tables of threads that stayed in the pool. */
#ifndef THRACE_CMD_FINISH_RECORDING_LOCKS_H
#define THRACE_CMD_FINISH_RECORDING_LOCKS_H

#include <stdbool.h>

#include "cmd/finish/recording.h"
#include "cmd/finish/spool_read.h"

struct cursor;

/* A META_LOCK behind its tag. False: out of memory. */
bool recording_read_lock(struct recording *r, struct cursor *c, uint64_t generation);

/* The entries of a table. NULL, or what is wrong. */
const char *recording_read_locks(struct recording *r, const struct spool_batch *b);

/* Once objects have their names: adds up what there is of each lock. */
void recording_merge_locks(struct recording *r);

#endif
