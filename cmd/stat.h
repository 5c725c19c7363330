/* What thrace record shows of thrace stat. */
#ifndef THRACE_CMD_STAT_H
#define THRACE_CMD_STAT_H

#include <stdio.h>

/* Prints at most so many of thrace stat's first lines about the trace; complains as verb when it cannot. */
void stat_head(const char *verb, const char *path, FILE *out, int lines);

#endif
