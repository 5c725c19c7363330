/* What the files of the spool share. */
#ifndef THRACE_LIB_SPOOL_FILE_H
#define THRACE_LIB_SPOOL_FILE_H

#include <stdbool.h>

#include "lib/rawsys.h"
#include "lib/spool.h"

#define SPOOL_LOG_OFFSET (SPOOL_HEADER_SIZE + (uint64_t)SPOOL_MAX_CHUNKS * SPOOL_CHUNK_SIZE)

/* Beyond the process's file size limit a write is a signal, SIGXFSZ, which by default ends the program. */
bool spool_exceeds_limit(uint64_t end);

/* Writes iov[0..n) completely at offset; changes iov. 0, or a negative errno. */
long spool_write_all(int fd, struct iovec *iov, int n, uint64_t offset);

/*
 * The same, also without a descriptor (fd < 0): then as far as spool_make_log_room has made the file. The caller holds
 * the drain lock.
 */
long spool_write(struct spool *s, int fd, struct iovec *iov, int n, uint64_t offset);
void spool_make_log_room(struct spool *s, int fd);

/* Makes the pages of a mapping of the file as a store to them would, or says why not. */
long spool_make_pages(void *p, uint64_t len);

/* The same for a ring, from log_end to the position `end`. */
long spool_write_ring(struct spool *s, int fd, struct iovec *iov, int n, uint64_t end);

/*
 * The next chunk to be drained is of this generation: if it is a new one, a ring notes where it begins. Returns the
 * highest generation that may be written with it; any, where the log is no ring.
 */
uint64_t spool_begins_generation(struct spool *s, uint64_t generation);

#endif
