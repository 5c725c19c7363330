/* A small file of the kernel's, as text. System calls only. */
#ifndef THRACE_PRELOAD_TEXT_FILE_H
#define THRACE_PRELOAD_TEXT_FILE_H

#include <fcntl.h>
#include <stddef.h>

#include "lib/rawsys.h"

/* Its beginning, as much as there is room for. How many bytes, or a negative errno; then the text is empty. */
static inline long text_file_read(const char *path, char *into, size_t size)
{
    long fd = sys_openat(path, O_RDONLY | O_CLOEXEC, 0), n = fd;
    if (!sys_failed(fd)) {
        n = sys_read((int)fd, into, size - 1);
        sys_close((int)fd);
    }
    into[n > 0 ? n : 0] = 0;
    return n;
}

#endif
