/*
 * Recording parts of a run: for a program that knows best when it is interesting. Without thrace, or when it does not
 * record this process, the functions do nothing and say so. Nothing has to be linked: the symbols are weak, and come
 * with the library that thrace loads into the program.
 *
 *     THRACE_START=off THRACE_OUT=x.%n.trace LD_PRELOAD=…/libthrace-preload.so ./program
 */
#ifndef THRACE_SESSION_H
#define THRACE_SESSION_H

#include <errno.h>

#ifdef __cplusplus
extern "C" {
#endif

__attribute__((weak)) int thrace_session_start(void);
__attribute__((weak)) int thrace_session_stop(void);

/*
 * Begins a recording, of all threads, in a spool of its own. Returns 0, or an errno: EALREADY when one is under way,
 * ENOSYS without thrace, else why it could not begin. Takes the time of some system calls, and a little for each
 * thread. Thread-safe; not for signal handlers. Since: 0.1.
 */
static inline int thrace_start(void) { return thrace_session_start ? thrace_session_start() : ENOSYS; }

/*
 * Ends the recording that is under way, whoever began it. Its trace is made when the process ends, or by `thrace
 * finish` at any time. Returns 0, or an errno: EALREADY when nothing is being recorded, ENOSYS without thrace.
 * Thread-safe; not for signal handlers. Since: 0.1.
 */
static inline int thrace_stop(void) { return thrace_session_stop ? thrace_session_stop() : ENOSYS; }

#ifdef __cplusplus
}
#endif

#endif
