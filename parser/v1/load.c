#include "parser/v1/load.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_SIZE = 1 << 20 };

int v1_load(int fd, struct raw_buffer *b)
{
    struct stat st;
    /* A byte more than the file has: there the end is seen. */
    if (!fstat(fd, &st) && S_ISREG(st.st_mode) && !raw_buffer_reserve(b, (size_t)st.st_size + 1))
        return ENOMEM;
    for (;;) {
        size_t room = b->room - b->size;
        if (!room && !raw_buffer_reserve(b, READ_SIZE))
            return ENOMEM;
        room = b->room - b->size;
        ssize_t n = read(fd, b->at + b->size, room);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno ? errno : EIO;
        if (n == 0)
            return 0;
        b->size += (size_t)n;
    }
}
