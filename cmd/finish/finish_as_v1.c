#include "cmd/finish/finish_as_v1.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

const char *finish_as_v1(int fd, FILE *out, unsigned nn, struct finish_summary *sum)
{
    static char text[256];
    struct failure f = {0};
    struct finish_counted counted = {out, &sum->bytes};
    if (lseek(fd, 0, SEEK_SET) < 0)
        return strerror(errno);
    struct gotrace_reader *r = gotrace_reader_open_fd(fd);
    if (!r)
        return strerror(ENOMEM);
    sum->bytes = 0; /* those of the v2 that it is made of */
    bool done = as_v1_convert(r, nn, finish_write_counted, &counted, &sum->v1_losses, &f);
    int number = errno;
    gotrace_reader_free(r);
    if (done)
        return NULL;
    snprintf(text, sizeof text, "%s", f.error.status ? f.error.message : strerror(number));
    return text;
}
