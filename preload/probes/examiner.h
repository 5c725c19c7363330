/* The library that says where a jump is safe (preload/examiner/examine.h), while it is loaded. */
#ifndef THRACE_PRELOAD_PROBES_EXAMINER_H
#define THRACE_PRELOAD_PROBES_EXAMINER_H

#include "preload/examiner/examine.h"

struct examiner {
    void *library;
    examine_function *examine;
};

/* NULL, or why it cannot be used. */
const char *examiner_load(struct examiner *);
void examiner_unload(struct examiner *);

#endif
