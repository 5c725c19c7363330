/* What thrace stat --tasks prints. */
#ifndef THRACE_CMD_STAT_TASKS_H
#define THRACE_CMD_STAT_TASKS_H

#include "cmd/stat_parts.h"
#include "parser/analyze/tasks.h"

/* Reports t, which is finished; in: NULL if the report has begun. False: memory is short. */
bool stat_tasks(const struct tasks *t, const struct stat_input *in, struct report *r);

#endif
