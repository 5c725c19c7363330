/* A spool as `thrace finish` reads it: all that a recording left behind, in order. */
#ifndef THRACE_CMD_FINISH_SPOOL_READ_H
#define THRACE_CMD_FINISH_SPOOL_READ_H

#include <stddef.h>
#include <stdint.h>

#include "lib/spool.h"

/* A run of bytes of the spool: the events, or the meta records, of one chunk. */
struct spool_batch {
    uint64_t generation, m, time;
    uint64_t order; /* as they were found */
    const uint8_t *data;
    size_t size;
};

struct spool_batches {
    struct spool_batch *v;
    size_t n, cap;
};

struct spool_file {
    const struct spool_header *header; /* a copy: a process that still has the file open cannot change it under us */
    struct spool_batches events; /* by generation, time, order */
    struct spool_batches meta;
    struct spool_batches locks; /* entries of lib/lock_stats.h */
    const uint8_t *map;
    size_t size;
    /*
     * Bytes at the end of the log that a loss of power took. What is before them is the beginning of every thread; the
     * pool came later and is left out.
     */
    uint64_t missing;
    uint8_t *unrolled; /* the log, where it is a ring that begins in the middle */
};

/* What is wrong with the header of what may be a spool. */
enum spool_fault { SPOOL_SOUND, SPOOL_NONE /* it is not one */, SPOOL_OTHER_VERSION, SPOOL_DAMAGED };
enum spool_fault spool_header_fault(const struct spool_header *h);

/* What spool_file_open returns for a recording whose process ended before it began. */
#define SPOOL_EMPTY "nothing was recorded, the program ended too early"

/*
 * Maps and checks the file. Returns NULL, or one line that says what is wrong with it; nothing is mapped then. fd stays
 * the caller's. It may be the spool of a process that is still running: see process_life.h.
 */
const char *spool_file_open(struct spool_file *f, int fd);
void spool_file_close(struct spool_file *f);

/* By generation, time, and then as they were found. */
void spool_batches_sort(struct spool_batches *b);

#endif
