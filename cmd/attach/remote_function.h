/* Functions of another process by name, from the symbol tables in its memory, whatever became of the files. */
#ifndef THRACE_CMD_ATTACH_REMOTE_FUNCTION_H
#define THRACE_CMD_ATTACH_REMOTE_FUNCTION_H

#include "cmd/stacks/process.h"

/* Where the code of a function is: from <= pc < to. */
struct remote_range {
    uint64_t from, to;
};

/* A return address is of a function whose call may be its last instruction. */
static inline bool remote_range_has(struct remote_range r, uint64_t return_address)
{
    return return_address > r.from && return_address <= r.to;
}

/* The address of the function that the module at `base`, its first mapping, exports; 0: none. Any version will do. */
uint64_t remote_function(const struct process *p, uint64_t base, const char *name);

/* Where the code of a function of libc's is; empty: there is none, or the libc is none that attaching is for. */
struct remote_range remote_libc_function(const struct process *p, const char *name);

/* What the loader of such a libc shares with it; empty: there is none. */
struct remote_range remote_loader_data(const struct process *p);

/* Where such bytes are in the code of such a libc; 0: nowhere. */
uint64_t remote_libc_bytes(const struct process *p, const uint8_t *bytes, size_t n);

/* Is that the file of such a libc? */
bool remote_is_libc(const char *path);

/* Of the program itself, or of a module that it is linked with, the one that calls of it lead to; 0: none. */
uint64_t remote_first_function(const struct process *p, const char *name);

/* The first mapping of the module whose file has that name, without folders; NULL: there is none. */
const struct mapping *remote_module(const struct process *p, const char *file);

#endif
