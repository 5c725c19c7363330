/* For the tests of lib/sched: chunks from the heap, threads that are not real, and events as text. */
#ifndef THRACE_TESTS_MODEL_H
#define THRACE_TESTS_MODEL_H

#include "tests/unit/unit.h"

#include <stdbool.h>
#include <stdlib.h>

#include "lib/sched.h"

/* A model with gomaxprocs procs to begin with, in generation 1. The caller frees it. */
struct sched *model_new(uint32_t gomaxprocs);

/* Chunks are calloc'ed; free what sched_detach_chunk returns. */
struct chunk *model_chunk(void);

/* A thread to be: G g on the M m, not existing yet, with a chunk attached at time 1. */
void model_thread(struct sched *s, struct sched_thread *t, uint64_t g, uint64_t m);

/* Takes the thread's chunk away and frees it. */
void model_drop(struct sched_thread *t);

/* Gives the thread a fresh chunk; the caller gets the old one, detached. */
struct chunk *model_next_chunk(struct sched *s, struct sched_thread *t, uint64_t now);

/* Events [p, end) as "GoStart(1,1) GoBlock(2,0)", dt left out; freed with the next call. */
const char *model_text(const uint8_t *p, const uint8_t *end);

/* What the thread wrote to its open chunk. */
const char *model_written(const struct sched_thread *t);

/* As model_text, but with the absolute time of every event: "5:GoStart(1,1)". */
const char *model_timed_text(const struct chunk *c);

bool model_busy(const struct sched *s, uint32_t p);

#endif
