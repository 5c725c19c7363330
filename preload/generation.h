/* Generations: their beginning, and what a first one says. */
#ifndef THRACE_PRELOAD_GENERATION_H
#define THRACE_PRELOAD_GENERATION_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Begins the next generation. False when it could not be done now: a writer was descheduled in a section, or the pool
 * has too few chunks for the statuses. The caller tries again later.
 */
bool generation_advance(void);

/* --- with the advance and the registry lock, behind a closed gate ------------------------------------------------- */

/* False when a thread was still writing after a good part of grace_ns: it lost the CPU in a section. */
bool all_writers_out(uint64_t grace_ns);

/*
 * Hands in every open chunk but those of threads that were still writing after so long, and says how many these are:
 * they keep what they write to.
 */
uint32_t seal_those_out(uint64_t grace_ns);

/* Opens the first generation of a recording: every live thread's record, name and status. */
void first_generation(uint32_t gomaxprocs);

#endif
