/* The end of a thread, however it comes. */
#ifndef THRACE_PRELOAD_THREAD_END_H
#define THRACE_PRELOAD_THREAD_END_H

#include "preload/thread.h"

/* Once, in the constructor. */
void thread_end_init(void);

/* Sees to it that thread_end is called when the calling thread ends. */
void thread_watch_exit(struct thread *t);

/*
 * Its G is destroyed, and its chunk handed in. By the thread itself, or by whoever knows that it is gone. False: there
 * was no room, or the model does not have it running.
 */
bool thread_destroy(struct thread *t);

/* Ends the calling thread's G. */
void thread_end(struct thread *t);

#endif
