/* What thrace stat prints. */
#ifndef THRACE_CMD_STAT_REPORT_H
#define THRACE_CMD_STAT_REPORT_H

#include "cmd/stat_parts.h"
#include "parser/analyze/stat_collect.h"

/* Reports s, which is finished. False: memory is short. */
bool stat_report(const struct stat *s, const struct stat_input *in, struct report *r);

/* The same in short: the states, the waits that threads ended, which they may end earlier, and the longest others. */
bool stat_report_head(const struct stat *s, const struct stat_input *in, struct report *r);

#endif
