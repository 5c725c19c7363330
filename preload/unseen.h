/*
 * What the kernel knows of the process and the trace does not: threads that were made by system calls and have called
 * nothing that is wrapped. They are counted now and then, so that an empty trace has its reason beside it.
 */
#ifndef THRACE_PRELOAD_SESSION_UNSEEN_H
#define THRACE_PRELOAD_SESSION_UNSEEN_H

#include <stdint.h>

/* The calling thread is recorded from now on, or is one of ours. */
void unseen_not_me(uint64_t tid);

/* One of ours is being made; it was not, or it has come and said its number; or this is the child of a fork. */
void unseen_expect(void);
void unseen_expected(void);
void unseen_expect_none(void);

/* Counts, and notes the most that there were at once in the spool's header. System calls; takes the registry lock. */
void unseen_look(void);

#endif
