/*
 * The heap profile within the trace, in strings that no event refers to. Every version of the format may have such
 * strings, and readers skip them. So a trace that was moved, piped or converted still has the profile.
 */
#ifndef THRACE_CMD_EXPORT_HEAP_IN_TRACE_H
#define THRACE_CMD_EXPORT_HEAP_IN_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "gotrace/builder.h"

/* Into the generation that has begun, whose other strings are written. 0, or -1: the builder says why. */
int heap_in_trace_write(struct gotrace_builder *b, const void *profile, size_t size);

/* What has been found of the profile, while somebody reads the trace; zero: nothing. */
struct heap_pieces {
    uint8_t *data; /* of `size` bytes once it is complete */
    bool *there;
    size_t of, found, size; /* of 0: the trace has none */
    bool damaged;
};

/* A string of the trace, which may be another one. */
void heap_pieces_take(struct heap_pieces *p, const char *text, size_t len);
bool heap_pieces_complete(const struct heap_pieces *p);
void heap_pieces_free(struct heap_pieces *p);

/*
 * The profile of a trace, to be freed. NULL: with size 0 the trace has none; else *error is one line that lives until
 * the next call, and *invalid says whether the trace is wrong or could not be read.
 */
void *heap_in_trace_read(FILE *trace, size_t *size, const char **error, int *invalid);

#endif
