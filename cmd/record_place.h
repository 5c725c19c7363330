/* Where a recording goes. */
#ifndef THRACE_CMD_RECORD_PLACE_H
#define THRACE_CMD_RECORD_PLACE_H

#include <stdbool.h>

/*
 * The program makes the spool; this finds out beforehand whether it can, and complains if not. Where a pattern leads is
 * not known yet.
 */
bool can_record_to(const char *verb, const char *out);

#endif
