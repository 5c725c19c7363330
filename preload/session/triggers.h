/* When recordings start and stop, as the environment says: THRACE_START and THRACE_STOP. The helper acts. */
#ifndef THRACE_PRELOAD_SESSION_TRIGGERS_H
#define THRACE_PRELOAD_SESSION_TRIGGERS_H

#include <stdbool.h>
#include <stdint.h>

struct options;
struct thread;

/*
 * In the constructor, or each time that a process is attached to. Catches the signals that were asked for. True: somebody
 * has to act.
 */
bool triggers_init(const struct options *o);

/* Starts or stops what is due. */
void triggers_run(void);

/* A wait of the thread was remarkably long: a snapshot, unless there was one lately. Async-signal-safe. */
void triggers_note_long_wait(struct thread *t);

/* When to look again if nobody calls, on CLOCK_MONOTONIC in ns; UINT64_MAX: never. */
uint64_t triggers_due(void);

/* What could not be done, and where, in one line on stderr. */
void complain_of_start(int err, const char *out);

#endif
