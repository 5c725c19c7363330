#include "config.h"

#include "cmd/finish/symbol_cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/options/options.h"

static bool make_folder(const char *path) { return !mkdir(path, 0700) || errno == EEXIST; }

/* Root with another user's HOME (sudo) must leave nothing there that the user cannot remove. */
static bool is_owned(const char *path)
{
    struct stat st;
    return !stat(path, &st) && st.st_uid == geteuid();
}

/* The folder, or the one that it would be made in. */
static bool is_in_own_folder(char *path)
{
    struct stat st;
    char *slash = strrchr(path, '/');
    if (!lstat(path, &st) || slash == path)
        return is_owned(path);
    *slash = 0;
    bool ours = is_owned(path);
    *slash = '/';
    return ours;
}

/* Others who could write there could choose what a trace says. */
static bool is_private(const char *path)
{
    struct stat st;
    return !lstat(path, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & 077);
}

bool symbol_cache_folder(char *path, size_t size)
{
    const char *wanted = getenv("THRACE_SYMBOL_CACHE"), *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    static char folder[4096];
    if (wanted && *wanted && strcmp(wanted, "1") != 0)
        return false;
    int n = -1;
    if (base && *base == '/')
        n = snprintf(folder, sizeof folder, "%s", base);
    else if ((!base || !*base) && home && *home == '/')
        n = snprintf(folder, sizeof folder, "%s/.cache", home);
    if (n < 0 || (size_t)n >= sizeof folder || !is_in_own_folder(folder) || !make_folder(folder))
        return false;
    n = snprintf(path, size, "%s/thrace", folder);
    return n > 0 && (size_t)n < size && make_folder(path) && is_private(path);
}

/* A bad value switches the cache off, as 0 does: thrace record refuses it, but here there is a recording already. */
const char *symbol_cache_fault(void)
{
    static const char name[] = "THRACE_SYMBOL_CACHE";
    static bool reported;
    static struct options o;
    static char line[512];
    struct option_fault fault;
    const char *value = getenv(name);
    char entry[sizeof name + 64];
    if (!value || reported)
        return NULL;
    reported = true;
    snprintf(entry, sizeof entry, "%s=%s", name, value);
    if (options_read(&o, (char *[]){entry, NULL}, &fault))
        return NULL;
    snprintf(line, sizeof line, "%s makes no sense; it takes %s. Nothing is kept of symbols", entry,
             fault.kind->takes);
    return line;
}
