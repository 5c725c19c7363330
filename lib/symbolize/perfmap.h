/* perf-PID.map: what a JIT compiler says about the code it made. */
#ifndef THRACE_LIB_SYMBOLIZE_PERFMAP_H
#define THRACE_LIB_SYMBOLIZE_PERFMAP_H

#include "lib/symbolize/answer.h"
#include "lib/symbolize/job.h"

/* Adds a frame for every PC that the map knows. */
void perfmap_resolve(const struct job *, struct answer *);

#endif
