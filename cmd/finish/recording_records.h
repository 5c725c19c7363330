/* Reads the meta records of a spool, as they come, into the arrays of a recording. */
#ifndef THRACE_CMD_FINISH_RECORDING_RECORDS_H
#define THRACE_CMD_FINISH_RECORDING_RECORDS_H

#include "cmd/finish/recording.h"

/* A thread's name from that time on; the text is malloc'ed. */
struct rec_name {
    uint64_t g, at;
    char *text;
};

struct rec_names {
    struct rec_name *names;
    size_t nnames, cap_names;
};

/*
 * The newest record of a batch comes first; they are read from the oldest on. Samples are read last: which of their
 * stacks are equal depends on what was mapped. NULL, or one line that says what is wrong.
 */
const char *recording_read_records(struct recording *r, struct rec_names *names, const struct spool_batch *b,
                                   bool samples);

#endif
