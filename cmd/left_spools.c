#include "config.h"

#include "cmd/left_spools.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/spool_read.h"
#include "parser/vec.h"

static bool is_ours(const char *path, uint32_t launched, uint64_t since_ns, uint64_t *start_ns)
{
    static struct spool_header h;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return false;
    bool whole = read(fd, &h, sizeof h) == sizeof h;
    close(fd);
    *start_ns = h.start_realtime_ns;
    return whole && !memcmp(h.magic, SPOOL_MAGIC, sizeof h.magic) && h.version == SPOOL_VERSION &&
           h.launcher == launched && h.start_realtime_ns >= since_ns && !spool_owner_lives(&h);
}

static void add(struct left_spools *left, const char *path, uint64_t start_ns)
{
    if (!VEC_ROOM(left))
        return;
    strcpy(left->v[left->n].path, path);
    left->v[left->n++].start_ns = start_ns;
}

static int by_start(const void *a, const void *b)
{
    const struct left_spool *x = a, *y = b;
    return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

static bool is_spool_name(const char *name)
{
    size_t len = strlen(name);
    return len > 6 && !strcmp(name + len - 6, ".spool");
}

void left_spools_find(struct left_spools *left, const char *out, uint32_t launched, uint64_t since_ns)
{
    char folder[PATH_MAX], path[PATH_MAX + NAME_MAX + 2];
    const char *slash = strrchr(out, '/');
    uint64_t start_ns;
    memset(left, 0, sizeof *left);
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - out), out);
    DIR *d = opendir(*folder ? folder : "/");
    for (struct dirent *e; d && (e = readdir(d));) {
        int n = snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (is_spool_name(e->d_name) && n < PATH_MAX && is_ours(path, launched, since_ns, &start_ns))
            add(left, path, start_ns);
    }
    if (d)
        closedir(d);
    if (left->n)
        qsort(left->v, left->n, sizeof *left->v, by_start);
}

void left_spools_free(struct left_spools *left)
{
    free(left->v);
    memset(left, 0, sizeof *left);
}
