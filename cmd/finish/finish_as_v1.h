/* A trace of v1: what was recorded becomes a trace of v2, and that one of v1. */
#ifndef THRACE_CMD_FINISH_FINISH_AS_V1_H
#define THRACE_CMD_FINISH_FINISH_AS_V1_H

#include <stdio.h>

#include "cmd/finish/finish_summary.h"
#include "lib/wire/version.h"

/* The version that is written first of all. */
static inline int finish_version(uint64_t nn)
{
    return wire_version_is_old(nn) ? wire_version_of_experiments()->nn : (int)nn;
}

/* A file, and how many bytes go to it, which a pipe cannot say. */
struct finish_counted {
    FILE *file;
    uint64_t *bytes;
};

/* Writes to the file of a struct finish_counted; false: errno. */
static inline bool finish_write_counted(void *counted, const void *data, size_t size)
{
    const struct finish_counted *c = counted;
    *c->bytes += size;
    return fwrite(data, 1, size, c->file) == size;
}

/* Writes the trace that fd reads from its first byte on as version 1.nn. NULL, or why not. */
const char *finish_as_v1(int fd, FILE *out, unsigned nn, struct finish_summary *sum);

#endif
