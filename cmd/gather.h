/* The traces of what `thrace record` ran: the program's own, and those of its children. */
#ifndef THRACE_CMD_GATHER_H
#define THRACE_CMD_GATHER_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/finish/orphaned_spools.h"
#include "cmd/record_options.h"

/*
 * Finishes what the program left under the pattern `out`, and reports it. launched: its pid; since: since_now() when
 * it was started. False: there is no trace of it.
 */
bool gather_traces(const char *out, uint32_t launched, struct since since, struct afterwards then);

#endif
