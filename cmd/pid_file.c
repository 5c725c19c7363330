#include "config.h"

#include "cmd/pid_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/complain.h"
#include "cmd/finish/output.h"

/* What the file cannot take the place of; NULL: there is nothing like that. */
static const char *obstacle(const char *path)
{
    struct stat st;
    if (!*path)
        return "the name of the file is empty";
    if (lstat(path, &st))
        return errno == ENOENT ? NULL : strerror(errno);
    return S_ISREG(st.st_mode) ? NULL : S_ISDIR(st.st_mode) ? strerror(EISDIR) : "it is no regular file";
}

/* NULL: a file can be made beside it. */
static const char *try_beside(const char *path)
{
    char beside[PATH_MAX];
    int n = snprintf(beside, sizeof beside, "%s.%ld", path, (long)getpid());
    if (n < 0 || (size_t)n >= sizeof beside)
        return strerror(ENAMETOOLONG);
    int fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return strerror(errno);
    close(fd);
    unlink(beside);
    return NULL;
}

bool pid_file_prepare(struct pid_file *f, const char *path)
{
    *f = (struct pid_file){.path = path};
    const char *why = path ? obstacle(path) : NULL;
    if (path && !why)
        why = try_beside(path);
    if (why)
        complain("record", "--pid-file %s: %s", path, why);
    return !why;
}

void pid_file_write(struct pid_file *f, pid_t pid)
{
    char text[24];
    struct stat st;
    if (!f->path)
        return;
    int n = snprintf(text, sizeof text, "%ld\n", (long)pid);
    const char *why = output_write(f->path, 0644, text, (size_t)n);
    if (why)
        complain("record", "--pid-file %s: %s; process %ld is recorded without it", f->path, why, (long)pid);
    else if (!lstat(f->path, &st))
        *f = (struct pid_file){f->path, true, st.st_dev, st.st_ino};
}

void pid_file_remove(const struct pid_file *f)
{
    struct stat st;
    if (f->made && !lstat(f->path, &st) && st.st_dev == f->device && st.st_ino == f->inode)
        unlink(f->path);
}
