/* The table of thrace stat about waits, where they were and who ended them. */
#ifndef THRACE_CMD_STAT_WAITS_H
#define THRACE_CMD_STAT_WAITS_H

#include "cmd/stat_parts.h"
#include "parser/analyze/stat_collect.h"

/* All of them; on a first screen those that held work up, and a line about the idle ones. False: memory is short. */
bool stat_waits(const struct stat *s, struct report *r);

#endif
