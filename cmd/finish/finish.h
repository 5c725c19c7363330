/* Making a trace of a spool: what `thrace finish` and `thrace record` share. */
#ifndef THRACE_CMD_FINISH_FINISH_H
#define THRACE_CMD_FINISH_FINISH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/spool.h"

struct finish_summary {
    char path[4096 + 16]; /* where the trace is */
    uint64_t cut; /* events at the end of a process that was killed that could not be placed */
    uint64_t threads, events, generations, lost, bytes;
    uint64_t opening; /* events in front of the recording's (cmd/finish/opening.h) */
    char heap[128]; /* "heap 1234 bytes": what was in use at the end */
    struct spool_unseen unseen;
    struct spool_samples samples; /* of the whole recording; … */
    uint64_t samples_shown;       /* … a snapshot has fewer */
    uint64_t overweight; /* CPU samples that a damaged spool has more than there was time for */
    char short_calls[1024]; /* "1234 read (5.6 ms), …": what was too short to be in the trace */
    char *holders; /* what holds the most of the heap, a line each; NULL: not sampled. The caller may free it */
    bool has_heap_file; /* PATH.heap.pb.gz is there */
    bool nothing; /* a program that only executed another one, and did nothing else: there is no trace of it */
    bool elsewhere; /* another process has just finished this spool */
};

struct finish_how {
    const char *out;  /* where the trace goes; NULL: beside the spool, which is X.spool, as X */
    bool quiet;       /* without advice about debug info */
    bool may_be_gone; /* somebody else may finish it, too: no word when it is not there */
    bool anyway;      /* root only: another user's, too; anybody: one whose process may be alive */
    uint32_t of_pid;  /* it must be of this process, by its own pid and its start time; 0: of any */
    uint64_t of_start;
};

/*
 * Writes the trace of the spool at path `spool` and removes the spool. verb names the caller in messages. Returns an
 * exit status; on failure the reason is on stderr and the spool is untouched.
 */
int finish_spool(const char *verb, const char *spool, const struct finish_how *how, struct finish_summary *summary);

/* Where the trace of a spool of that name goes: beside it. False: it is no name of a spool. */
bool finish_path(const char *spool, char *path, size_t size);

/* "thrace: 5 threads, 1,234 events, …" on stderr. */
void finish_report(const struct finish_summary *s);

#endif
