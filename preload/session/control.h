/* Who gives orders from outside: `thrace start`, stop, status and snapshot. lib/control.h has the protocol. */
#ifndef THRACE_PRELOAD_SESSION_CONTROL_H
#define THRACE_PRELOAD_SESSION_CONTROL_H

#include <stdbool.h>

/* Starts the thread that listens, named "thrace-ctl", if it is not there. */
void control_start(void);

/* Ends it, when the last thread of the program has ended. */
void control_stop(void);
void control_forget(void);

/* It looks at what it is to be (privileges.h). Takes a descriptor for a moment. */
void control_wake(void);

#endif
