#include "preload/openmp.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>

#include "preload/tracer.h"

enum { RUNTIMES = 16 };

static struct openmp runtimes[RUNTIMES];
static uint32_t count;
static struct lock adding;

static const struct {
    const char *symbol;
    size_t offset;
} table[] = {
#define THRACE_OMP(ret, name, params) {#name, offsetof(struct openmp, name)},
#include "preload/openmp.def"
#undef THRACE_OMP
};

static const struct openmp *find(uintptr_t pc)
{
    uint32_t n = __atomic_load_n(&count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < n; i++)
        if (pc >= runtimes[i].module.from && pc < runtimes[i].module.to)
            return &runtimes[i];
    return NULL;
}

/* What a module's own references would lead to if the shim were not there: the global scope first, then its own. */
static void resolve(struct openmp *o, const void *caller)
{
    Dl_info info;
    struct link_map *map = NULL;
    void *own = NULL;
    if (dladdr1(caller, &info, (void **)&map, RTLD_DL_LINKMAP) && map && *map->l_name)
        own = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        void *f = dlsym(RTLD_NEXT, table[i].symbol);
        if (!f && own)
            f = dlsym(own, table[i].symbol);
        *(void **)((char *)o + table[i].offset) = f;
    }
    if (own)
        dlclose(own);
}

const struct openmp *openmp_of(const void *caller)
{
    const struct openmp *known = find((uintptr_t)caller);
    if (likely(known))
        return known;
    if (is_in_shim(caller))
        return NULL;
    struct openmp o = {0};
    module_span_of((uintptr_t)caller, &o.module);
    resolve(&o, caller);
    lock_take(&adding);
    struct openmp *mine = (struct openmp *)find((uintptr_t)caller);
    if (!mine) {
        /* With no room left the last one changes hands: so many copies of a runtime would not have worked anyway. */
        uint32_t n = count < RUNTIMES ? count : RUNTIMES - 1;
        mine = &runtimes[n];
        *mine = o;
        if (n == count)
            __atomic_store_n(&count, n + 1, __ATOMIC_RELEASE);
    }
    lock_drop(&adding);
    return mine;
}
