/* The table of thrace stat about how locks were used, where the recording has counted that. */
#ifndef THRACE_CMD_STAT_LOCK_STATS_H
#define THRACE_CMD_STAT_LOCK_STATS_H

#include "cmd/stat_parts.h"
#include "parser/analyze/stat_collect.h"

/* False: memory is short. */
bool stat_lock_stats(const struct stat *s, struct report *r);

/* The same where it was asked for, which says if there is nothing. */
bool stat_lock_stats_only(const struct stat *s, struct report *r);

#endif
