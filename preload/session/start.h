/* How a session begins. */
#ifndef THRACE_PRELOAD_SESSION_START_H
#define THRACE_PRELOAD_SESSION_START_H

/*
 * Begins one. 0, or a negative errno: -EALREADY when one is under way, -ESHUTDOWN when this process records no more,
 * -EBUSY when a thread did not leave its section, else why there is no spool; -EEXIST: its path is taken. Not in a
 * hook.
 */
int session_start(void);

/*
 * The same without a look at what is mapped: in the child of a fork, which may not ask the loader. What the parent has
 * found is recorded.
 */
int session_start_with_modules(void);

#endif
