/* Which CPUs there are. */
#ifndef THRACE_PRELOAD_SWITCHES_ONLINE_CPUS_H
#define THRACE_PRELOAD_SWITCHES_ONLINE_CPUS_H

#include <stdbool.h>
#include <stdint.h>

enum { MAX_CPUS = 1024, CPU_WORDS = MAX_CPUS / 64 };

/*
 * A bit for each that is online, as threads may be moved to any. Where the list is not to be had, those that this
 * thread may use. System calls; opens a descriptor for a moment.
 */
void online_cpus(uint64_t mask[CPU_WORDS]);

static inline bool cpus_have(const uint64_t mask[CPU_WORDS], uint32_t cpu) { return mask[cpu / 64] >> cpu % 64 & 1; }

#endif
