#include "config.h"

#include "cmd/library.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const names[] = {
    [LIBC_GLIBC] = "libthrace-preload.so",
    [LIBC_MUSL] = "musl/libthrace-preload.so",
};

/* The folder of the libraries that were built with this command, by the one that is always there. */
static bool find_folder(char *folder, size_t size)
{
    static const char *const beside[] = {"/.libs", "/../lib/thrace"};
    static char self[PATH_MAX], path[PATH_MAX + 64];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n < 0 ? 0 : n] = 0;
    char *slash = strrchr(self, '/');
    for (int i = 0; i < 3; i++) {
        if (i < 2 && slash)
            snprintf(folder, size, "%.*s%s", (int)(slash - self), self, beside[i]);
        else
            snprintf(folder, size, "%s", THRACE_PKGLIBDIR);
        snprintf(path, sizeof path, "%s/%s", folder, names[LIBC_GLIBC]);
        if (!access(path, R_OK))
            return true;
    }
    return false;
}

const char *find_library(enum libc libc, char *path, size_t size)
{
    static char folder[PATH_MAX], why[PATH_MAX + 64];
    bool found = find_folder(folder, sizeof folder);
    snprintf(path, size, "%s/%s", folder, names[found ? libc : LIBC_GLIBC]);
    if (!access(path, R_OK))
        return NULL;
    snprintf(why, sizeof why, "%s is not there; was thrace %s?", path,
             found && libc == LIBC_MUSL ? "built where there is musl-gcc (configure --with-musl)"
                                        : "installed completely");
    return why;
}
