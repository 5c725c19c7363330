/* What a generation says of its clock, in a batch of its own: a Frequency and, in a version with clocks, a snapshot. */
#ifndef THRACE_PARSER_CLOCK_EVENTS_H
#define THRACE_PARSER_CLOCK_EVENTS_H

#include "lib/wire/events.h"
#include "parser/batch.h"

/* Whether that is what the batch holds: it begins with a Frequency or, with clocks, with a Sync in front of that. */
bool is_clock_batch(const struct batch *b, bool clocks);

/* Where the first event of such a batch is. */
const uint8_t *clock_events(const struct batch *b, bool clocks);

/* Reads the event at p, a Frequency or ClockSnapshot. Returns the byte after it; NULL: f says why not. */
const uint8_t *clock_event_get(const struct batch *b, bool clocks, const uint8_t *p, uint64_t args[EVENT_MAX_ARGS],
                               struct failure *f);

#endif
