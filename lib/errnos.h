/* The names of the values of errno. */
#ifndef THRACE_LIB_ERRNOS_H
#define THRACE_LIB_ERRNOS_H

#include <errno.h>

enum { ERRNO_VALUES = 256, ERRNO_NAME_SIZE = 16 };

/* The category of the messages that say with what errno a call failed. */
#define ERRNO_CATEGORY "[thrace] errno"

/* "" where a value has no name. */
static inline const char *errno_name(unsigned error)
{
    static const char names[ERRNO_VALUES][ERRNO_NAME_SIZE] = {
#define THRACE_ERRNO(name) [name] = #name,
#include "lib/errnos.def"
#undef THRACE_ERRNO
    };
    return error < ERRNO_VALUES ? names[error] : "";
}

#endif
