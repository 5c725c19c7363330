/*
 * Traces of recordings whose paths their processes have told. These may lie: what is there must be a spool of the
 * process's own, and of this user. Everything here is for one thread.
 */
#ifndef THRACE_CMD_CONTROL_TRACE_H
#define THRACE_CMD_CONTROL_TRACE_H

#include "cmd/finish/finish.h"

/*
 * Makes it, beside the spool if wanted has no name for it, and in the current directory where it was to have none, or
 * was to be elsewhere: of what thrace top or attach have begun in a folder of its own. wanted's of_pid and of_start say
 * whose it is; its report gets all complaints. is_over: there will be no more in that folder.
 */
enum finish_result control_trace_make(pid_t pid, const char *spool, const struct finish_how *wanted, bool is_over,
                                      struct finish_summary *sum);

/* Somebody has taken it, by thrace stop, for one. */
bool control_trace_is_missing(pid_t pid, const char *spool);

/* Somebody records there, and makes the trace when the recording ends. */
bool control_trace_is_awaited(pid_t pid, const char *spool);

/* Removes what a killed thrace top, or attach, has left there. is_made: control_trace_make was there, with is_over. */
void control_trace_tidy_up(const char *verb, pid_t pid, const char *spool, bool is_made);

#endif
