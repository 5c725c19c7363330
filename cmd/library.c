#include "config.h"

#include "cmd/library.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/complain.h"

bool find_library(const char *verb, char *path, size_t size)
{
    static char self[PATH_MAX];
    static const char *const beside[] = {"/.libs/libthrace-preload.so", "/../lib/thrace/libthrace-preload.so"};
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n < 0 ? 0 : n] = 0;
    char *slash = strrchr(self, '/');
    for (int i = 0; slash && i < 2; i++) {
        snprintf(path, size, "%.*s%s", (int)(slash - self), self, beside[i]);
        if (!access(path, R_OK))
            return true;
    }
    snprintf(path, size, "%s/libthrace-preload.so", THRACE_PKGLIBDIR);
    if (!access(path, R_OK))
        return true;
    complain(verb, "%s is not there; was thrace installed completely?", path);
    return false;
}
