/* libc's own functions, past what is preloaded. */
#ifndef THRACE_TESTS_LIBC_H
#define THRACE_TESTS_LIBC_H

#include <dlfcn.h>
#include <stddef.h>

/* NULL: it has no such function. Before glibc 2.34 some are in libraries of their own. */
static inline void *find_in_libc(const char *function)
{
    static const char *const names[] = {"libc.so.6", "libpthread.so.0", "librt.so.1", "libdl.so.2"};
    static void *libraries[sizeof names / sizeof *names];
    void *found = NULL;
    for (size_t i = 0; !found && i < sizeof names / sizeof *names; i++) {
        if (!libraries[i])
            libraries[i] = dlopen(names[i], RTLD_NOW | RTLD_NOLOAD);
        if (libraries[i])
            found = dlsym(libraries[i], function);
    }
    return found;
}

#endif
