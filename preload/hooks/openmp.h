/*
 * OpenMP runtimes. They make their futex calls themselves, past libc, so what their threads wait for is seen at their
 * own entry points.
 *
 * A runtime may come with a module that is loaded late and for itself alone, in several copies of different names. So
 * what comes after a wrapper depends on who calls it.
 */
#ifndef THRACE_PRELOAD_HOOKS_OPENMP_H
#define THRACE_PRELOAD_HOOKS_OPENMP_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/modules.h"
#include "preload/wrapper.h"

/* A runtime's functions; NULL for those that it does not have. */
struct openmp {
    struct module_span module; /* that this is the runtime of */
#define THRACE_OMP(ret, name, params) ret(*name) params;
#include "preload/hooks/openmp.def"
#undef THRACE_OMP
};

/*
 * The runtime that a call from this address was meant for; NULL when the address is in the library. Walks the
 * modules the first time that one asks, so it must not be called in a section.
 */
const struct openmp *openmp_of(const void *caller);

/* A module has gone: another one may get its place. */
void openmp_forget(void);

#endif
