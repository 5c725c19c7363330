/* Writing the trace that `thrace finish` makes. */
#ifndef THRACE_CMD_FINISH_FINISH_WRITE_H
#define THRACE_CMD_FINISH_FINISH_WRITE_H

#include <stdint.h>
#include <stdio.h>

#include "cmd/finish/finish_summary.h"
#include "cmd/finish/recording.h"
#include "cmd/finish/spool_read.h"

/* Ticks of the recording in a second. */
uint64_t finish_frequency(const struct spool_header *h);

/* Makes ready to be written what was read: its clock, its samples, the names of its code. NULL, or why not. */
const char *finish_prepare(struct recording *r, const struct spool_header *h, uint64_t hz, FILE *terminal,
                           struct finish_summary *sum);

/* Writes the trace and counts in sum what is in it. NULL, or why not. */
const char *finish_write_to(FILE *out, const struct spool_file *f, const struct recording *r,
                            struct finish_summary *sum);

/* Writes the trace to sum->path and counts in sum what is in it. NULL, or why not; then nothing is left there. */
const char *finish_write(struct spool_file *f, struct recording *r, struct finish_summary *sum);

/* The heap profile, if there is one, beside it, as PATH.heap.pb.gz. NULL, or why not. */
const char *finish_write_heap(const struct recording *r, struct finish_summary *sum);

#endif
