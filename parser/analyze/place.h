/* What a frame of a trace says of its place. */
#ifndef THRACE_PARSER_ANALYZE_PLACE_H
#define THRACE_PARSER_ANALYZE_PLACE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/*
 * Go's readers want a line above 0 in each frame. So a frame without line info has its module in place of the source
 * file, and line 1: bash, libc.so.6, [unknown]. That 1 is not to be shown. name is the file's, without folders.
 */
static inline bool place_has_line(const char *name, size_t len, uint64_t line)
{
    return line > 1 || (line && memchr(name, '.', len) && !memmem(name, len, ".so", 3));
}

#endif
