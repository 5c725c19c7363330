/*
 * Who looks at the events of a trace, one after the other: an analysis, an exporter, a printer. So what reads a trace
 * and what makes something of it know nothing of each other.
 */
#ifndef THRACE_PARSER_ANALYZE_CONSUMER_H
#define THRACE_PARSER_ANALYZE_CONSUMER_H

#include <stdbool.h>

#include "gotrace/reader.h"

/* Each may be NULL, when there is nothing to do. False: the consumer has failed, and is shown nothing more. */
struct event_consumer {
    bool (*begin)(void *state, const struct gotrace_reader *r); /* the version is known, if the trace has one */
    bool (*event)(void *state, const struct gotrace_event *ev);
    bool (*end)(void *state); /* of what could be read: gotrace_reader_error tells whether that was all */
};

/* Shows it the whole trace. Whether the consumer has taken it all. */
bool consume_events(struct gotrace_reader *r, const struct event_consumer *c, void *state);

#endif
