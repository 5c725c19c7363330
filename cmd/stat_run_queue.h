/* The tables of thrace stat that say for how long threads could run and did not. */
#ifndef THRACE_CMD_STAT_RUN_QUEUE_H
#define THRACE_CMD_STAT_RUN_QUEUE_H

#include "cmd/stat_parts.h"
#include "parser/analyze/stat_collect.h"

/* On a first screen only if that was some of the time, and the kernel has said so. False: memory is short. */
bool stat_run_queue(const struct stat *s, struct report *r);

/* Asked for as such. */
bool stat_run_queue_only(const struct stat *s, struct report *r);

#endif
