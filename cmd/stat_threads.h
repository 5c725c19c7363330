/* The tables of thrace stat about threads. */
#ifndef THRACE_CMD_STAT_THREADS_H
#define THRACE_CMD_STAT_THREADS_H

#include "cmd/stat_parts.h"
#include "parser/analyze/stat_collect.h"

/* On a first screen those of a name in one row, else each. False: memory is short. */
bool stat_threads(const struct stat *s, struct report *r);

#endif
