#include "cmd/flush.h"

#include <stdio.h>

enum { FLUSH_AT = 64 << 10 };

static bool flush(struct raw_buffer *o)
{
    bool ok = !o->failed && (!o->size || fwrite(o->at, 1, o->size, stdout) == o->size);
    o->size = 0;
    return ok;
}

bool flush_when_full(struct raw_buffer *o) { return o->size < FLUSH_AT || flush(o); }

bool flush_all(struct raw_buffer *o) { return flush(o) && !fflush(stdout); }
