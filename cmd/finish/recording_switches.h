/* What the kernel noted of threads and processors. */
#ifndef THRACE_CMD_FINISH_RECORDING_SWITCHES_H
#define THRACE_CMD_FINISH_RECORDING_SWITCHES_H

#include "cmd/finish/record_cursor.h"
#include "cmd/finish/recording.h"

/* A META_SWITCHES. False: out of memory. */
bool recording_read_switches(struct recording *r, struct cursor *c);

/* A META_DELAYS, a META_ASLEEP, a META_WAKINGS, a META_LOCK_NOTE or a META_WAKER, likewise. */
bool recording_read_delays(struct recording *r, struct cursor *c);
bool recording_read_asleep(struct recording *r, struct cursor *c);
bool recording_read_wakings(struct recording *r, struct cursor *c);
bool recording_read_lock_note(struct recording *r, struct cursor *c);
bool recording_read_waker(struct recording *r, struct cursor *c);

/* Once r->time is known: by time, in nanoseconds of the trace. */
void recording_sort_switches(struct recording *r);

/*
 * Then, where threads were there before the recording: a switch of each that had no processor when it began, as nobody
 * noted that. False: out of memory.
 */
bool recording_add_begin(struct recording *r);

#endif
