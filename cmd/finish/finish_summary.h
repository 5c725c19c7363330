/* The summary of a recording that was finished. */
#ifndef THRACE_CMD_FINISH_FINISH_SUMMARY_H
#define THRACE_CMD_FINISH_FINISH_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/finish/recording.h"
#include "lib/spool.h"
#include "parser/as_v1/as_v1.h"

struct finish_summary {
    char path[4096 + 16]; /* where the trace is */
    uint64_t cut; /* events at the end of a killed process that could not be placed */
    uint64_t threads, events, generations, lost, bytes;
    uint64_t losses[LOSS_REASONS * LOST_KINDS]; /* as in the spool's header */
    uint64_t lost_stacks;
    uint64_t lost_most, lost_most_g; /* of the goroutine that lost the most events */
    uint64_t rewritten; /* with switches: all events of the trace; 0: it is as it was recorded */
    uint64_t lost_switches, lost_wakings;
    uint64_t suspended_ns; /* the machine was, in the course of the recording */
    const char *no_switches; /* why they are not in the trace; NULL: they are, or there are none */
    uint64_t opening; /* events in front of the recording's (opening.h) */
    char heap[128]; /* "heap 1234 bytes": what was in use at the end */
    struct spool_unseen unseen;
    struct spool_samples samples; /* of the whole recording */
    uint64_t samples_in_trace;       /* a snapshot has fewer */
    uint64_t excess_samples; /* CPU samples of a damaged spool beyond what there was time for */
    char short_calls[1024]; /* "1234 read (5.6 ms), …": what was too short to be in the trace */
    char *holders; /* what holds the most of the heap, a line each; NULL: not sampled. The caller may free it */
    struct as_v1_losses v1_losses; /* what a trace of v1 does not say */
    bool has_heap_file; /* PATH.heap.pb.gz is there */
    bool nothing; /* the program only executed another one: there is no trace of it */
    bool elsewhere; /* another process has just finished this spool */
};

/* What the spool's header says. */
void finish_summary_begin(struct finish_summary *sum, const struct spool_header *h);

/* The calls that were too short to be in the trace; puts them in the order of their times. */
void finish_summary_short_calls(struct finish_summary *sum, struct recording *r);

/* How much of the heap was in use. A program that executed another one left what it had before: that is gone. */
void finish_summary_heap(struct finish_summary *sum, const struct spool_header *h, bool went_on);

#endif
