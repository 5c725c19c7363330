/*
 * The generation in front of a recording that begins in mid-run. Readers know a goroutine's name by the stack that it
 * was created with, and why it waits by the event that began the wait; a status says neither. So in the generation
 * before the recording's first, all goroutines come to life and get into the state that their status then finds them
 * in.
 */
#ifndef THRACE_CMD_FINISH_OPENING_H
#define THRACE_CMD_FINISH_OPENING_H

#include "cmd/finish/recording.h"
#include "gotrace/builder.h"

/* Whether the recording needs one. */
bool opening_needed(const struct recording *r);

/* When it begins, in units of the trace. The recording's first event is at `first`. */
uint64_t opening_time(const struct recording *r, uint64_t first);

/* Writes its events; *events is raised by their number. 0, or -1: the builder says why. */
int opening_write(const struct recording *r, struct gotrace_builder *b, uint64_t first, uint64_t *events);

#endif
