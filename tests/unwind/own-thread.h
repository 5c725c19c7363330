/* What an unwinder has to know of the calling thread and its process. */
#ifndef THRACE_TESTS_UNWIND_OWN_THREAD_H
#define THRACE_TESTS_UNWIND_OWN_THREAD_H

#include <link.h>
#include <pthread.h>
#include <stdlib.h>

#include "lib/unwind/unwind.h"

static inline void own_stack(uintptr_t *lo, uintptr_t *hi)
{
    pthread_attr_t attr;
    void *start;
    size_t size;
    pthread_getattr_np(pthread_self(), &attr);
    pthread_attr_getstack(&attr, &start, &size);
    pthread_attr_destroy(&attr);
    *lo = (uintptr_t)start;
    *hi = *lo + size;
}

static inline int add_own_module(struct dl_phdr_info *info, size_t size, void *mods)
{
    (void)size;
    unwind_modules_add(mods, info);
    return 0;
}

/* So many modules at most; freed with free. */
static inline struct unwind_modules *own_modules(size_t cap, uint64_t generation)
{
    struct unwind_modules *mods = unwind_modules_init(malloc(unwind_modules_size(cap)), cap, generation);
    dl_iterate_phdr(add_own_module, mods);
    return mods;
}

#endif
