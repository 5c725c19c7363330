/* What makes a flight recorder write by itself: a wait that took too long. */
#ifndef THRACE_PRELOAD_SESSION_FLIGHT_H
#define THRACE_PRELOAD_SESSION_FLIGHT_H

#include <stddef.h>
#include <stdint.h>

struct options;
struct thread;

/*
 * Once, in the constructor. A thread whose wait was remarkably long calls note, on its way out of it: it is to be
 * async-signal-safe.
 */
void flight_init(const struct options *o, void (*note)(struct thread *t));

/* The calling thread waited for so many ticks, and is back. */
void flight_waited_long(struct thread *t, uint64_t ticks);

/* One line, "pthread_mutex_lock took 350 ms in thread 1234 (worker): OUT": what the trace OUT was written for. */
void flight_describe(const struct thread *waiter, const char *out, char *line, size_t size);

#endif
