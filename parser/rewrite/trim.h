/*
 * A stretch of a trace as a trace of its own. What goroutines, procs and collections of garbage are when it begins is
 * said by statuses, as Go's tracer does when it is started in mid-run. Those are put where events leave room between
 * them, so that no event moves: whoever has a status is taken to have been like that since the trace began.
 */
#ifndef THRACE_PARSER_REWRITE_TRIM_H
#define THRACE_PARSER_REWRITE_TRIM_H

#include <stdio.h>

#include "gotrace/validate.h"
#include "parser/failure.h"

struct trim {
    uint64_t from, to; /* ns since the trace began; to, and what comes after, is not in the stretch */
    bool whole;        /* nothing is left out */
    /*
     * Whether the goroutine is in it that was the nth to appear in the trace, from 0; NULL: all are.
     */
    bool (*keeps)(void *arg, uint64_t nth);
    void *arg;
    struct gotrace_validator *validator; /* is shown what is read; NULL: whatever can be read will do */
    uint64_t length; /* result: how much of the trace was read, ns */
    uint64_t batches; /* result: of experiments, which are of whole generations and left out of a part */
    bool empty;      /* result: it ends before `from` */
};

/*
 * Reads what r has and writes the stretch to a file, in the same version of the format; it must be one of v2. False: f
 * says why.
 */
bool trim_trace(struct gotrace_reader *r, struct trim *t, FILE *to, struct failure *f);

#endif
