/* What is said of probes that were asked for and are not recorded. */
#ifndef THRACE_PRELOAD_PROBES_LINES_H
#define THRACE_PRELOAD_PROBES_LINES_H

#include "lib/options/probes.h"
#include "preload/probes/notes.h"

/* A pattern may name hundreds: those beyond a few are counted, unless it is to be verbose. */
struct lines {
    bool verbose;
    unsigned refused, arguments;
};

void line_refused(struct lines *, const struct probe_note *, const char *path, const struct dl_phdr_info *,
                  const char *why);
/* Some of its arguments are not understood. */
void line_arguments(struct lines *, const struct probe_note *);
void line_failed(struct lines *, const char *path, const char *why);
void line_unused(const struct probe_mapping *);
void lines_end(const struct lines *);

#endif
