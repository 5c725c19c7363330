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

static inline bool place_begins(const char *text, size_t len, const char *with)
{
    return len >= strlen(with) && !memcmp(text, with, strlen(with));
}

/* What templates, headers and crates of locks put into a program of C++ or Rust is not what somebody looks for. */
static inline bool place_is_language(const char *function, size_t len, const char *file, size_t file_len)
{
    static const char *const folders[] = {"/include/c++/", "/rustc/", "/library/std/", "/library/core/",
                                          "/library/alloc/", "/bits/gthr-default.h"};
    static const char *const names[] = {"std::", "core::", "alloc::", "<std::", "<core::", "<alloc::", "__gthread_",
                                        "parking_lot", "<parking_lot", "lock_api::", "<lock_api::"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (file_len && memmem(file, file_len, folders[i], strlen(folders[i])))
            return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (place_begins(function, len, names[i]))
            return true;
    return false;
}

#endif
