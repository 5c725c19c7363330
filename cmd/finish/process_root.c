#include "config.h"

#include "cmd/finish/process_root.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* -1: there is none, or the kernel is older than 5.6. */
static int open_within(const char *root, const char *path)
{
    const struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
    int above = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (above < 0)
        return -1;
    int fd = (int)syscall(SYS_openat2, above, path, &how, sizeof how);
    close(above);
    return fd;
}

static bool is_same(const char *path, const struct stat *file)
{
    struct stat st;
    return !stat(path, &st) && st.st_dev == file->st_dev && st.st_ino == file->st_ino;
}

/* The path without links of what is open: the kernel tells it from our root or, if it is not within that, from its. */
static bool real_path(const char *root, int fd, char found[PROCESS_ROOT_PATH])
{
    char link[64], real[PATH_MAX];
    struct stat st;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, real, sizeof real - 1);
    if (n <= 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
        return false;
    real[n] = 0;
    snprintf(found, PROCESS_ROOT_PATH, "%s%s", root, real);
    if (is_same(found, &st))
        return true;
    snprintf(found, PROCESS_ROOT_PATH, "%s", real);
    return is_same(found, &st);
}

static bool has_same(pid_t pid, const char *what)
{
    char ours[64], theirs[64];
    struct stat st;
    snprintf(ours, sizeof ours, "/proc/self/%s", what);
    snprintf(theirs, sizeof theirs, "/proc/%ld/%s", (long)pid, what);
    return stat(theirs, &st) || is_same(ours, &st);
}

void process_root_look(struct process_root *root, char path[PROCESS_ROOT_OWN], pid_t pid)
{
    char own[64];
    struct stat st;
    snprintf(own, sizeof own, "/proc/%ld", (long)pid);
    *root = (struct process_root){NULL, stat(own, &st) ? (uid_t)-1 : st.st_uid};
    snprintf(path, PROCESS_ROOT_OWN, "/proc/%ld/root", (long)pid);
    if (!has_same(pid, "root") || !has_same(pid, "ns/mnt"))
        root->path = path;
}

const char *process_root_find(const struct process_root *root, const char *path, char found[PROCESS_ROOT_PATH])
{
    if (!root->path || *path != '/')
        return path;
    int fd = open_within(root->path, path);
    bool is_found = fd >= 0 && real_path(root->path, fd, found);
    if (fd >= 0)
        close(fd);
    if (!is_found)
        snprintf(found, PROCESS_ROOT_PATH, "%.64s%s", root->path, path);
    return found;
}
