/*
 * perf events, which only the helper can keep: its descriptors are its own. Threads ask for one; the helper, as one of
 * its jobs, opens them.
 */
#ifndef THRACE_PRELOAD_SAMPLER_SAMPLE_PERF_H
#define THRACE_PRELOAD_SAMPLER_SAMPLE_PERF_H

#include "preload/thread.h"

/* The helper's job: opens and closes what was asked for. When it ends, and in a child, which has none of its events. */
void sample_perf_serve(void);
void sample_perf_end(void);
void sample_perf_in_child(void);

void sample_perf_ask(struct thread *t);

/* The calling thread waits until it has its event, or a little while. */
void sample_perf_await(struct thread *t);

/* The thread ends, or its sampling does. The caller holds the registry lock. */
void sample_perf_forget(struct thread *t);

/* Counts a thread for which there is no event. */
void sample_has_no_event(const struct thread *t);

#endif
