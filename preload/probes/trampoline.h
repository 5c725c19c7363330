/* Code near a probe that calls the library and does what stood there, and the jump to it in place of that. */
#ifndef THRACE_PRELOAD_PROBES_TRAMPOLINE_H
#define THRACE_PRELOAD_PROBES_TRAMPOLINE_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/examiner/site.h"
#include "preload/probes/fire.h"

/* Memory that a module's code can jump to. */
struct trampolines {
    uint8_t *from, *next, *end;
};

/* For n probes at most. NULL, or why there are none. */
const char *trampolines_begin(struct trampolines *, const struct dl_phdr_info *module, unsigned n);

/* Writes one. Returns where it is, or NULL: something that it leads to is too far away. */
const uint8_t *trampoline_write(struct trampolines *, const struct site *, const struct probe *);

/* No more are written, and they can be executed. NULL, or why not: then they are gone. */
const char *trampolines_end(struct trampolines *);

/* Has the program jump there. While no other thread runs. False: it cannot be, and nothing has changed. */
bool trampoline_enter(const struct site *, const uint8_t *trampoline);

#endif
