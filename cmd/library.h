/* Where thrace's library is: beside the command, or where it was installed. */
#ifndef THRACE_CMD_LIBRARY_H
#define THRACE_CMD_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* False: it is not there; path is where it should be. */
bool find_library(char *path, size_t size);

#endif
