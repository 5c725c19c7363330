/* The table of thrace stat about system calls. */
#ifndef THRACE_CMD_STAT_SYSCALLS_H
#define THRACE_CMD_STAT_SYSCALLS_H

#include "cmd/stat_parts.h"
#include "parser/analyze/stat_collect.h"

/* By function and the program's place. False: memory is short. */
bool stat_syscalls(const struct stat *s, struct report *r);

#endif
