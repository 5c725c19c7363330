/* The process that makes the trace when the program ends. */
#ifndef THRACE_PRELOAD_SESSION_FINISHER_H
#define THRACE_PRELOAD_SESSION_FINISHER_H

#include <stdbool.h>

/* Runs `thrace finish` on this process's spools and waits for it. False when it could not be run, or failed. */
bool run_finisher(char **envp);

#endif
