/*
 * From the options to the first recording: in the constructor, or when the library was loaded into a program that runs.
 */
#ifndef THRACE_PRELOAD_SESSION_BEGIN_H
#define THRACE_PRELOAD_SESSION_BEGIN_H

#include <stdbool.h>

struct options;

/*
 * The options from now on, which stay where they are. The path of the trace is copied: the program may change its
 * folder, and may write over its environment, as those do that set their title in ps.
 */
void begin_with(struct options *o);

/* Why nothing can be recorded in this process, up to the path that then follows; NULL: it can. */
const char *begin_obstacle(void);

/* Once: all that a recording needs. Late, the calling thread is THREAD_OFF afterwards. False: memory ran out. */
enum begin_when { BEGIN_WITH_PROGRAM, BEGIN_LATE };
bool begin_process(enum begin_when when);

/* After all was given back: the options are others. */
void begin_process_again(void);

/* Starts what the options ask for. 0, or why there is no recording, which was said: a negative errno. */
int begin_sessions(void);

#endif
