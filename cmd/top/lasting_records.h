/*
 * What a recording that is followed has said so far and still holds: threads, names, modules, and where thrace itself
 * is. For one thread.
 */
#ifndef THRACE_CMD_TOP_LASTING_RECORDS_H
#define THRACE_CMD_TOP_LASTING_RECORDS_H

#include <stdbool.h>

#include "cmd/finish/spool_read.h"
#include "parser/idmap.h"

struct lasting_records {
    struct spool_batches batches; /* the bytes are its own */
    size_t enough;                /* with more batches, what is told twice is to be forgotten */
};

/* Keeps those records of a batch that last. False: memory is short. */
bool lasting_records_keep(struct lasting_records *l, const struct spool_batch *b);

/* Forgets what newer records say again, and what is said of threads that ended. False: memory is short. */
bool lasting_records_trim(struct lasting_records *l, const struct idmap *ended);

void lasting_records_drop(struct lasting_records *l);
void lasting_records_free(struct lasting_records *l);

#endif
