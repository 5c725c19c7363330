/* Prints the summary of a recording that was finished. */
#ifndef THRACE_CMD_FINISH_REPORT_H
#define THRACE_CMD_FINISH_REPORT_H

#include "cmd/finish/finish_summary.h"

/* "thrace: 5 threads, 1,234 events, …" on stderr. */
void finish_report(const struct finish_summary *s);

#endif
