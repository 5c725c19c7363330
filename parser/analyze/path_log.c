#include "parser/analyze/path_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { FIRST_CAP = 1024, BLOCK = 1 << 15 };

void path_log_init(struct path_log *log, size_t most) { *log = (struct path_log){.most = most, .fd = -1}; }

void path_log_free(struct path_log *log)
{
    free(log->v);
    free(log->block);
    if (log->fd >= 0)
        close(log->fd);
    path_log_init(log, log->most);
}

static bool fails(struct path_log *log, int error)
{
    log->error = error;
    return false;
}

/* Not all file systems have files without a name. */
static int open_temporary(void)
{
    const char *folder = getenv("TMPDIR");
    char *path = NULL;
    folder = folder && *folder ? folder : "/tmp";
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
    if (fd >= 0)
        return fd;
    if (asprintf(&path, "%s/thrace.XXXXXX", folder) < 0)
        return -1;
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    free(path);
    return fd;
}

static bool write_all(struct path_log *log, const char *data, size_t size)
{
    while (size) {
        ssize_t n = write(log->fd, data, size);
        if (n < 0 && errno != EINTR)
            return fails(log, errno);
        data += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* Makes room for one more record. */
static bool room(struct path_log *log)
{
    if (log->n < log->cap)
        return true;
    if (log->cap < log->most) {
        size_t cap = log->cap ? 2 * log->cap : log->most < FIRST_CAP ? log->most : FIRST_CAP;
        struct path_record *v = realloc(log->v, cap * sizeof *v);
        if (!v)
            return fails(log, ENOMEM);
        log->v = v;
        log->cap = cap;
        return true;
    }
    if (log->fd < 0 && (log->fd = open_temporary()) < 0)
        return fails(log, errno);
    if (!write_all(log, (const char *)log->v, log->n * sizeof *log->v))
        return false;
    log->in_file += log->n;
    log->n = 0;
    return true;
}

uint64_t path_log_add(struct path_log *log, const struct path_record *r)
{
    if (log->error || !room(log))
        return 0;
    log->v[log->n++] = *r;
    return path_log_count(log);
}

static bool read_block(struct path_log *log, uint64_t at)
{
    uint64_t left = log->in_file - at;
    size_t n = left < BLOCK ? (size_t)left : BLOCK, size = n * sizeof *log->block;
    if (!log->block && !(log->block = malloc(BLOCK * sizeof *log->block)))
        return fails(log, ENOMEM);
    for (size_t have = 0; have < size;) {
        ssize_t got = pread(log->fd, (char *)log->block + have, size - have,
                            (off_t)(at * sizeof *log->block + have));
        if (got <= 0 && (!got || errno != EINTR))
            return fails(log, got ? errno : EIO);
        have += got > 0 ? (size_t)got : 0;
    }
    log->block_at = at;
    log->block_n = n;
    return true;
}

struct path_record path_log_get(struct path_log *log, uint64_t number)
{
    uint64_t i = number - 1;
    if (!log->error && i >= log->in_file)
        return log->v[i - log->in_file];
    bool there = i >= log->block_at && i - log->block_at < log->block_n;
    if (log->error || (!there && !read_block(log, i - i % BLOCK)))
        return (struct path_record){.before = 0};
    return log->block[i - log->block_at];
}
