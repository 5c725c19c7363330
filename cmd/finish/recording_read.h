/* Reading the events and meta records of a spool. */
#ifndef THRACE_CMD_FINISH_RECORDING_READ_H
#define THRACE_CMD_FINISH_RECORDING_READ_H

#include "cmd/finish/recording.h"
#include "cmd/finish/spool_read.h"

/* NULL, or one line that says what is wrong. The caller frees r in any case. */
const char *recording_read(struct recording *r, const struct spool_file *f);

#endif
