/*
 * What a generation says of one thread when it begins: its status, and where the generation may be the first of a trace
 * its record, its name and what it waits for, too. All with the advance and the registry lock, behind a closed gate.
 */
#ifndef THRACE_PRELOAD_STATUSES_H
#define THRACE_PRELOAD_STATUSES_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/thread.h"

/* The pool has so many left. If not, the next drain is to make it larger. */
bool chunks_are_free(uint32_t chunks);

/* It has room for the statuses of all threads, and what else a first generation says of them. */
bool statuses_fit(void);

/*
 * Of a thread without a P; there is room for it where nobody writes, or it is counted as lost. first: the generation may
 * be the first of a trace. Returns the status that was written, or GO_NOT_EXIST.
 */
uint32_t write_status_other(struct thread *t, uint64_t time, bool first);

/* Of one with a P. *heap_reported: whether the generation says how large the heap is; the first that runs does. */
void write_status_with_proc(struct thread *t, uint64_t time, bool *heap_reported);

void write_status_idle_proc(uint32_t proc, uint64_t time);

/* Of one that runs when a recording begins in mid-run; *said: that, and how many processors there are. */
void write_first_running(struct thread *t, uint64_t time, bool *said);

/* Of the process's first thread, recorded from its beginning. */
void write_first_thread(struct thread *t, uint64_t time);

#endif
