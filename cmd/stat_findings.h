/* What thrace stat says above its tables: sentences about what was found, each with its evidence. */
#ifndef THRACE_CMD_STAT_FINDINGS_H
#define THRACE_CMD_STAT_FINDINGS_H

#include "cmd/report.h"
#include "parser/analyze/stat_collect.h"

/* Writes them, if there are any, of a report of all that a trace has. False: memory is short. */
bool stat_findings(const struct stat *s, struct report *r);

#endif
