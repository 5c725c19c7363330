/* The traces of what `thrace record` ran: the program's own, and those of its children. */
#ifndef THRACE_CMD_GATHER_H
#define THRACE_CMD_GATHER_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/finish/orphaned_spools.h"
#include "cmd/record_options.h"

enum gather_result {
    GATHER_MADE,   /* there is a trace of it */
    GATHER_TOLD,   /* there is none, and why is told */
    GATHER_NOTHING /* nothing was found, perhaps as somebody has taken it away */
};

/*
 * Finishes what the program left under the pattern `out`, and reports it. launched: its pid; since: since_now() when
 * it was started.
 */
enum gather_result gather_traces(const char *out, uint32_t launched, struct since since, struct afterwards then);

#endif
