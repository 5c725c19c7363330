/* How this process is sampled, and what the spool's header counts of samples. */
#ifndef THRACE_PRELOAD_SAMPLER_SAMPLER_H
#define THRACE_PRELOAD_SAMPLER_SAMPLER_H

#include "preload/recorder.h"

struct sampler {
    int signal; /* of the timers; 0: no sampling in this process */
    uint64_t hz;
    uint64_t tick_hz; /* so many signals a second does a CPU-clock timer deliver at most */
    bool perf;        /* each thread has an event beside its timer */
    bool trap;        /* which sends a SIGTRAP, instead of the timers' signal */
};
extern struct sampler sampler;

/* What our timers and events put into the signal; no other of the process has it but by chance. */
enum { SAMPLER_MARK = 0x7452a3e1 };

/* What the timers and perf events count: ns of CPU time. */
static inline uint64_t sampler_period_ns(void) { return 1000000000 / sampler.hz; }

static inline struct spool_samples *sampler_counts(void) { return &recorder.spool.header->samples; }
static inline void sampler_count(uint64_t *counter, uint64_t n) { __atomic_fetch_add(counter, n, __ATOMIC_RELAXED); }

#endif
