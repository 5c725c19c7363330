/* What thrace stat --tasks prints. */
#ifndef THRACE_CMD_STAT_TASKS_H
#define THRACE_CMD_STAT_TASKS_H

#include <stdio.h>

#include "parser/analyze/tasks.h"

/* Prints t, which is finished, with t->rows rows a table. False: memory is short. */
bool stat_tasks(const struct tasks *t, const char *path, FILE *out);

#endif
