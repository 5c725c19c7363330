/* Threads that nobody announced: made by system calls, or before the library was there. */
#ifndef THRACE_PRELOAD_INTRODUCE_H
#define THRACE_PRELOAD_INTRODUCE_H

#include "preload/thread.h"

/* The calling thread gets a record and appears in the trace. NULL: it stays untraced. */
struct thread *thread_introduce(void);

#endif
