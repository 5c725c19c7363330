/* The tables of thrace stat about what was waited for, and who is to blame. */
#ifndef THRACE_CMD_STAT_LOCKS_H
#define THRACE_CMD_STAT_LOCKS_H

#include "cmd/stat_parts.h"
#include "parser/analyze/stat_collect.h"

/* Reports at most rows of each table. False: memory is short. */
bool stat_locks(const struct stat *s, size_t rows, struct report *r);

/* These tables alone. */
bool stat_report_locks(const struct stat *s, const struct stat_input *in, struct report *r);

#endif
