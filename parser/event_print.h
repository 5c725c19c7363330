/* The text of an event, for those that print many. */
#ifndef THRACE_PARSER_EVENT_PRINT_H
#define THRACE_PARSER_EVENT_PRINT_H

#include "parser/event.h"
#include "parser/raw_buffer.h"
#include "parser/stack_texts.h"

/* Appends what gotrace_event_print prints. texts: who prints many keeps them; NULL: none are kept. */
void event_print(struct raw_buffer *o, const struct gotrace_event *ev, struct stack_texts *texts);

#endif
