/* What thrace record shows of thrace stat. */
#ifndef THRACE_CMD_STAT_H
#define THRACE_CMD_STAT_H

#include <stdio.h>

/* Prints what the threads of the trace waited for, with so many rows a table; complains as verb when it cannot. */
void stat_head(const char *verb, const char *path, FILE *out, int rows);

#endif
