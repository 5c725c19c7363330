/* The memory that a walk may read. Every word of a stack is loaded through region_load, or was once and is again. */
#ifndef THRACE_LIB_UNWIND_REGION_H
#define THRACE_LIB_UNWIND_REGION_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/unwind/regs.h"

struct region {
    uintptr_t lo;
    uintptr_t starts; /* addresses from lo on at which a word may start; 0: nothing may be read */
};

static inline struct region region_between(uintptr_t lo, uintptr_t hi)
{
    return (struct region){lo, hi > lo && hi - lo >= sizeof(uintptr_t) ? hi - lo - sizeof(uintptr_t) + 1 : 0};
}

READS_FRAMES static inline bool region_load(const struct region *g, uintptr_t addr, uintptr_t *word)
{
    if (__builtin_expect(addr - g->lo >= g->starts || addr % sizeof *word, 0))
        return false;
    *word = *(const uintptr_t *)addr;
    return true;
}

#endif
