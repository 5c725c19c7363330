/* The heap profile that a trace has, as a file for pprof. */
#include <errno.h>
#include <stdlib.h>

#include "cmd/export/format.h"
#include "cmd/export/heap_in_trace.h"

enum export_result export_heap(struct export_job *job)
{
    size_t size;
    int invalid;
    if (job->filter) {
        job->why = "a heap profile is of the whole program: it takes no filters";
        return EXPORT_UNREAD;
    }
    void *profile = heap_in_trace_read(job->trace, &size, &job->why, &invalid);
    if (!profile && job->why)
        return invalid ? EXPORT_INVALID : EXPORT_UNREAD;
    if (!profile) {
        job->why = "no heap profile in it; record with --heap-sample=512K";
        return EXPORT_INVALID;
    }
    enum export_result result = fwrite(profile, 1, size, job->to) == size ? EXPORT_DONE : EXPORT_UNWRITTEN;
    int number = errno;
    free(profile);
    errno = number;
    return result;
}
