#include "config.h"

#include <errno.h>
#include <string.h>

#include "parser/raw_input.h"

enum { READ_SIZE = 64 << 10 };

bool raw_input_more(struct raw_input *in)
{
    if (!in->read || in->at_end || in->error)
        return false;
    size_t left = (size_t)(in->end - in->p);
    if (left && in->p != in->buf.at)
        memmove(in->buf.at, in->p, left);
    in->buf.size = left;
    uint8_t *room = raw_buffer_reserve(&in->buf, READ_SIZE);
    if (!room) {
        in->error = ENOMEM;
        return false;
    }
    ssize_t n = in->read(in->arg, room, READ_SIZE);
    in->p = in->buf.at;
    in->end = in->p + left;
    if (n <= 0 || n > READ_SIZE) {
        in->at_end = n == 0;
        if (n)
            in->error = n < 0 && errno ? errno : EIO;
        return false;
    }
    in->end += n;
    in->end_offset += (uint64_t)n;
    return true;
}
