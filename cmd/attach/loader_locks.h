/*
 * Locks of a process's loader that pthread_create takes, and one that dlopen takes when it has begun, as seen from
 * outside. Whoever loads a library has them while it maps the file, but not while it runs what is in it.
 */
#ifndef THRACE_CMD_ATTACH_LOADER_LOCKS_H
#define THRACE_CMD_ATTACH_LOADER_LOCKS_H

#include "cmd/stacks/process.h"

/* Addresses; 0: nobody knows. */
struct loader_locks {
    uint64_t list;   /* of the list of libraries, and behind it that of thread-local storage: since glibc 2.35 */
    uint64_t stacks; /* of the lists of threads' stacks */
    uint64_t kept;   /* how many bytes the stacks have that wait for a thread */
};

struct loader_locks loader_locks_find(const struct process *p);

/* Bytes; 0, too, where nobody knows. */
uint64_t loader_keeps_stacks(const struct process *p, const struct loader_locks *locks);

/* Of those that are known. False, too, where one cannot be read. */
bool loader_locks_are_free(const struct process *p, const struct loader_locks *locks);

#endif
