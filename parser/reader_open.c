/* Opening a trace and closing it, and what is known without reading on. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "parser/reader.h"

static ssize_t read_fd(void *arg, void *buf, size_t size)
{
    return read(*(int *)arg, buf, size);
}

static struct gotrace_reader *new_reader(void)
{
    struct gotrace_reader *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->fd = -1;
    r->pending = NO_PENDING;
    r->sample_time = INT64_MAX;
    if (!order_init(&r->order, &r->failure)) {
        free(r);
        return NULL;
    }
    return r;
}

static struct gotrace_reader *start(struct gotrace_reader *r)
{
    r->version = read_any_header(&r->source, &r->failure);
    if (!r->version)
        r->state = ENDED;
    else if (r->version->old)
        r->state = READING_V1;
    return r;
}

struct gotrace_reader *gotrace_reader_open_callback(gotrace_read_fn *read, void *arg)
{
    struct gotrace_reader *r = new_reader();
    if (!r)
        return NULL;
    r->source.read = read;
    r->source.arg = arg;
    return start(r);
}

struct gotrace_reader *gotrace_reader_open_fd(int fd)
{
    struct gotrace_reader *r = new_reader();
    if (!r)
        return NULL;
    r->fd = fd;
    r->source.read = read_fd;
    r->source.arg = &r->fd;
    return start(r);
}

struct gotrace_reader *gotrace_reader_open_memory(const void *data, size_t size)
{
    struct gotrace_reader *r = new_reader();
    if (!r)
        return NULL;
    r->source.p = data;
    r->source.end = r->source.p + size;
    r->source.offset = size;
    return start(r);
}

struct gotrace_reader *gotrace_reader_open_path(const char *path)
{
    struct gotrace_reader *r = new_reader();
    if (!r)
        return NULL;
    r->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (r->fd < 0) {
        fail_system(&r->failure, GOTRACE_EREAD, (struct place){.thread = ID_NONE}, errno, "cannot open");
        r->state = ENDED;
        return r;
    }
    r->owns_fd = true;
    struct stat st;
    if (!fstat(r->fd, &st) && S_ISREG(st.st_mode)) {
        r->source.is_file = true;
        r->source.fd = r->fd;
        posix_fadvise(r->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    } else {
        r->source.read = read_fd;
        r->source.arg = &r->fd;
    }
    return start(r);
}

const struct gotrace_error *gotrace_reader_error(const struct gotrace_reader *r)
{
    return failure_error(&r->failure);
}

int gotrace_reader_version(const struct gotrace_reader *r)
{
    return r->version ? r->version->nn : 0;
}

void gotrace_reader_on_progress(struct gotrace_reader *r, gotrace_progress_fn *tell, void *arg)
{
    r->source.tell = tell;
    r->source.tell_arg = arg;
}

void gotrace_reader_free(struct gotrace_reader *r)
{
    if (!r)
        return;
    if (r->owns_fd)
        close(r->fd);
    as_v2_free(r->as_v2);
    generation_free(&r->generation);
    order_free(&r->order);
    frontier_free(&r->frontier);
    source_free(&r->source);
    free(r);
}
