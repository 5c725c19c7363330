/* What thrace critical prints. */
#ifndef THRACE_CMD_CRITICAL_REPORT_H
#define THRACE_CMD_CRITICAL_REPORT_H

#include "cmd/stat_parts.h"
#include "parser/analyze/path_find.h"

/* Of the longest stretches no more are shown to anybody. */
enum { CRITICAL_STRETCHES = 100000 };

/* task: its number, or NULL. False: memory is short, or c->log.error is set. */
bool critical_report(struct path_collect *c, const struct path_end *end, const char *task, const struct stat_input *in,
                     struct report *report);

#endif
