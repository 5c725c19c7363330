/* Where thrace's library is: beside the command, or where it was installed. */
#ifndef THRACE_CMD_LIBRARY_H
#define THRACE_CMD_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* False, and a complaint of the verb's: it is not there. */
bool find_library(const char *verb, char *path, size_t size);

#endif
