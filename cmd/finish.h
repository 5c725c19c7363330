/* Making a trace of a spool: what `thrace finish` and `thrace record` share. */
#ifndef THRACE_CMD_FINISH_H
#define THRACE_CMD_FINISH_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/spool.h"

struct finish_summary {
    char path[4096 + 16]; /* where the trace is */
    uint64_t cut; /* events at the end of a process that was killed that could not be placed */
    uint64_t threads, events, generations, lost, bytes;
    char heap[128]; /* "heap 1234 bytes": what was in use at the end */
    struct spool_samples samples;
    char short_calls[1024]; /* "1234 read (5.6 ms), …": what was too short to be in the trace */
    char *holders; /* what holds the most of the heap, a line each; NULL: not sampled. The caller may free it */
    bool has_heap_file; /* PATH.heap.pb.gz is there */
    bool nothing; /* a program that only executed another one, and did nothing else: there is no trace of it */
    bool elsewhere; /* another process has just finished this spool */
};

/*
 * Writes the trace of the spool at path `spool` to `out`, or where the recording wanted it when out is NULL, and
 * removes the spool. verb names the caller in messages; quiet: without advice about debug info. Returns an exit status;
 * on failure the reason is on stderr and the spool is untouched.
 */
int finish_spool(const char *verb, const char *spool, const char *out, bool quiet, struct finish_summary *summary);

/* "thrace: 5 threads, 1,234 events, …" on stderr. */
void finish_report(const struct finish_summary *s);

#endif
