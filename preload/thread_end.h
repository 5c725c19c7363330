/* The end of a thread, however it comes. */
#ifndef THRACE_PRELOAD_THREAD_END_H
#define THRACE_PRELOAD_THREAD_END_H

#include "preload/thread.h"

/* Once, in the constructor. */
void thread_end_init(void);

/* Sees to it that thread_end is called when the calling thread ends. */
void thread_watch_exit(struct thread *t);

/* Ends the calling thread's G. */
void thread_end(struct thread *t);

#endif
