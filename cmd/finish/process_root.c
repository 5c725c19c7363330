#include "config.h"

#include "cmd/finish/process_root.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cmd/finish/process_life.h"

#ifndef SYS_openat2
#define SYS_openat2 437
#endif

/* -1: there is none, or by ENOSYS and EPERM the kernel is older than 5.6, or a filter knows no more. */
static int open_within(const char *root, const char *path)
{
    const struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
    int above = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (above < 0)
        return -1;
    int fd = (int)syscall(SYS_openat2, above, path, &how, sizeof how);
    int error = errno;
    close(above);
    errno = error;
    return fd;
}

static bool is_same(const char *path, const struct stat *file)
{
    struct stat st;
    return !stat(path, &st) && st.st_dev == file->st_dev && st.st_ino == file->st_ino;
}

/*
 * The path without links of what is open: the kernel tells it from our root or, if it is not within that, from that of
 * the process's mounts, which its own root may be somewhere in.
 */
static bool real_path(const char *root, const char *path, int fd, char found[PROCESS_ROOT_PATH])
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
    if (is_same(found, &st))
        return true;
    snprintf(found, PROCESS_ROOT_PATH, "%s%s", root, path);
    return is_same(found, &st);
}

void process_root_look(struct process_root *root, char path[PROCESS_ROOT_OWN], pid_t pid)
{
    char folder[PROCESS_FOLDER];
    struct stat st;
    process_folder(folder, pid);
    *root = (struct process_root){NULL, stat(folder, &st) ? (uid_t)-1 : st.st_uid};
    snprintf(path, PROCESS_ROOT_OWN, "%s/root", folder);
    if (!process_shares(folder, "root") || !process_shares(folder, "ns/mnt"))
        root->path = path;
}

void process_root_of_path(struct process_root *root, char own[PROCESS_ROOT_OWN], const char *path)
{
    long pid = 0, task = 0;
    int n = 0;
    *root = (struct process_root){NULL, (uid_t)-1};
    if ((sscanf(path, "/proc/%ld/root/%n", &pid, &n) == 1 && n) ||
        (sscanf(path, "/proc/%ld/task/%ld/root/%n", &pid, &task, &n) == 2 && n))
        process_root_look(root, own, (pid_t)pid);
}

const char *process_root_find(const struct process_root *root, const char *path, char found[PROCESS_ROOT_PATH])
{
    if (!root->path || *path != '/')
        return path;
    int fd = open_within(root->path, path);
    if (fd < 0 && (errno == ENOSYS || errno == EPERM))
        snprintf(found, PROCESS_ROOT_PATH, "%.64s%s", root->path, path);
    else if (fd < 0 || !real_path(root->path, path, fd, found))
        *found = 0;
    if (fd >= 0)
        close(fd);
    return found;
}
