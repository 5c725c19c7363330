/* Where the trace of a spool goes. No path that a spool has in it is ever written to. */
#ifndef THRACE_CMD_FINISH_TRACE_PATH_H
#define THRACE_CMD_FINISH_TRACE_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/spool.h"

/* Beside the spool, under its name without ".spool". False: it is not the name of a spool. */
bool trace_path_of(const char *spool, char *path, size_t size);

/*
 * The same, or `out` where that is given. A file of the name that is newer than the recording is another process's:
 * then the trace gets the pid in its name. NULL, or why there is none.
 */
const char *trace_path_choose(const struct spool_header *h, const char *spool, const char *out, char *path,
                              size_t size);

/* OUT.N.spool: the process went on to execute another program. */
bool is_earlier_image(const struct spool_header *h, const char *spool);

#endif
