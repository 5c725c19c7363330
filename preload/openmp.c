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
        if (pc >= runtimes[i].from && pc < runtimes[i].to)
            return &runtimes[i];
    return NULL;
}

struct module {
    uintptr_t pc, from, to;
};

static int find_module(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct module *m = arg;
    uintptr_t from = UINTPTR_MAX, to = 0;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD)
            continue;
        uintptr_t at = info->dlpi_addr + p->p_vaddr;
        from = at < from ? at : from;
        to = at + p->p_memsz > to ? at + p->p_memsz : to;
    }
    if (m->pc < from || m->pc >= to)
        return 0;
    m->from = from;
    m->to = to;
    return 1;
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

/* The linker's names for the ends of the module that refers to them. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

const struct openmp *openmp_of(const void *caller)
{
    const struct openmp *known = find((uintptr_t)caller);
    if (likely(known))
        return known;
    if ((const char *)caller >= __ehdr_start && (const char *)caller < _end)
        return NULL;
    struct module m = {.pc = (uintptr_t)caller};
    struct openmp o = {0};
    if (dl_iterate_phdr(find_module, &m)) {
        o.from = m.from;
        o.to = m.to;
    }
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
