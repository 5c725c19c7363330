/*
 * Writes a v1 trace as one of v2: docs/versions.md says what changes. The events are those that parser/as_v2 makes of
 * it, in their order, which is that of their times. Each has to be possible when its turn comes, as nothing else tells
 * a reader of v2 in which order they were.
 */
#ifndef THRACE_PARSER_FROM_V1_FROM_V1_H
#define THRACE_PARSER_FROM_V1_FROM_V1_H

#include "parser/convert.h"

/*
 * Reads a v1 trace from behind its header and writes it as version to. False: f says why, and status GOTRACE_OK means
 * that write failed.
 */
bool convert_v1(struct source *s, const struct wire_version *to, convert_write *write, void *arg,
                struct converted *done, struct failure *f);

#endif
