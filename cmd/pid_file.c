#include "config.h"

#include "cmd/pid_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/complain.h"

/* What the file cannot take the place of; NULL: there is nothing like that. */
static const char *obstacle(const char *path)
{
    struct stat st;
    if (lstat(path, &st))
        return errno == ENOENT ? NULL : strerror(errno);
    return S_ISREG(st.st_mode) ? NULL : S_ISDIR(st.st_mode) ? strerror(EISDIR) : "it is no regular file";
}

bool pid_file_prepare(struct pid_file *f, const char *path)
{
    struct stat st;
    *f = (struct pid_file){.path = path, .fd = -1};
    if (!path)
        return true;
    const char *why = *path ? obstacle(path) : "the name of the file is empty";
    int n = snprintf(f->made, sizeof f->made, "%s.%ld", path, (long)getpid());
    if (!why && (n < 0 || (size_t)n >= sizeof f->made))
        why = strerror(ENAMETOOLONG);
    if (!why) {
        f->fd = open(f->made, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
        if (f->fd < 0 || fstat(f->fd, &st))
            why = strerror(errno);
    }
    if (why) {
        complain("record", "--pid-file %s: %s", path, why);
        pid_file_remove(f);
        return false;
    }
    f->device = st.st_dev;
    f->inode = st.st_ino;
    return true;
}

void pid_file_write(struct pid_file *f, pid_t pid)
{
    char text[24];
    if (!f->path)
        return;
    int n = snprintf(text, sizeof text, "%ld\n", (long)pid);
    ssize_t done = write(f->fd, text, (size_t)n);
    if (done != n || rename(f->made, f->path))
        complain("record", "--pid-file %s: %s; process %ld is recorded without it", f->path,
                 done >= 0 && done != n ? strerror(ENOSPC) : strerror(errno), (long)pid);
}

static void remove_own(const struct pid_file *f, const char *path)
{
    struct stat st;
    if (!lstat(path, &st) && st.st_dev == f->device && st.st_ino == f->inode)
        unlink(path);
}

void pid_file_remove(struct pid_file *f)
{
    if (!f->path || f->fd < 0)
        return;
    remove_own(f, f->path);
    remove_own(f, f->made);
    close(f->fd);
    f->fd = -1;
}
