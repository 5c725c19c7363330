/* fork: the locks that are held around it, and the child, which records nothing or begins anew. */
#ifndef THRACE_PRELOAD_SESSION_FORK_H
#define THRACE_PRELOAD_SESSION_FORK_H

struct thread;

/* Once, in the constructor. in_child is called in each child, with what the calling thread was in the parent. */
void fork_init(void (*in_child)(struct thread *t));

/* In the child: the calling thread, which had the record t, is the only one of a process that may record. */
void fork_inherit(struct thread *t);

#endif
