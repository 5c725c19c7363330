/* How a session ends, whatever the threads are doing. */
#ifndef THRACE_PRELOAD_SESSION_STOP_H
#define THRACE_PRELOAD_SESSION_STOP_H

#include <stdbool.h>

/* Ends it: all that was recorded is in its spool, which is complete. False: none was under way. Not in a hook. */
bool session_stop(void);

/* The same; the path of that spool goes to spool (SPOOL_PATH_MAX bytes): the next one may have begun meanwhile. */
bool session_stop_reporting(char *spool);

/* The last one: nothing is hooked any more. */
void session_stop_for_good(void);

#endif
