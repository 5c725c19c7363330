/* Runs jobs in worker processes, as many at a time as there are CPUs. */
#ifndef THRACE_LIB_SYMBOLIZE_POOL_H
#define THRACE_LIB_SYMBOLIZE_POOL_H

#include "lib/symbolize/job.h"

/* One job and what came of it: the answer is complete, unless memory ran out. */
struct task {
    struct job job;
    struct answer answer;
};

/* CPUs that this process may use, at least 1. */
size_t pool_size(void);

/* Calls done after each task, in the order in which they end, and now and then with NULL. */
void pool_run(struct task *, size_t n, void (*done)(void *arg, const struct task *), void *arg);

#endif
