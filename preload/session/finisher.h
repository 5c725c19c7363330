/* The process that makes the trace when the program ends. */
#ifndef THRACE_PRELOAD_SESSION_FINISHER_H
#define THRACE_PRELOAD_SESSION_FINISHER_H

#include <stdbool.h>

/* The process may not start others any more: at its end it leaves the spool as it is. */
void forbid_finisher(void);

/* The trace is made by others, who know where; or not, any more. */
void leave_to_others(bool leave);

/* Runs `thrace finish` on this process's spools and waits for it. False when it could not be run, or failed. */
bool run_finisher(char **envp);

/* Which spools are left then, in one line: the command that makes their traces. */
void say_unfinished(void);

#endif
