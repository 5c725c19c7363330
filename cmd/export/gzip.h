/* Data as a gzip file. */
#ifndef THRACE_CMD_EXPORT_GZIP_H
#define THRACE_CMD_EXPORT_GZIP_H

#include <stddef.h>

/* The file is to be freed. NULL, or why there is none. */
const char *gzip_all(void *data, size_t size, void **file, size_t *file_size);

#endif
