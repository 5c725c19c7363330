/* What thrace stat prints. */
#ifndef THRACE_CMD_STAT_REPORT_H
#define THRACE_CMD_STAT_REPORT_H

#include "cmd/stat_parts.h"
#include "parser/analyze/stat_collect.h"

/* What may be asked for, instead of a first screen. */
enum stat_section {
    STAT_LOCKS = 1 << 0,
    STAT_WAITS = 1 << 1,
    STAT_SYSCALLS = 1 << 2,
    STAT_CPU = 1 << 3,
    STAT_THREADS = 1 << 4,
    STAT_HEAP = 1 << 5,
    STAT_TASKS = 1 << 6, /* which are summed up by themselves */
    STAT_LOCK_STATS = 1 << 7,
    STAT_RUN_QUEUE = 1 << 8,
    STAT_ALL = (1 << 9) - 1,
};

/* Reports s, which is finished. sections: STAT_..., or 0, for a first screen. False: memory is short. */
bool stat_report(const struct stat *s, unsigned sections, const struct stat_input *in, struct report *r);

/* The first screen's head: the states, locks, and the waits that held work up. */
bool stat_report_head(const struct stat *s, const struct stat_input *in, struct report *r);

#endif
