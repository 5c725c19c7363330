/*
 * Rewrites a trace for another version of the format. What the older version has no event for is written with the
 * events that it has, where these say the same; else it is dropped and counted.
 */
#ifndef THRACE_PARSER_CONVERT_H
#define THRACE_PARSER_CONVERT_H

#include "lib/wire/version.h"
#include "parser/failure.h"
#include "parser/raw_buffer.h"
#include "parser/source.h"

struct converted {
    uint64_t dropped[256];  /* events and batches, by event ID */
    uint64_t status_stacks; /* of GoStatusStack, which is written as GoStatus */
    uint64_t made_clocks;   /* ClockSnapshots that the older version did not have */
    /* Of v1: */
    uint64_t create_stacks;               /* of GoCreate, which is written as GoCreateSyscall */
    uint64_t short_strings, short_stacks; /* that are longer than those of v2 may be */
};

/* Takes all of size bytes; false: they cannot be written. */
typedef bool convert_write(void *arg, const void *data, size_t size);

/*
 * Reads a trace of version from behind its header and writes it, header included, as version to. False: f says why, and
 * status GOTRACE_OK means that write failed.
 */
bool convert_trace(struct source *s, const struct wire_version *from, const struct wire_version *to,
                   convert_write *write, void *arg, struct converted *done, struct failure *f);

#endif
