/* The tables of thrace stat about what was waited for, and who is to blame. */
#ifndef THRACE_CMD_STAT_LOCKS_H
#define THRACE_CMD_STAT_LOCKS_H

#include <stdio.h>

#include "parser/analyze/stat_collect.h"

/* Prints at most rows of each table; tables without rows are left out. False: memory is short. */
bool stat_locks(const struct stat *s, size_t rows, FILE *out);

/* These tables alone. */
bool stat_report_locks(const struct stat *s, const char *path, FILE *out);

#endif
