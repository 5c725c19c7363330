/* Frames in which nobody looks for a cause: of libc, of a language's own library, of thrace. */
#ifndef THRACE_PARSER_ANALYZE_FOLDED_H
#define THRACE_PARSER_ANALYZE_FOLDED_H

#include <stdbool.h>

#include "gotrace/reader.h"

/* It is none of the program's functions. */
bool frame_is_folded(const struct gotrace_frame *f);

/* Why it is none: its file is a module of such a library, it is thrace's, it is of a package of Go's. */
bool file_is_library(struct gotrace_str file);
bool function_is_thraces(struct gotrace_str function);
bool function_is_gos(struct gotrace_str function, struct gotrace_str file);

#endif
