/*
 * The last generation of a process that was killed. Events carry sequence numbers, so a thread whose next event is
 * missing merely does nothing any more. But a kill may fall between an event and another thread's that it rests on (a
 * GoUnblock and the GoStart after it): what comes after the missing one cannot be placed, and no reader takes the trace
 * with it.
 */
#ifndef THRACE_CMD_FINISH_CUT_H
#define THRACE_CMD_FINISH_CUT_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/finish/spool_read.h"

/*
 * Reads the trace that was made of f, and takes out of f, at the end of each thread, what could not be placed in its
 * last generation. Returns how many events that were, 0 when the trace is good, or broken otherwise.
 */
uint64_t cut_unplaced(struct spool_file *f, const char *trace);

/* Takes out the last generation, unless it is the first, too. Returns how many events it had. */
uint64_t cut_generation(struct spool_file *f);

/* Whether the trace can be read to its end. */
bool is_whole(const char *trace);

#endif
