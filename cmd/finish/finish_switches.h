/* What the kernel said of threads and processors comes into the trace. */
#ifndef THRACE_CMD_FINISH_FINISH_SWITCHES_H
#define THRACE_CMD_FINISH_FINISH_SWITCHES_H

#include <stdio.h>

#include "cmd/finish/finish_summary.h"
#include "cmd/finish/recording.h"

/*
 * Writes the trace that fd reads from its first byte on, with the recording's switches. torn: it may break off, and
 * ends there. show_cpus: each change of a thread's CPU is a message. NULL, or why not.
 */
const char *finish_switches(int fd, FILE *out, struct recording *r, bool torn, bool show_cpus,
                            struct finish_summary *sum);

#endif
