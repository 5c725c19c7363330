/*
 * The last generation of a process that was killed. Events carry sequence numbers, so a thread whose next event is
 * missing merely stops. But a kill may fall between an event and one of another thread that it depends on (a GoUnblock
 * and the GoStart after it). What comes after the missing one cannot be placed, and no reader accepts a trace with it.
 */
#ifndef THRACE_CMD_FINISH_CUT_H
#define THRACE_CMD_FINISH_CUT_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/finish/spool_read.h"

/*
 * Reads the trace that was made of f, and removes from f, at the end of each thread, the events of the last generation
 * that could not be placed. Returns their number: 0 when the trace is good, or broken in another way.
 */
uint64_t cut_unplaced(struct spool_file *f, const char *trace);

/* Removes the last generation, unless it is the only one. Returns the number of its events. */
uint64_t cut_generation(struct spool_file *f);

/* Whether the trace can be read to its end. */
bool is_whole(const char *trace);

#endif
