/* The table of formats. */
#ifndef THRACE_CMD_EXPORT_FORMATS_H
#define THRACE_CMD_EXPORT_FORMATS_H

#include "cmd/export/format.h"

/* NULL: there is none of that name. */
const struct export_format *export_format_named(const char *name);

/* The one that the file's suffix stands for, or else the first. */
const struct export_format *export_format_for(const char *path);

#endif
