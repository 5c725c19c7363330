/*
 * A core file: the memory of a process when it ended, or when gcore(1) copied it, and the threads that it had then.
 * Nothing in it is trusted. What is left out of it, code above all, is read from the files that were mapped, as long as
 * these are what they were. Everything here is for one thread.
 */
#ifndef THRACE_CMD_STACKS_CORE_H
#define THRACE_CMD_STACKS_CORE_H

#include <sys/user.h>

#include "cmd/stacks/process.h"

struct core_thread {
    pid_t tid; /* as the process saw it */
    struct user_regs_struct regs;
};

struct core {
    int fd;
    uint64_t size;
    int signal;       /* which the first thread took, 0: none, as in a copy by gcore */
    bool is_cut_off;  /* the file ends before the memory does */
    bool has_files;   /* it says which files were mapped where */
    uint64_t vdso;    /* where the kernel's code is, 0: not known */
    uint64_t headers; /* of the program in memory, 0: not known */
    VEC(struct core_thread) threads; /* the first one is who ended the process */
    char path[PATH_MAX]; /* of the mapped file that was read last, … */
    int file;            /* … -1: it is not what it was, or not there */
};

/* Looks at the process that the core file is of. NULL, or why that cannot be. Either way it is to be closed. */
const char *core_open(struct process *p, const char *path);
void core_close(struct core *c);

#endif
