/* Where a process that is to be attached to has the library, or finds it. */
#ifndef THRACE_CMD_ATTACH_LIBRARY_THERE_H
#define THRACE_CMD_ATTACH_LIBRARY_THERE_H

#include <limits.h>

#include "cmd/stacks/process.h"

/*
 * here: the library's path for us. there: the name by which the process's loader knows it, or finds it; "": the process
 * has no such file, and one is to be put there. NULL, or why the process cannot be attached to; the text lives until
 * the next call.
 */
const char *library_find_there(const struct process *p, const char *here, char there[PATH_MAX]);

#endif
