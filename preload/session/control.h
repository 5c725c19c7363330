/* Commands from outside: `thrace start`, stop, status and snapshot. lib/control.h has the protocol. */
#ifndef THRACE_PRELOAD_SESSION_CONTROL_H
#define THRACE_PRELOAD_SESSION_CONTROL_H

#include <stdbool.h>

/* Commands may come, and may not: control_start does nothing any more, also in a thread that has begun with it. */
void control_enable(void);
void control_disable(void);

/*
 * CONTROL_DETACH is obeyed, by this function: it ends the recording, puts the path of what that left into spool
 * (SPOOL_PATH_MAX bytes), and everything back. False: there is nothing to end.
 */
void control_may_detach(bool (*end)(char *spool));

/* Starts the thread that listens, named "thrace-ctl", if it is wanted and not there. */
void control_start(void);

/* It is there. */
bool control_listens(void);

/* Ends it, when the last thread of the program has ended. */
void control_stop(void);
void control_forget(void);

#endif
