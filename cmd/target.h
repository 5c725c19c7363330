/* Examines the program that `thrace record` is to start. */
#ifndef THRACE_CMD_TARGET_H
#define THRACE_CMD_TARGET_H

#include <limits.h>

#include "cmd/library.h"

struct target {
    char path[PATH_MAX];
    int error;           /* 0, or the exit status for a command that cannot be started: 126 or 127 */
    char problem[PATH_MAX + 128]; /* with an error: why. Without: why it cannot be recorded, or "" */
    enum libc libc;               /* that it is built for */
};

/* Finds the command as execvp would and follows the interpreters of scripts. */
void target_find(struct target *t, const char *command);

#endif
