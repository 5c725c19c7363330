/* From the environment to the spool, and from the end of the process to the finished trace. */
#ifndef THRACE_PRELOAD_SESSION_LIFECYCLE_H
#define THRACE_PRELOAD_SESSION_LIFECYCLE_H

#include <stdint.h>

/* fork and its handlers; once, in the constructor. */
void process_init(void);

/* The process may not start others any more: at its end it leaves the spool as it is. */
void lifecycle_forbid_finish(void);

/* How many CPUs the main thread may use. */
uint32_t cpus_of_process(void);

/* In the child of a fork. t: what the calling thread was in the parent. */
struct thread;
void lifecycle_in_child(struct thread *t);

/* A filter for system calls is about to be installed: recording ends. */
void lifecycle_seccomp_is_coming(void);

/* A prctl is about to be done. */
void lifecycle_prctl_is_coming(long option, unsigned long arg);

#endif
