/*
 * Locks of a process's loader that somebody may have who waits for a processor, or for a disk, as seen from outside.
 * Whoever loads a library has them while it maps the file, but not while it runs what is in it.
 */
#ifndef THRACE_CMD_ATTACH_LOADER_LOCKS_H
#define THRACE_CMD_ATTACH_LOADER_LOCKS_H

#include "cmd/stacks/process.h"

/* Where they are in the memory of the process; 0: nobody knows. */
struct loader_locks {
    const struct process *p;
    uint64_t list;    /* of the list of libraries, which dlopen takes when it has begun, and dl_iterate_phdr */
    uint64_t storage; /* of thread-local storage, which pthread_create takes; a lock of its own since glibc 2.35 */
    uint64_t stacks;  /* of the lists of threads' stacks, which pthread_create takes */
    uint64_t kept;    /* how many bytes the stacks have that wait for a thread */
};

struct loader_locks loader_locks_find(const struct process *p);

/* Bytes; 0, too, where nobody knows. */
uint64_t loader_keeps_stacks(const struct loader_locks *locks);

/* Those that are known, for a new thread, or for dlopen in its middle. False, too, where they cannot be read. */
bool loader_lets_make_thread(const struct loader_locks *locks);
bool loader_lets_add_library(const struct loader_locks *locks);

#endif
