/*
 * Times of the trace. Readers turn each distance between two events of a thread into nanoseconds, cut off the fraction,
 * and add up. With ticks of 24.65 ns the threads of a trace are hundreds of nanoseconds apart after some hundred
 * events: a thread seems to run before it was woken, and events that wait for each other get the same time, which Go's
 * reader does not accept. So a tick of the trace is a whole number of nanoseconds, and nothing is cut off.
 */
#ifndef THRACE_CMD_FINISH_TRACE_TIME_H
#define THRACE_CMD_FINISH_TRACE_TIME_H

#include "cmd/finish/spool_read.h"

struct trace_time {
    uint64_t hz;     /* ticks of the trace in a second */
    uint64_t factor; /* ticks of the trace in one of the recording, in units of 2^-TRACE_TIME_SHIFT */
    uint64_t recording_hz; /* ticks of the recording in a second */
};

enum { TRACE_TIME_SHIFT = 60 };

/*
 * For a recording with that many ticks per second. The trace's ticks are not longer, so that different times stay
 * different, and a second is a whole number of them.
 */
void trace_time_init(struct trace_time *t, uint64_t recording_hz);

static inline uint64_t trace_time_of(const struct trace_time *t, uint64_t ticks)
{
    return (uint64_t)((unsigned __int128)ticks * t->factor >> TRACE_TIME_SHIFT);
}

enum { TRACE_TIME_BATCH_MAX = 6 * SPOOL_CHUNK_SIZE };

/* Copies a batch's events with times of the trace. Returns their end in out, or NULL when they are damaged. */
uint8_t *trace_time_copy(const struct trace_time *t, uint8_t out[TRACE_TIME_BATCH_MAX], const struct spool_batch *b);

#endif
