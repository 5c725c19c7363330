#include "preload/hooks/openmp.h"

#include <stddef.h>
#include <string.h>

#include "preload/symbols.h"
#include "preload/wrapper.h"

enum { RUNTIMES = 16 };

static struct openmp runtimes[RUNTIMES];
static uint32_t count;
static struct lock adding;

static const struct {
    const char *symbol;
    size_t offset;
} table[] = {
#define THRACE_OMP(ret, name, params) {#name, offsetof(struct openmp, name)},
#include "preload/hooks/openmp.def"
#undef THRACE_OMP
};

enum { FUNCTIONS = sizeof table / sizeof table[0] };

static void **function(struct openmp *o, size_t i) { return (void **)((char *)o + table[i].offset); }

static const struct openmp *find(uintptr_t pc)
{
    uint32_t n = __atomic_load_n(&count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < n; i++)
        if (pc < __atomic_load_n(&runtimes[i].module.to, __ATOMIC_ACQUIRE) && pc >= runtimes[i].module.from)
            return &runtimes[i];
    return NULL;
}

void openmp_forget(void)
{
    for (uint32_t i = 0; i < __atomic_load_n(&count, __ATOMIC_ACQUIRE); i++)
        __atomic_store_n(&runtimes[i].module.to, 0, __ATOMIC_RELEASE);
}

/* What is known under no address any more may be in use, by who entered a region before. It gets an address again. */
static struct openmp *find_same(const struct openmp *o)
{
    const size_t head = offsetof(struct openmp, module) + sizeof o->module;
    for (uint32_t i = 0; i < count; i++)
        if (!runtimes[i].module.to &&
            !memcmp((const char *)&runtimes[i] + head, (const char *)o + head, sizeof *o - head))
            return &runtimes[i];
    return NULL;
}

static void resolve(struct openmp *o, const void *caller)
{
    struct symbol_scope scope;
    bool any = false;
    symbol_scope_of(caller, &scope);
    for (size_t i = 0; i < FUNCTIONS; i++)
        any |= (*function(o, i) = symbol_in(&scope, table[i].symbol).address) != NULL;
    for (size_t i = 0; i < FUNCTIONS && !any; i++)
        *function(o, i) = symbol_anywhere(table[i].symbol).address;
}

const struct openmp *openmp_of(const void *caller)
{
    const struct openmp *known = find((uintptr_t)caller);
    if (likely(known))
        return known;
    if (is_in_library(caller))
        return NULL;
    struct openmp o = {0};
    module_span_of((uintptr_t)caller, &o.module);
    resolve(&o, caller);
    lock_take(&adding);
    struct openmp *mine = (struct openmp *)find((uintptr_t)caller);
    if (!mine && (mine = find_same(&o))) {
        mine->module.from = o.module.from;
        __atomic_store_n(&mine->module.to, o.module.to, __ATOMIC_RELEASE);
    } else if (!mine) {
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
