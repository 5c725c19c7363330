/*
 * What a program forbids itself, and us with it: system calls, by a seccomp filter, and clocks.
 *
 * After a filter is installed a system call of ours could kill the program. So recording ends before: everything that
 * was recorded is in the mapping then, and nothing more is asked of the kernel.
 */
#ifndef THRACE_PRELOAD_SESSION_FORBIDDEN_H
#define THRACE_PRELOAD_SESSION_FORBIDDEN_H

/* A filter for system calls is about to be installed: recording ends. */
void seccomp_is_coming(void);

/* A prctl is about to be done. */
void prctl_is_coming(long option, unsigned long arg);

#endif
