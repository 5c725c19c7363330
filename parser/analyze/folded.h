/* Frames in which nobody looks for a cause: of libc, of a language's own library, of thrace. */
#ifndef THRACE_PARSER_ANALYZE_FOLDED_H
#define THRACE_PARSER_ANALYZE_FOLDED_H

#include <stdbool.h>

#include "gotrace/reader.h"

/* It is none of the program's functions. */
bool frame_is_folded(const struct gotrace_frame *f);

#endif
