#include "config.h"

#include "cmd/symbol_cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool make_folder(const char *path) { return !mkdir(path, 0700) || errno == EEXIST; }

/* What others can write to would let them choose what a trace says. */
static bool is_our_own(const char *path)
{
    struct stat st;
    return !lstat(path, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & 077);
}

bool symbol_cache_folder(char *path, size_t size)
{
    const char *wanted = getenv("THRACE_SYMBOL_CACHE"), *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char folder[4096];
    if (wanted && !strcmp(wanted, "0"))
        return false;
    int n = -1;
    if (base && *base == '/')
        n = snprintf(folder, sizeof folder, "%s", base);
    else if ((!base || !*base) && home && *home == '/')
        n = snprintf(folder, sizeof folder, "%s/.cache", home);
    if (n < 0 || (size_t)n >= sizeof folder || !make_folder(folder))
        return false;
    n = snprintf(path, size, "%s/thrace", folder);
    return n > 0 && (size_t)n < size && make_folder(path) && is_our_own(path);
}
