/* The kernel's ring buffers of switches, one for each CPU. */
#ifndef THRACE_PRELOAD_SWITCHES_RINGS_H
#define THRACE_PRELOAD_SWITCHES_RINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/switch_kind.h"
#include "preload/switches/online_cpus.h"

struct ring_reader {
    /* kind: enum switch_kind. Of SWITCHES_LOST tid is how many. */
    void (*take)(uint32_t cpu, uint64_t mono_ns, enum switch_kind kind, uint64_t tid);
    void (*end)(uint32_t cpu); /* that was all of this CPU */
};

/*
 * Makes them, for the calling thread and all that it will make. 0, or a negative errno with nothing left behind. No
 * descriptor stays: the mappings keep the events.
 */
int rings_open(void);

/*
 * The same for all threads of the process. In a thread of the library's own with a file table of its own, before it has
 * opened anything else there: descriptors stay in it.
 */
int rings_open_for_all(void);

/*
 * In such a thread, too: also those CPUs, where they were not online before. more: there are rings that were not there.
 * 0, or a negative errno: not of all threads there, then, and they are not tried again.
 */
int rings_follow(const uint64_t online[CPU_WORDS], bool *more);

/* All that either has made is gone; by the same thread. Or only the descriptors that it has. */
void rings_close(void);
void rings_close_events(void);

/* In the child of a fork, which the kernel has not given the mappings. */
void rings_forget(void);

/* Hands over what is in them. Returns how full the fullest was, in 1/65536. One caller at a time. */
uint32_t rings_read(const struct ring_reader *reader);

/* What is in them counts for nothing, nor does what was lost so far. */
void rings_empty(void);

#endif
