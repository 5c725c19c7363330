/* Where thrace's library is: beside the command, or where it was installed. */
#ifndef THRACE_CMD_LIBRARY_H
#define THRACE_CMD_LIBRARY_H

#include <stddef.h>

/* NULL, or that it is not there; the text lives until the next call. */
const char *find_library(char *path, size_t size);

#endif
