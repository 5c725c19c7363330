/*
 * The heap by the stacks that allocated it, estimated from the sampled blocks of a recording: as a profile for pprof,
 * and as one line each for the stacks that hold the most at the end.
 */
#ifndef THRACE_CMD_FINISH_HEAP_PROFILE_H
#define THRACE_CMD_FINISH_HEAP_PROFILE_H

#include <stdio.h>

#include "cmd/finish/recording.h"

struct heap_profile;

/* For a recording that is symbolized. NULL when memory ran out. */
struct heap_profile *heap_profile_new(const struct recording *r, const struct spool_header *h);
void heap_profile_free(struct heap_profile *p);

/* The profile as a file for pprof, to be freed. NULL, or one line that says what went wrong. */
const char *heap_profile_make(const struct heap_profile *p, void **file, size_t *size);

/* The stacks that hold the most, n at most, one line each. */
void heap_profile_report(const struct heap_profile *p, FILE *to, size_t n);

#endif
