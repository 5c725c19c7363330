/* The tables of thrace stat about what was waited for, and who is to blame. */
#ifndef THRACE_CMD_STAT_LOCKS_H
#define THRACE_CMD_STAT_LOCKS_H

#include "cmd/stat_parts.h"
#include "parser/analyze/stat_collect.h"

/*
 * Reports what was waited for; on a first screen only a few, and what is no lock if work was held up by that. False:
 * memory is short.
 */
bool stat_locks(const struct stat *s, struct report *r);

/* The same, or that the trace does not say it. */
bool stat_locks_only(const struct stat *s, struct report *r);

#endif
