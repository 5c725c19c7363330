/*
 * Several traces as one, in one pass, by time. Each is followed as by trim.h, with statuses of its own at the beginning
 * of each generation that is written. What was there when one begins is created then, and what is left when it ends,
 * while others go on, ends then: nothing counts from before or to after its trace.
 */
#ifndef THRACE_PARSER_REWRITE_MERGE_H
#define THRACE_PARSER_REWRITE_MERGE_H

#include <stdio.h>

#include "parser/failure.h"
#include "parser/rewrite/align.h"

struct merge_part;

struct merge_input {
    const char *path;
    const char *name;              /* of the process: in front of its threads' names */
    struct gotrace_reader *reader; /* of the whole trace, which must be one of v2 */
    struct merge_moment moment;    /* merge_learn says all but what the caller wants */
    struct origin origin;          /* likewise */
    struct failure failure;        /* result: what ended it before its end */
    uint64_t experiments;          /* result: events and batches that were dropped */
    struct merge_part *part;
};

struct merge {
    struct merge_input *inputs;
    size_t n;
    int version;             /* of the result: no older than any input */
    struct origin origin;    /* of the result: merge_align says its clock */
    uint64_t collections;    /* result: that began while another one went on, and are not shown */
};

/* Reads the first generation, for what is there when the trace begins. False: f says why. */
bool merge_learn(struct merge_input *in, struct gotrace_reader *r, struct failure *f);

/* Writes the inputs as one trace; all are aligned. False: f says why, and *of is whose fault it is, or NULL. */
bool merge_traces(struct merge *m, FILE *to, struct failure *f, const struct merge_input **of);

void merge_input_free(struct merge_input *in);

#endif
