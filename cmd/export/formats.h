/* The table of formats. */
#ifndef THRACE_CMD_EXPORT_FORMATS_H
#define THRACE_CMD_EXPORT_FORMATS_H

#include "cmd/export/format.h"

/* The format of that name, or NULL. */
const struct export_format *export_format_named(const char *name);

/* The format of the file's suffix, or NULL. */
const struct export_format *export_format_for(const char *path);

#endif
