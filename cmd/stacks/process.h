/*
 * A process that runs, or of which there is a core file, seen from outside: its memory and what is mapped there.
 * Nothing of it is changed, and nothing of what it says is trusted. Everything here is for one thread.
 */
#ifndef THRACE_CMD_STACKS_PROCESS_H
#define THRACE_CMD_STACKS_PROCESS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "parser/vec.h"

extern const char no_memory[]; /* why something was not possible */

struct mapping {
    uint64_t start, end, offset;
    uint64_t inode;
    uint64_t dumped_at, dumped; /* of a core file: where it stands there, and how many bytes from its start on */
    bool read, write, exec;
    char *path; /* "[stack]" and the like, too; "" where nothing has a name */
};

struct process;

/* Reads up to n bytes of its memory. Returns how many there were from that address on. */
typedef size_t read_memory(const struct process *p, uint64_t address, void *into, size_t n);

struct process {
    read_memory *read;
    pid_t pid;
    pid_t task;    /* a thread that lives, through which its memory is read: the first one may have ended */
    pid_t own_pid; /* as it sees itself */
    uid_t uid;
    uint64_t started; /* in the kernel's ticks since the boot: another process may get the same number */
    char name[16];
    char exe[PATH_MAX];         /* the program's file, "": it is not told */
    char root[64];              /* before its paths: "", or /proc/PID/root where it has another root than we do */
    VEC(struct mapping) maps;   /* by address */
    struct core *core;          /* it ran once: this is what is left of it; NULL: it runs */
};

/*
 * Looks at the process. NULL, or why that cannot be: there is none, it is another user's, it is a thread of the kernel,
 * memory is short. The text is of this call and lives until the next one.
 */
const char *process_open(struct process *p, pid_t pid);
void process_close(struct process *p);

/* Its threads are all on their way out, which may take them long, or it has ended. */
bool process_ends(const struct process *p);

/* Opens its root directory, to go on from there (O_PATH). -1 with errno. */
int process_open_root(const struct process *p);

/* Reads the mappings anew. NULL, or why that was not possible. */
const char *process_read_maps(struct process *p);

/* The mapping that holds the address, or NULL. */
const struct mapping *process_mapping(const struct process *p, uint64_t address);

/* Reads n bytes of its memory, all or nothing. */
bool process_load(const struct process *p, uint64_t address, void *into, size_t n);

/* A file of /proc/PID, as text that ends in a NUL. Returns its length, -1: it cannot be read, or does not run. */
ssize_t process_text(const struct process *p, const char *file, char *into, size_t size);

/* What follows the key at the start of a line of a file like /proc/PID/status, or NULL. */
const char *status_field(const char *text, const char *key);

#endif
