/* What a page shows besides stretches and samples: regions, ranges, tasks, messages, memory. */
#ifndef THRACE_CMD_VIEW_MARKS_H
#define THRACE_CMD_VIEW_MARKS_H

#include "cmd/view/lane.h"

/* An event that may be one of these. */
void marks_event(struct lanes *l, const struct gotrace_event *ev);

/* The thread has ended: so have its regions. */
void marks_gone(struct lanes *l, struct lane *lane, int64_t now);

/* The trace has ended. */
void marks_end(struct lanes *l);

#endif
