/* Where thrace's library is: beside the command, or where it was installed. */
#ifndef THRACE_CMD_LIBRARY_H
#define THRACE_CMD_LIBRARY_H

#include <stddef.h>

/* Which C library a program is built for: there is a library for each. */
enum libc { LIBC_GLIBC, LIBC_MUSL };

/* NULL, or that it is not there; the text lives until the next call. */
const char *find_library(enum libc libc, char *path, size_t size);

#endif
