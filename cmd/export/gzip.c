#include "config.h"

#include "cmd/export/gzip.h"

#if HAVE_PPROF

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <zlib.h>

enum { GZIP = 16 }; /* added to the bits of the window */

const char *gzip_all(void *data, size_t size, void **file, size_t *file_size)
{
    z_stream z = {.next_in = data, .avail_in = (uInt)size};
    *file = NULL;
    if (size > UINT_MAX / 2)
        return "more than 2 GiB";
    if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP, MAX_MEM_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return "out of memory";
    uLong bound = deflateBound(&z, (uLong)size);
    z.next_out = *file = malloc(bound);
    z.avail_out = (uInt)bound;
    bool ok = *file && deflate(&z, Z_FINISH) == Z_STREAM_END;
    *file_size = z.total_out;
    deflateEnd(&z);
    if (ok)
        return NULL;
    free(*file);
    *file = NULL;
    return "out of memory";
}

#endif
