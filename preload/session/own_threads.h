/* The threads that are the library's own: the helper, and the one that listens. */
#ifndef THRACE_PRELOAD_SESSION_OWN_THREADS_H
#define THRACE_PRELOAD_SESSION_OWN_THREADS_H

/* Those that are needed and are not there. */
void own_threads_start(void);

/* When the last thread of the program has ended, and before the program forbids what they do. */
void own_threads_stop(void);

/* In the child of a fork. */
void own_threads_forget(void);

#endif
