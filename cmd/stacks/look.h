/* One look at a process, or at a core file: its threads, their stacks with names, and what they wait for. */
#ifndef THRACE_CMD_STACKS_LOOK_H
#define THRACE_CMD_STACKS_LOOK_H

#include "cmd/stacks/deadlock.h"

struct look {
    struct process process;
    struct modules modules;
    struct threads threads;
    struct symbolizer *symbolizer;
    int program; /* the module of the program itself with the symbolizer, -1: none */
    void *vdso;  /* the kernel's code in the process, copied */
    /* one for each thread: */
    struct wait *waits;
    size_t *next; /* whom it waits for, SIZE_MAX: nobody */
    bool *in_circle;
};

/* Looks at a process that runs. NULL, or why it was not possible: the text lives until the next call. */
const char *look_at(struct look *l, pid_t pid, enum stops stops);

/* The same of the process that a core file is of. */
const char *look_at_core(struct look *l, const char *path);
void look_free(struct look *l);

#endif
