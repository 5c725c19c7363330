#include "config.h"

#include "cmd/attach/library_there.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/attach/attach.h"
#include "cmd/attach/process_user.h"
#include "cmd/attach/remote_function.h"

/* What is mapped first has the tables of segments and sections, and the build-id. */
static bool is_same(const struct process *p, const struct mapping *m, const char *path)
{
    enum { HEAD = 4096 };
    uint8_t ours[HEAD], theirs[HEAD];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool read_all = fd >= 0 && pread(fd, ours, HEAD, 0) == HEAD;
    if (fd >= 0)
        close(fd);
    return read_all && process_load(p, m->start, theirs, HEAD) && !memcmp(ours, theirs, HEAD);
}

/* The kernel tells it from our root, if it is within that, and says where the file is gone. */
static void name_for_loader(const struct process *p, const char *path, char there[PATH_MAX])
{
    static const char gone[] = " (deleted)";
    char link[64], root[PATH_MAX];
    snprintf(link, sizeof link, "/proc/%ld/task/%ld/root", (long)p->pid, (long)p->task);
    ssize_t n = *p->root ? readlink(link, root, sizeof root - 1) : 0;
    root[n > 1 ? n : 0] = 0; /* "/" of another file system says nothing */
    size_t len = strlen(root);
    snprintf(there, PATH_MAX, "%s", path + (!strncmp(path, root, len) && path[len] == '/' ? len : 0));
    len = strlen(there);
    if (len > strlen(gone) && !strcmp(there + len - strlen(gone), gone))
        there[len - strlen(gone)] = 0;
}

/* By the process's user. */
static bool can_be_read(const struct process *p, const char *path)
{
    struct process_user u;
    if (!process_user_of(p, &u))
        return false;
    struct process_user before = process_user_become(u);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    process_user_leave(before);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

const char *library_find_there(const struct process *p, const char *here, char there[PATH_MAX])
{
    static char why[512];
    const char *slash = strrchr(here, '/');
    const struct mapping *m = remote_module(p, slash ? slash + 1 : here);
    *there = 0;
    if (m && !is_same(p, m, here)) {
        snprintf(why, sizeof why, "it has another version of the library in it: %.400s", m->path);
        return why;
    }
    if (m)
        name_for_loader(p, m->path, there);
    else if (attach_shares(p, here) && can_be_read(p, here))
        snprintf(there, PATH_MAX, "%s", here);
    return NULL;
}
