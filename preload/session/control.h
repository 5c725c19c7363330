/* Commands from outside: `thrace start`, stop, status and snapshot. lib/control.h has the protocol. */
#ifndef THRACE_PRELOAD_SESSION_CONTROL_H
#define THRACE_PRELOAD_SESSION_CONTROL_H

/* Once, in the constructor: commands may come. */
void control_enable(void);

/* Starts the thread that listens, named "thrace-ctl", if it is wanted and not there. */
void control_start(void);

/* Ends it, when the last thread of the program has ended. */
void control_stop(void);
void control_forget(void);

#endif
