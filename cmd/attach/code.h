/* What a thread of another process is in the middle of, told by its stack. */
#ifndef THRACE_CMD_ATTACH_CODE_H
#define THRACE_CMD_ATTACH_CODE_H

#include "cmd/attach/remote_function.h"
#include "cmd/stacks/modules.h"
#include "cmd/stacks/threads.h"

struct code {
    struct process *p;
    struct modules modules;
    uint64_t allocator;                 /* where malloc is; 0: nobody knows */
    struct remote_range locks, listing; /* pthread_mutex_lock, dl_iterate_phdr */
};

/* NULL, or why it cannot be looked at. To be closed in any case. */
const char *code_open(struct code *c, struct process *p);
void code_close(struct code *c);

/* The process may have loaded something since; it had nmaps mappings then. NULL, or why it cannot be looked at. */
const char *code_look_again(struct code *c, size_t nmaps);

/* Or in a callback of dl_iterate_phdr, which has a lock of the loader's. */
bool is_in_loader(const struct code *c, const struct thread *t);

/* It is called by the loader: a constructor, an allocator, a callback. */
bool is_called_by_loader(const struct code *c, const struct thread *t);

bool is_in_handler(const struct code *c, const struct thread *t);

/* From its innermost frame to those that every thread has: nothing of libc, of the loader, or of the allocator. */
bool is_in_own_code(const struct code *c, const struct thread *t);

/* A system call that goes on after a stop, or is begun anew, and in which it has no lock of libc's. */
bool is_in_known_call(const struct code *c, const struct thread *t);

bool is_in_epoll_wait(const struct thread *t);

/* In dlopen, which has done nothing but to ask for the loader's lock. */
bool is_at_first_lock(const struct code *c, const struct thread *t);

#endif
