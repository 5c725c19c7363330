/* The part of thrace stat that thrace record shows. */
#ifndef THRACE_CMD_STAT_H
#define THRACE_CMD_STAT_H

#include <stdio.h>

/* Prints what the threads of the trace waited for; complains as verb when it cannot. */
void stat_head(const char *verb, const char *path, FILE *out);

#endif
