#include "config.h"

#include "cmd/finish/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Of what O_PATH has: where there is no /proc, by the path once more. */
static int open_again(int fd, const char *path)
{
    enum { FLAGS = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY };
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    int again = open(link, FLAGS);
    return again < 0 && errno == ENOENT ? open(path, FLAGS | O_NOFOLLOW) : again;
}

int regular_file_open(const char *path, struct stat *st)
{
    memset(st, 0, sizeof *st);
    int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -1;
    int file = -1;
    if (!fstat(fd, st)) {
        errno = S_ISLNK(st->st_mode) ? ELOOP : EINVAL;
        file = S_ISREG(st->st_mode) ? open_again(fd, path) : -1;
    }
    int error = errno;
    close(fd);
    errno = error;
    return file;
}
