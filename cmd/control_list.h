/* Which processes of this machine take commands. */
#ifndef THRACE_CMD_CONTROL_LIST_H
#define THRACE_CMD_CONTROL_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "parser/vec.h"

struct listeners {
    VEC(pid_t) list; /* ascending */
};

/* Those of the user, or all of them for root. False: memory is short, or the kernel does not list them. */
bool listeners_find(struct listeners *l);
void listeners_free(struct listeners *l);

/* The command's name as the kernel has it, printable; "" if there is no such process. */
void command_of(pid_t pid, char *name, size_t size);

/* The process that the user means by this pid: for that of `thrace record`, the program that it runs. */
pid_t listener_meant(pid_t pid);

#endif
