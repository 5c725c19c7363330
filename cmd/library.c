#include "config.h"

#include "cmd/library.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *find_library(enum libc libc, char *path, size_t size)
{
    static const char *const names[] = {
        [LIBC_GLIBC] = "libthrace-preload.so",
        [LIBC_MUSL] = "musl/libthrace-preload.so",
    };
    static char self[PATH_MAX], why[PATH_MAX + 64];
    static const char *const beside[] = {"/.libs", "/../lib/thrace"};
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n < 0 ? 0 : n] = 0;
    char *slash = strrchr(self, '/');
    for (int i = 0; slash && i < 2; i++) {
        snprintf(path, size, "%.*s%s/%s", (int)(slash - self), self, beside[i], names[libc]);
        if (!access(path, R_OK))
            return NULL;
    }
    snprintf(path, size, "%s/%s", THRACE_PKGLIBDIR, names[libc]);
    if (!access(path, R_OK))
        return NULL;
    snprintf(why, sizeof why, "%s is not there; was thrace %s?", path,
             libc == LIBC_MUSL ? "built where there is musl-gcc (configure --with-musl)" : "installed completely");
    return why;
}
