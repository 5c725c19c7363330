/* For programs that are recorded over several generations. */
#ifndef THRACE_TESTS_NEW_GENERATION_H
#define THRACE_TESTS_NEW_GENERATION_H

#include "own-spool.h"
#include "program.h"

/* Returns in a later generation of the program's own recording, and makes events meanwhile, which may begin it. */
static inline void await_new_generation(void)
{
    const struct spool_header *h = find_spool();
    CHECK(h);
    for (uint64_t now = __atomic_load_n(&h->last_generation, __ATOMIC_ACQUIRE);
         __atomic_load_n(&h->last_generation, __ATOMIC_ACQUIRE) == now;)
        milliseconds(1);
}

#endif
