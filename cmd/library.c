#include "config.h"

#include "cmd/library.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *find_library(char *path, size_t size)
{
    static char self[PATH_MAX], why[PATH_MAX + 64];
    static const char *const beside[] = {"/.libs/libthrace-preload.so", "/../lib/thrace/libthrace-preload.so"};
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n < 0 ? 0 : n] = 0;
    char *slash = strrchr(self, '/');
    for (int i = 0; slash && i < 2; i++) {
        snprintf(path, size, "%.*s%s", (int)(slash - self), self, beside[i]);
        if (!access(path, R_OK))
            return NULL;
    }
    snprintf(path, size, "%s/libthrace-preload.so", THRACE_PKGLIBDIR);
    if (!access(path, R_OK))
        return NULL;
    snprintf(why, sizeof why, "%s is not there; was thrace installed completely?", path);
    return why;
}
