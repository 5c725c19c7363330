/* Names for the frames of traces that have PCs alone: those before 1.7. */
#ifndef THRACE_PARSER_AS_V2_NAMES_H
#define THRACE_PARSER_AS_V2_NAMES_H

#include "parser/as_v2/as_v2.h"

/* What a PC is; NULL and 0: not known. */
struct as_v2_name {
    const char *function, *file; /* the caller's, who keeps them as long as the reader is there */
    uint32_t line;
};

/* Looks n return addresses of a trace up, each at the byte before it. Returns NULL, or why the trace is not to be read. */
typedef const char *as_v2_name_fn(void *arg, struct v1_trace *t, const uint64_t *pcs, size_t n,
                                  struct as_v2_name *names);

/* Names all frames of the tables that v has been opened with. False: f says why. */
bool as_v2_name_frames(struct as_v2 *v, as_v2_name_fn *look_up, void *arg, struct failure *f);

#endif
