/* What thrace stat says of memory. */
#ifndef THRACE_CMD_STAT_HEAP_H
#define THRACE_CMD_STAT_HEAP_H

#include "cmd/stat_parts.h"
#include "parser/analyze/stat_collect.h"

/* False: memory is short. */
bool stat_heap(const struct stat *s, struct report *r);

#endif
