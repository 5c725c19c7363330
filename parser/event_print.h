/* The text of an event, for those that print many. */
#ifndef THRACE_PARSER_EVENT_PRINT_H
#define THRACE_PARSER_EVENT_PRINT_H

#include "parser/event.h"
#include "parser/raw_buffer.h"

/* Appends what gotrace_event_print prints. */
void event_print(struct raw_buffer *o, const struct gotrace_event *ev);

#endif
