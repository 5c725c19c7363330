/* The text of v1 events, as go tool trace -d of Go 1.21 has it. */
#ifndef THRACE_PARSER_V1_PRINT_H
#define THRACE_PARSER_V1_PRINT_H

#include "parser/raw_buffer.h"
#include "parser/v1/trace.h"

/* Adds the line of an event. */
void v1_print(struct raw_buffer *o, const struct v1_trace *t, const struct v1_event *ev);

#endif
