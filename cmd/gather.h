/* The traces of what `thrace record` ran: the program's own, and those of its children. */
#ifndef THRACE_CMD_GATHER_H
#define THRACE_CMD_GATHER_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/record_options.h"

/* Now, as times of files have it: what is made from now on is not older. */
uint64_t gather_since(void);

/*
 * Finishes what the program left under the pattern `out`, and reports it. launched: its pid; since_ns: gather_since()
 * when it was started. False: there is no trace of it.
 */
bool gather_traces(const char *out, uint32_t launched, uint64_t since_ns, struct afterwards then);

#endif
