/*
 * Work that a recording needs now and then and that no hook may do: full chunks are drained, generations begun, lines
 * said. The helper thread does it; a process with one thread has none and does it itself, between two hooks.
 */
#ifndef THRACE_PRELOAD_MAINTENANCE_H
#define THRACE_PRELOAD_MAINTENANCE_H

#include "preload/recorder.h"

/* After a hook: wakes the helper; without one, does what the helper would do. */
SLOW void maintain(void);

/* The same within malloc, where the loader may be at work on our own stack: only makes room. */
SLOW void maintain_in_malloc(void);

#endif
