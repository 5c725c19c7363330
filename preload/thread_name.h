/* The names of threads: as given by the program, and as the kernel has them. */
#ifndef THRACE_PRELOAD_THREAD_NAME_H
#define THRACE_PRELOAD_THREAD_NAME_H

#include "preload/thread.h"

/* Bytes of a META_NAME record. */
enum { NAME_RECORD_MAX = 64 };

/* Once, in the constructor, or when the library was loaded late, in any thread. */
void thread_name_init(void);

/* Takes the name that a thread has, if it is one of its own. For the recordings to come. */
void keep_thread_name(struct thread *t, const char *name);

/* The G has a name: writes META_NAME. In a hook of t. */
void record_thread_name(struct thread *t, uint64_t g, const char *name);

/* The thread with that handle has a name, for the recordings to come. Returns its G; 0: it is not known. */
uint64_t name_thread(pthread_t thread, const char *name);

/* The calling thread may have been given its name before we were here. In a hook. */
void find_thread_name(struct thread *t);

#endif
