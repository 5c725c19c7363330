/* Puts together what model threads wrote, as `thrace finish` does, and has our own validator check it. */
#ifndef THRACE_TESTS_MODEL_TRACE_H
#define THRACE_TESTS_MODEL_TRACE_H

#include "tests/unit/model.h"

#include "gotrace/builder.h"
#include "gotrace/reader.h"

enum { MODEL_STACK = 1 }; /* the one stack there is */

struct model_trace {
    struct sched *s;
    struct sched_thread service;
    struct gotrace_builder *b;
};

/* Opens the first generation. */
void trace_begin(struct model_trace *tr, struct sched *s, uint64_t now);

/* Takes over a detached chunk; NULL is fine. latest is not before its last event. */
void trace_hand_in(struct model_trace *tr, struct chunk *c, uint64_t latest);

/*
 * Begins the next generation for n threads that nobody writes for meanwhile; woken says whether a waiting thread's
 * GoUnblock was in an earlier one. NULLs among them are skipped.
 */
void trace_generation(struct model_trace *tr, struct sched_thread *const *threads, size_t n,
                      bool (*woken)(struct sched_thread *), uint64_t now);

/* Ends the trace and returns the number of its events; anything wrong with it fails the test, which is called what. */
uint64_t trace_judge(struct model_trace *tr, uint64_t now, const char *what);

#endif
