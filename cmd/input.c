#include "cmd/input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/complain.h"
#include "cmd/finish/progress.h"
#include "cmd/verbs.h"
#include "lib/clock.h"

bool is_same_file(const char *in, const char *out)
{
    struct stat a, b;
    return strcmp(in, "-") && strcmp(out, "-") && !stat(in, &a) && !stat(out, &b) && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

struct gotrace_reader *open_input(const char *verb, const char *path)
{
    struct gotrace_reader *r =
        strcmp(path, "-") ? gotrace_reader_open_path(path) : gotrace_reader_open_fd(STDIN_FILENO);
    if (!r)
        complain(verb, "out of memory");
    return r;
}

/* ---- progress --------------------------------------------------------------------------------------------------- */

static struct {
    struct progress bar;
    char what[256];
    uint64_t size;
    uint64_t read; /* of several files together */
} progress;

void hide_progress(void) { progress_end(&progress.bar); }

static void show_read(uint64_t bytes)
{
    if (bytes < progress.size)
        progress_update(&progress.bar, clock_mono_ns(), (size_t)bytes, (size_t)progress.size);
    else
        hide_progress();
}

static void tell(void *arg, uint64_t bytes)
{
    (void)arg;
    show_read(bytes);
}

static void tell_of_one(void *arg, uint64_t bytes)
{
    uint64_t *read = arg;
    progress.read += bytes - *read;
    *read = bytes;
    show_read(progress.read);
}

gotrace_progress_fn *begin_progress(const char *verb, const char *path)
{
    struct stat st;
    bool is_stdin = !strcmp(path, "-");
    if ((is_stdin ? fstat(STDIN_FILENO, &st) : stat(path, &st)) || !S_ISREG(st.st_mode))
        return NULL;
    const char *slash = strrchr(path, '/');
    snprintf(progress.what, sizeof progress.what, "thrace %s: reading %s", verb,
             is_stdin ? "standard input" : slash ? slash + 1 : path);
    progress.size = (uint64_t)st.st_size;
    progress_start(&progress.bar, stderr, progress.what, clock_mono_ns());
    return progress.bar.to ? tell : NULL;
}

void show_progress(struct gotrace_reader *r, const char *verb, const char *path)
{
    gotrace_progress_fn *fn = begin_progress(verb, path);
    if (fn)
        gotrace_reader_on_progress(r, fn, NULL);
}

void begin_progress_of_all(const char *verb)
{
    snprintf(progress.what, sizeof progress.what, "thrace %s", verb);
    progress.size = progress.read = 0;
    progress_start(&progress.bar, stderr, progress.what, clock_mono_ns());
}

void add_to_progress(struct gotrace_reader *r, const struct twice *file, uint64_t *read)
{
    struct stat st;
    if (!progress.bar.to || (file->fd < 0 ? stat(file->path, &st) : fstat(file->fd, &st)))
        return;
    progress.size += (uint64_t)(st.st_size - file->start);
    *read = 0;
    gotrace_reader_on_progress(r, tell_of_one, read);
}

/* ---- twice ------------------------------------------------------------------------------------------------------ */

static bool is_file(int fd)
{
    struct stat st;
    return !fstat(fd, &st) && S_ISREG(st.st_mode);
}

/* Copies all that comes from fd into a file without a name, which it returns; -1: see errno. */
static int copy_of(int fd)
{
    static char buffer[1 << 16];
    FILE *f = tmpfile();
    int copy = f ? fcntl(fileno(f), F_DUPFD_CLOEXEC, 0) : -1;
    ssize_t n = 0;
    while (copy >= 0 && ((n = read(fd, buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR)))
        if (n > 0 && fwrite(buffer, 1, (size_t)n, f) != (size_t)n) {
            n = -1;
            break;
        }
    int err = n < 0 ? errno : 0;
    if (f && fclose(f) && !err)
        err = errno;
    if (copy >= 0 && err) {
        close(copy);
        copy = -1;
        errno = err;
    }
    return copy;
}

bool twice_open(struct twice *t, const char *verb, const char *path)
{
    bool is_stdin = !strcmp(path, "-");
    *t = (struct twice){.path = path, .fd = -1, .copy = -1};
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    bool file = fd >= 0 && is_file(fd);
    if (fd < 0 || (file && !is_stdin)) { /* whoever opens it says what is wrong */
        if (file)
            close(fd);
        return true;
    }
    bool ok = twice_open_fd(t, verb, path, fd);
    if (!is_stdin)
        close(fd);
    return ok;
}

bool twice_open_fd(struct twice *t, const char *verb, const char *path, int fd)
{
    *t = (struct twice){.path = path, .fd = fd, .copy = -1};
    if (is_file(fd)) {
        t->start = lseek(fd, 0, SEEK_CUR);
        return true;
    }
    t->fd = t->copy = copy_of(fd);
    if (t->copy < 0)
        complain(verb, "%s: has to be read twice, and cannot be copied: %s", path, strerror(errno));
    return t->copy >= 0;
}

void twice_close(struct twice *t)
{
    if (t->copy >= 0)
        close(t->copy);
}

struct gotrace_reader *twice_read(struct twice *t, const char *verb)
{
    if (t->fd < 0)
        return open_input(verb, t->path);
    lseek(t->fd, t->start, SEEK_SET);
    struct gotrace_reader *r = gotrace_reader_open_fd(t->fd);
    if (!r)
        complain(verb, "out of memory");
    return r;
}

void print_error(FILE *out, const char *path, const struct gotrace_error *e)
{
    hide_progress();
    fprintf(out, "%s: ", path);
    if (e->generation)
        fprintf(out, "generation %" PRIu64 ", ", e->generation);
    if (e->thread != GOTRACE_NONE)
        fprintf(out, "thread %" PRIu64 ", ", e->thread);
    if (e->offset)
        fprintf(out, "byte %" PRIu64 ", ", e->offset);
    if (e->event)
        fprintf(out, "%s: ", e->event);
    fprintf(out, "%s\n", e->message);
}

int error_status(const struct gotrace_error *e)
{
    if (!e)
        return EXIT_OK;
    return e->status == GOTRACE_EREAD || e->status == GOTRACE_ENOMEM ? EXIT_USAGE : EXIT_INVALID;
}
