/* Where exceptions that pass a function go on in it: its landing pads, as .gcc_except_table has them. */
#ifndef THRACE_PRELOAD_EXAMINER_LANDING_H
#define THRACE_PRELOAD_EXAMINER_LANDING_H

#include "preload/examiner/image.h"

/* True: one is at from < pad < to, or they cannot be read. */
bool landing_between(const struct image *, const struct cfi_fde *, uintptr_t from, uintptr_t to);

#endif
