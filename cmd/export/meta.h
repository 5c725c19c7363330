/* What a trace does not say of itself, or not always: where and of what it was taken, and when. */
#ifndef THRACE_CMD_EXPORT_META_H
#define THRACE_CMD_EXPORT_META_H

#include "cmd/export/rows.h"

struct export_meta {
    char trace[STACK_TEXT_MAX + 1];  /* the name of the file, without folders */
    const char *values[EXPORT_META]; /* "": not known */
    char start[64];
};

/* What the user has said, else what the trace does. */
void export_meta_fill(struct export_meta *m, const struct export_job *job, const struct rows *r);

#endif
