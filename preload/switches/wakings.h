/*
 * Who made a thread of this process runnable, as the kernel has it: also a thread of another process, or an interrupt.
 * Only who may see what all processes do learns of it (root, CAP_PERFMON with access to tracefs); everything else works
 * without. The caller has the lock of switches.h.
 */
#ifndef THRACE_PRELOAD_SWITCHES_WAKINGS_H
#define THRACE_PRELOAD_SWITCHES_WAKINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/switches/online_cpus.h"

/* False: it may not, or cannot. No descriptor stays: the mappings keep the events. */
bool wakings_open(const uint64_t online[CPU_WORDS]);
void wakings_close(void);

/* Other CPUs are online now. */
void wakings_follow(const uint64_t online[CPU_WORDS]);

/* In the child of a fork, which the kernel has not given the mappings. */
void wakings_forget(void);

/* A thread of this process, of which it is to be said who wakes it. */
void wakings_expect(uint32_t tid);

/*
 * Writes what there is now; ticks_at turns CLOCK_MONOTONIC into ticks of the recording. Returns how full the fullest
 * ring was, in 1/65536.
 */
uint32_t wakings_write(uint64_t (*ticks_at)(uint64_t mono_ns), uint64_t now_ns);

/* What there is counts for nothing. */
void wakings_empty(void);

#endif
