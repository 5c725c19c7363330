#include "cmd/finish/finish_as_v1.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct counted {
    FILE *file;
    uint64_t bytes;
};

static bool write_counted(void *arg, const void *data, size_t size)
{
    struct counted *c = arg;
    c->bytes += size;
    return fwrite(data, 1, size, c->file) == size;
}

const char *finish_as_v1(int fd, FILE *out, unsigned nn, struct finish_summary *sum)
{
    static char text[256];
    struct failure f = {0};
    struct counted counted = {out, 0};
    if (lseek(fd, 0, SEEK_SET) < 0)
        return strerror(errno);
    struct gotrace_reader *r = gotrace_reader_open_fd(fd);
    if (!r)
        return strerror(ENOMEM);
    bool done = as_v1_convert(r, nn, write_counted, &counted, &sum->v1_losses, &f);
    int number = errno;
    gotrace_reader_free(r);
    sum->bytes = counted.bytes;
    if (done)
        return NULL;
    snprintf(text, sizeof text, "%s", f.error.status ? f.error.message : strerror(number));
    return text;
}
