/*
 * How locks were used, in the trace: strings that no event refers to, as every version of the format may have them. So
 * readers skip them, and they stay in a trace that is moved, piped or converted. docs/model.md has their form.
 */
#ifndef THRACE_CMD_FINISH_LOCK_STATS_WRITE_H
#define THRACE_CMD_FINISH_LOCK_STATS_WRITE_H

#include "cmd/finish/recording.h"
#include "gotrace/builder.h"

/* Into the generation that has begun, whose other strings are written. 0, or -1: the builder says why. */
int lock_stats_write(const struct recording *r, struct gotrace_builder *b);

#endif
