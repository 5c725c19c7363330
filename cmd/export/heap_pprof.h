/* Where blocks of the heap were allocated, and a file of pprof's format that says so. */
#ifndef THRACE_CMD_EXPORT_HEAP_PPROF_H
#define THRACE_CMD_EXPORT_HEAP_PPROF_H

#include <stddef.h>
#include <stdint.h>

#include "gotrace/builder.h"

struct heap_site {
    struct gotrace_builder_frame *frames; /* leaf first */
    size_t nframes;
    double objects, bytes;           /* allocated */
    double live_objects, live_bytes; /* and not freed, by estimate */
    uint64_t live_samples;           /* that the estimate comes from */
};

/* The compressed file, to be freed. NULL, or one line that says what went wrong. */
const char *heap_pprof_make(const struct heap_site *sites, size_t n, uint64_t interval, uint64_t start_ns,
                            uint64_t duration_ns, void **file, size_t *size);

#endif
