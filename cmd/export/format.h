/* A format that a trace can be exported to, and how its function ends. */
#ifndef THRACE_CMD_EXPORT_FORMAT_H
#define THRACE_CMD_EXPORT_FORMAT_H

#include <stdio.h>

enum export_result {
    EXPORT_DONE,
    EXPORT_INVALID,   /* the trace is wrong, or lacks what is wanted */
    EXPORT_UNREAD,    /* it cannot be read, or memory is short */
    EXPORT_UNWRITTEN, /* errno says why */
};

/* Writes the trace to `to`. If the trace is at fault, *why is one line that lives until the next call. */
typedef enum export_result export_fn(FILE *trace, FILE *to, const char **why);

struct export_format {
    const char *name, *suffix;
    export_fn *function;
};

#define THRACE_EXPORT(name, suffix, summary) export_fn export_##name;
#include "cmd/export/formats.def"
#undef THRACE_EXPORT

#endif
