/* What thrace stat prints. */
#ifndef THRACE_CMD_STAT_REPORT_H
#define THRACE_CMD_STAT_REPORT_H

#include <stdio.h>

#include "parser/analyze/stat_collect.h"

/* Prints s, which is finished, with s->rows rows a section. False: memory is short. */
bool stat_report(const struct stat *s, const char *path, FILE *out);

/* The same in short: the states, the waits that threads ended, which they may end earlier, and the longest others. */
bool stat_report_head(const struct stat *s, const char *path, FILE *out);

#endif
