/*
 * A file whose text is in memory. open_memstream() of glibc drops what it has no memory for, and says nothing; this one
 * says it when it is closed.
 */
#ifndef THRACE_CMD_EXPORT_MEMORY_FILE_H
#define THRACE_CMD_EXPORT_MEMORY_FILE_H

#include <stddef.h>
#include <stdio.h>

/*
 * To be written from the beginning to the end. What was written is in *text, with a 0 behind it, and in *size once
 * fclose() has returned 0; else memory was short. *text is to be freed in any case. NULL: memory is short, *text is NULL.
 */
FILE *memory_file(char **text, size_t *size);

#endif
