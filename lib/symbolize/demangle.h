/* C++ and Rust names as people write them. */
#ifndef THRACE_LIB_SYMBOLIZE_DEMANGLE_H
#define THRACE_LIB_SYMBOLIZE_DEMANGLE_H

#include "lib/symbolize/strings.h"

/* Adds the demangled name to the pool, or the name itself when it is not mangled or not understood. */
uint32_t demangle(struct strings *, const char *name, size_t len);

#endif
