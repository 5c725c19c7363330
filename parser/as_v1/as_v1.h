/*
 * Events, as the public reader delivers them, as a v1 trace: docs/versions.md says by which rules. Where events are
 * written is decided by the state of goroutines and procs as a reader of v1 sees them, so that whatever comes in, what
 * goes out is a trace that it takes. What v1 cannot say, or not at that point, is dropped and counted.
 */
#ifndef THRACE_PARSER_AS_V1_AS_V1_H
#define THRACE_PARSER_AS_V1_AS_V1_H

#include "gotrace/reader.h"
#include "parser/failure.h"

/* What was dropped, or is said with less than there was. */
struct as_v1_losses {
    uint64_t events[256]; /* by event ID, EV_ClockSnapshot and EV_ExperimentalBatch included */
    uint64_t reasons;     /* why goroutines blocked or stopped, or the world did */
    uint64_t frames;      /* whose function, file and line were there */
    uint64_t status_stacks;
};

/* Takes all of size bytes; false: they cannot be written. */
typedef bool as_v1_write(void *arg, const void *data, size_t size);

/*
 * Reads what r has from where it stands to its end, and writes it as version 1.nn of v1. False: f says why, and status
 * GOTRACE_OK means that write failed.
 */
bool as_v1_convert(struct gotrace_reader *r, unsigned nn, as_v1_write *write, void *arg, struct as_v1_losses *losses,
                   struct failure *f);

#endif
