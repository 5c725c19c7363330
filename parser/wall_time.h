/* What a wall clock showed, as Go shows it. */
#ifndef THRACE_PARSER_WALL_TIME_H
#define THRACE_PARSER_WALL_TIME_H

#include "gotrace/reader.h"
#include "parser/raw_buffer.h"

/* Appends it as of RFC 3339 in the local time zone, without the zeros that the nanoseconds end in. */
void wall_time_print(struct raw_buffer *o, const struct gotrace_clock_snapshot *c);

#endif
