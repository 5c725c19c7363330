#include "config.h"

#include "cmd/finish/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct output {
    FILE *file;
    char *path, *temp; /* NULL: written straight */
};

/* --- what is there ------------------------------------------------------------------------------------------------ */

/* The caller's own descriptor, whatever it is: -1 when the path names none. */
static int named_descriptor(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (!strcmp(path, "-") || !strcmp(path, "/dev/stdout"))
        return STDOUT_FILENO;
    if (!strcmp(path, "/dev/stderr"))
        return STDERR_FILENO;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        const char *number = path + strlen(folders[i]);
        if (strncmp(path, folders[i], strlen(folders[i])) || !*number || strlen(number) > 9 ||
            number[strspn(number, "0123456789")])
            continue;
        return atoi(number);
    }
    return -1;
}

static bool is_ours(const struct stat *st) { return st->st_uid == geteuid(); }

/* NULL: a file can take its place, or it may be written straight. */
static const char *obstacle_of(const struct stat *st)
{
    switch (st->st_mode & S_IFMT) {
    case S_IFREG: return NULL;
    case S_IFCHR: return NULL;
    case S_IFDIR: return "is a directory";
    case S_IFIFO: return is_ours(st) ? NULL : "is a FIFO of another user";
    default: return "is no regular file";
    }
}

/*
 * The file that path leads to, malloc'ed: links of our own, and root's, are followed. NULL with *why, or with errno.
 * There may be no file of the name.
 */
static char *follow(const char *path, struct stat *st, const char **why)
{
    *why = NULL;
    memset(st, 0, sizeof *st);
    if (lstat(path, st)) {
        st->st_mode = 0;
        return errno == ENOENT ? strdup(path) : NULL;
    }
    if (!S_ISLNK(st->st_mode))
        return strdup(path);
    if (st->st_uid && !is_ours(st)) {
        *why = "is a symbolic link of another user";
        return NULL;
    }
    char *real = realpath(path, NULL);
    if (!real && errno == ENOENT)
        *why = "is a symbolic link to what is not there";
    if (real && lstat(real, st)) {
        free(real);
        return NULL;
    }
    return real;
}

const char *output_obstacle(const char *path)
{
    struct stat st;
    const char *why;
    if (named_descriptor(path) >= 0)
        return "is an open descriptor; the trace of a recording goes to a file";
    char *real = follow(path, &st, &why);
    if (!real)
        return why ? why : strerror(errno);
    free(real);
    if (!st.st_mode || S_ISREG(st.st_mode))
        return NULL;
    if (S_ISFIFO(st.st_mode))
        return "is a FIFO; the trace of a recording goes to a file";
    why = obstacle_of(&st);
    return why ? why : "is a device; the trace of a recording goes to a file";
}

bool output_is_straight(const char *path)
{
    struct stat st;
    return named_descriptor(path) >= 0 || (!stat(path, &st) && !S_ISREG(st.st_mode));
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

/* Looks again once it is open, before anything is written: it may be another file than a moment ago. */
static int open_special(const char *path, const char **why)
{
    struct stat st;
    int fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        *why = errno == ENXIO ? "is a FIFO that nobody reads from" : strerror(errno);
        return -1;
    }
    if (fstat(fd, &st))
        *why = strerror(errno);
    else if (S_ISREG(st.st_mode))
        *why = "was another file a moment ago";
    else
        *why = obstacle_of(&st);
    if (!*why && fcntl(fd, F_SETFL, O_WRONLY) < 0)
        *why = strerror(errno);
    if (!*why)
        return fd;
    close(fd);
    return -1;
}

/* Opens nobody else's file: one that has the name stays, and is the error. A long name is cut to make room. */
static int open_beside(struct output *o, mode_t mode, const char **why)
{
    const char *slash = strrchr(o->path, '/'), *name = slash ? slash + 1 : o->path;
    char suffix[32];
    int room = NAME_MAX - snprintf(suffix, sizeof suffix, ".%ld.tmp", (long)getpid());
    if (asprintf(&o->temp, "%.*s%.*s%s", (int)(name - o->path), o->path, room, name, suffix) < 0) {
        o->temp = NULL;
        *why = strerror(ENOMEM);
        return -1;
    }
    unlink(o->temp);
    int fd = open(o->temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd < 0) {
        *why = strerror(errno);
        free(o->temp);
        o->temp = NULL;
    }
    return fd;
}

static int open_path(struct output *o, const char *path, mode_t mode, const char **why)
{
    struct stat st;
    if (!(o->path = follow(path, &st, why))) {
        *why = *why ? *why : strerror(errno);
        return -1;
    }
    if (st.st_mode && (*why = obstacle_of(&st)))
        return -1;
    return !st.st_mode || S_ISREG(st.st_mode) ? open_beside(o, mode, why) : open_special(o->path, why);
}

static void output_free(struct output *o)
{
    free(o->path);
    free(o->temp);
    free(o);
}

struct output *output_open(const char *path, mode_t mode, const char **why)
{
    struct output *o = calloc(1, sizeof *o);
    int fd, named = named_descriptor(path);
    *why = NULL;
    signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is an error to report, and what is half there to be removed */
    if (!o)
        fd = -1;
    else if (named >= 0)
        fd = fcntl(named, F_DUPFD_CLOEXEC, 3);
    else
        fd = open_path(o, path, mode, why);
    if (fd >= 0 && (o->file = fdopen(fd, "w")))
        return o;
    *why = *why ? *why : strerror(errno);
    if (fd >= 0)
        close(fd);
    if (o) {
        if (o->temp)
            unlink(o->temp);
        output_free(o);
    }
    return NULL;
}

FILE *output_file(const struct output *o) { return o->file; }
const char *output_temporary(const struct output *o) { return o->temp; }

int output_restart(struct output *o)
{
    return fflush(o->file) || ftruncate(fileno(o->file), 0) ? -1 : fseeko(o->file, 0, SEEK_SET);
}

int output_replace(struct output *o)
{
    struct stat st;
    if (fflush(o->file) || fstat(fileno(o->file), &st))
        return -1;
    int in = open(o->temp, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (in < 0)
        return -1;
    unlink(o->temp);
    int fd = open(o->temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, st.st_mode & 0777);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (file) {
        fclose(o->file);
        o->file = file;
        return in;
    }
    int number = errno;
    if (fd >= 0)
        close(fd);
    close(in);
    errno = number;
    return -1;
}

const char *output_close(struct output *o, bool keep)
{
    const char *why = NULL;
    errno = 0;
    bool failed = fflush(o->file) || ferror(o->file);
    if (failed)
        why = strerror(errno ? errno : EIO);
    if (fclose(o->file) && !why)
        why = strerror(errno);
    if (o->temp && keep && !why && rename(o->temp, o->path))
        why = strerror(errno);
    if (o->temp && (why || !keep))
        unlink(o->temp);
    output_free(o);
    return why;
}

const char *output_write(const char *path, mode_t mode, const void *data, size_t size)
{
    const char *why;
    struct output *o = output_open(path, mode, &why);
    if (!o)
        return why;
    bool ok = fwrite(data, 1, size, o->file) == size;
    int number = errno;
    why = output_close(o, ok);
    return ok ? why : strerror(number);
}
