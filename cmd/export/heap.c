/* The heap profile that a trace has, as a file for pprof. */
#include <errno.h>
#include <stdlib.h>

#include "cmd/export/format.h"
#include "cmd/export/heap_in_trace.h"

enum export_result export_heap(FILE *trace, FILE *to, const char **why)
{
    size_t size;
    int invalid;
    void *profile = heap_in_trace_read(trace, &size, why, &invalid);
    if (!profile && *why)
        return invalid ? EXPORT_INVALID : EXPORT_UNREAD;
    if (!profile) {
        *why = "no heap profile in it; record with --heap-sample=512K";
        return EXPORT_INVALID;
    }
    enum export_result result = fwrite(profile, 1, size, to) == size ? EXPORT_DONE : EXPORT_UNWRITTEN;
    int number = errno;
    free(profile);
    errno = number;
    return result;
}
