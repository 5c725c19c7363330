/* What a look at a process is told as. */
#ifndef THRACE_CMD_STACKS_REPORT_H
#define THRACE_CMD_STACKS_REPORT_H

#include <stdio.h>

#include "cmd/stacks/look.h"

/*
 * Threads with the same stack are told together: first those that wait for each other, then those that run, then those
 * that wait for somebody, then the others. depth: frames of each stack at most. False: memory is short.
 */
bool report_stacks(const struct look *l, size_t depth, FILE *out);

#endif
