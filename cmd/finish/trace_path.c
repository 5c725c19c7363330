#include "config.h"

#include "cmd/finish/trace_path.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool is_earlier_image(const struct spool_header *h, const char *spool)
{
    const char *slash = strrchr(spool, '/'), *name = slash ? slash + 1 : spool;
    const char *out_slash = strrchr(h->out, '/'), *base = out_slash ? out_slash + 1 : h->out;
    size_t len = strlen(base);
    return strlen(name) == len + 8 && !strncmp(name, base, len) && name[len] == '.' && name[len + 1] >= '1' &&
           name[len + 1] <= '9' && !strcmp(name + len + 2, ".spool");
}

bool trace_path_of(const char *spool, char *path, size_t size)
{
    size_t len = strlen(spool), end = len - strlen(".spool");
    if (len <= strlen(".spool") || spool[end - 1] == '/' || strcmp(spool + end, ".spool") || end >= size)
        return false;
    memcpy(path, spool, end);
    path[end] = 0;
    return true;
}

const char *trace_path_choose(const struct spool_header *h, const char *spool, const char *out, char *path,
                              size_t size)
{
    struct stat st;
    if (out)
        return snprintf(path, size, "%s", out) < (int)size ? NULL : "the path is too long";
    if (!trace_path_of(spool, path, size))
        return "its name does not end in .spool; say with -o where the trace is to go";
    if (stat(path, &st) || !S_ISREG(st.st_mode) ||
        (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec <= h->start_realtime_ns)
        return NULL;
    size_t len = strlen(path);
    snprintf(path + len, size - len, ".%u", h->pid);
    return lstat(path, &st) ? NULL
                            : "the trace and one with the pid in its name are there; say with -o where it is to go";
}
