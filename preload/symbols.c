#include "preload/symbols.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>
#if defined(__aarch64__)
#include <sys/ifunc.h>
#endif

#include "preload/recorder.h"

#ifndef __GLIBC__
extern const ElfW(Dyn) _DYNAMIC[] __attribute__((visibility("hidden")));
#endif

/* --- the tables of one module ------------------------------------------------------------------------------------- */

struct tables {
    struct symbol_module module;
    const ElfW(Sym) *symbols;
    const char *strings;
    const uint32_t *gnu_hash, *hash;
    const uint16_t *versions; /* of each symbol; NULL: the module has no versions */
    const ElfW(Verdef) *definitions;
};

static bool is_ours(const struct symbol_module *m) { return m->dynamic == _DYNAMIC; }

static bool read_tables(struct tables *t, const struct symbol_module *m)
{
    *t = (struct tables){.module = *m};
    for (const ElfW(Dyn) *d = m->dynamic; d && d->d_tag != DT_NULL; d++) {
        switch (d->d_tag) {
        case DT_SYMTAB: t->symbols = symbol_place(m, d); break;
        case DT_STRTAB: t->strings = symbol_place(m, d); break;
        case DT_GNU_HASH: t->gnu_hash = symbol_place(m, d); break;
        case DT_HASH: t->hash = symbol_place(m, d); break;
        case DT_VERSYM: t->versions = symbol_place(m, d); break;
        case DT_VERDEF: t->definitions = symbol_place(m, d); break;
        default: break;
        }
    }
    return t->symbols && t->strings;
}

/* Not strcmp, which may not be there yet. */
static bool same_text(const char *a, const char *b)
{
    for (; *a && *a == *b; a++, b++)
        ;
    return *a == *b;
}

static bool is_version(const struct tables *t, unsigned index, const char *version)
{
    const ElfW(Verdef) *d = t->definitions;
    while (d) {
        const ElfW(Verdaux) *name = (const void *)((const char *)d + d->vd_aux);
        if (d->vd_ndx == index)
            return same_text(t->strings + name->vda_name, version);
        d = d->vd_next ? (const void *)((const char *)d + d->vd_next) : NULL;
    }
    return false;
}

static bool has_version(const struct tables *t, uint32_t i, const char *version)
{
    enum { HIDDEN = 0x8000 };
    if (!t->versions)
        return true;
    unsigned v = t->versions[i];
    return version ? is_version(t, v & ~(unsigned)HIDDEN, version) : v != VER_NDX_LOCAL && !(v & HIDDEN);
}

static bool is_wanted(const struct tables *t, uint32_t i, const char *name, const char *version)
{
    const ElfW(Sym) *s = &t->symbols[i];
    unsigned type = ELF64_ST_TYPE(s->st_info);
    return s->st_shndx != SHN_UNDEF && s->st_value && ELF64_ST_BIND(s->st_info) != STB_LOCAL &&
           (type == STT_FUNC || type == STT_NOTYPE || type == STT_GNU_IFUNC) &&
           same_text(t->strings + s->st_name, name) && has_version(t, i, version);
}

/* Index of the symbol, 0: none. */
static uint32_t look_in_gnu_hash(const struct tables *t, const char *name, const char *version)
{
    enum { BITS = 8 * sizeof(ElfW(Addr)) };
    uint32_t h = 5381;
    for (const char *p = name; *p; p++)
        h = h * 33 + (uint8_t)*p;
    uint32_t nbuckets = t->gnu_hash[0], first = t->gnu_hash[1], nwords = t->gnu_hash[2], shift = t->gnu_hash[3];
    const ElfW(Addr) *bloom = (const ElfW(Addr) *)(t->gnu_hash + 4);
    const uint32_t *buckets = (const uint32_t *)(bloom + nwords), *chain = buckets + nbuckets;
    if (!nbuckets || !nwords)
        return 0;
    ElfW(Addr) word = bloom[h / BITS % nwords];
    if (!(word >> h % BITS & word >> (h >> shift) % BITS & 1))
        return 0;
    for (uint32_t i = buckets[h % nbuckets]; i >= first && i; i++) {
        if ((chain[i - first] | 1) == (h | 1) && is_wanted(t, i, name, version))
            return i;
        if (chain[i - first] & 1)
            break;
    }
    return 0;
}

static uint32_t look_in_hash(const struct tables *t, const char *name, const char *version)
{
    uint32_t h = 0, nbuckets = t->hash[0];
    for (const char *p = name; *p; p++) {
        h = (h << 4) + (uint8_t)*p;
        h = (h ^ (h >> 24 & 0xf0)) & 0x0fffffff;
    }
    const uint32_t *buckets = t->hash + 2, *chain = buckets + nbuckets;
    for (uint32_t i = nbuckets ? buckets[h % nbuckets] : 0; i; i = chain[i])
        if (is_wanted(t, i, name, version))
            return i;
    return 0;
}

/* What the loader calls when it binds such a symbol. */
static void *choose(uintptr_t resolver)
{
#if defined(__aarch64__)
    __ifunc_arg_t arg = {._size = sizeof arg, ._hwcap = getauxval(AT_HWCAP), ._hwcap2 = getauxval(AT_HWCAP2)};
    return ((void *(*)(uint64_t, const __ifunc_arg_t *))resolver)(arg._hwcap | _IFUNC_ARG_HWCAP, &arg);
#else
    return ((void *(*)(void))resolver)();
#endif
}

static struct symbol look_in(const struct symbol_module *m, const char *name, const char *version)
{
    struct tables t;
    uint32_t i = 0;
    if (read_tables(&t, m))
        i = t.gnu_hash ? look_in_gnu_hash(&t, name, version) : t.hash ? look_in_hash(&t, name, version) : 0;
    if (!i)
        return (struct symbol){NULL, NULL};
    uintptr_t address = m->base + t.symbols[i].st_value;
    bool chosen = ELF64_ST_TYPE(t.symbols[i].st_info) == STT_GNU_IFUNC;
    return (struct symbol){chosen ? choose(address) : (void *)address, m->dynamic};
}

/* --- the modules that the program began with ---------------------------------------------------------------------- */

/*
 * They stay as long as the process lives, so their list can be walked at any time up to the one that was the last when
 * it was looked at first: in the constructor, or before.
 */
static const struct link_map *last;

#ifdef __GLIBC__
const struct r_debug *symbol_loader(void) { return &_r_debug; }
#else
/* Where the loader tells debuggers. */
const struct r_debug *symbol_loader(void)
{
    const ElfW(Phdr) *ph = (const void *)getauxval(AT_PHDR), *const end = ph + getauxval(AT_PHNUM);
    uintptr_t base = 0;
    for (const ElfW(Phdr) *p = ph; p < end; p++)
        if (p->p_type == PT_PHDR)
            base = (uintptr_t)ph - p->p_vaddr;
    while (ph < end && ph->p_type != PT_DYNAMIC)
        ph++;
    const ElfW(Dyn) *d = ph < end ? (const void *)(base + ph->p_vaddr) : NULL;
    while (d && d->d_tag != DT_NULL && d->d_tag != DT_DEBUG)
        d++;
    return d && d->d_tag == DT_DEBUG ? (const void *)d->d_un.d_ptr : NULL;
}
#endif

static const struct link_map *list(void)
{
    const struct link_map *first = symbol_loader()->r_map, *m = first;
    if (!__atomic_load_n(&last, __ATOMIC_ACQUIRE)) {
        while (m && m->l_next)
            m = m->l_next;
        __atomic_store_n(&last, m, __ATOMIC_RELEASE);
    }
    return first;
}

static const struct link_map *after(const struct link_map *m)
{
    return m == __atomic_load_n(&last, __ATOMIC_RELAXED) ? NULL : m->l_next;
}

/* The kernel's own module is in the list, but nobody is bound to it. */
static struct symbol look_in_listed(const struct link_map *m, const char *name, const char *version)
{
    struct symbol_module module = {m->l_addr, m->l_ld};
    if (m->l_addr && m->l_addr == getauxval(AT_SYSINFO_EHDR))
        return (struct symbol){NULL, NULL};
    return look_in(&module, name, version);
}

/* NULL: the program has loaded us into a namespace of its own. */
static const struct link_map *find_us(void)
{
    const struct link_map *m = list();
    while (m && m->l_ld != _DYNAMIC)
        m = after(m);
    return m;
}

static bool came_late;

struct symbol symbol_next(const char *name, const char *version)
{
    struct symbol s = {NULL, NULL};
    const struct link_map *ours = came_late ? NULL : find_us();
    for (const struct link_map *m = ours ? after(ours) : list(); m && !s.address; m = after(m))
        s = look_in_listed(m, name, version);
    return s;
}

bool symbol_is_before_libc(void) { return !came_late && find_us() && symbol_next("fork", NULL).address; }

struct symbol symbol_ours(const char *name, const char *version)
{
    const struct symbol_module us = {(uintptr_t)__ehdr_start, _DYNAMIC};
    return look_in(&us, name, version);
}

struct symbol symbol_first(const char *name)
{
    struct symbol s = {NULL, NULL};
    for (const struct link_map *m = list(); m && !s.address; m = after(m))
        s = look_in_listed(m, name, NULL);
    return s;
}

/* --- those that came later ---------------------------------------------------------------------------------------- */

struct symbol_module symbol_module_of(const struct dl_phdr_info *info)
{
    uintptr_t base = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            return (struct symbol_module){base, (const void *)(base + info->dlpi_phdr[i].p_vaddr)};
    return (struct symbol_module){0, NULL};
}

static bool covers(const struct dl_phdr_info *info, uintptr_t address)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        if (ph->p_type == PT_LOAD && address - (info->dlpi_addr + ph->p_vaddr) < ph->p_memsz)
            return true;
    }
    return false;
}

/* The name that others know a module by: what it says itself, else that of its file. */
static bool is_named(const struct symbol_module *m, const char *path, const char *name)
{
    struct tables t;
    if (!read_tables(&t, m))
        return false;
    for (const ElfW(Dyn) *d = m->dynamic; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_SONAME && same_text(t.strings + d->d_un.d_val, name))
            return true;
    const char *file = path;
    for (const char *p = path; *p; p++)
        if (*p == '/')
            file = p + 1;
    return same_text(file, name) || same_text(path, name);
}

static bool needs(const struct link_map *m, const struct link_map *other)
{
    struct tables t;
    const struct symbol_module module = {m->l_addr, m->l_ld}, needed = {other->l_addr, other->l_ld};
    if (!read_tables(&t, &module))
        return false;
    for (const ElfW(Dyn) *d = module.dynamic; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED && is_named(&needed, other->l_name, t.strings + d->d_un.d_val))
            return true;
    return false;
}

/*
 * The loader lists what the program was linked with before all that came later. The last of these is the last one that
 * is needed by the program, or by one before it that is. Those that came later may go at any time; while the loader
 * calls this for the first module, they do not.
 */
static int find_last(struct dl_phdr_info *info, size_t size, void *arg)
{
    enum { LISTED_MAX = 1024 };
    bool is_needed[LISTED_MAX] = {true};
    const struct link_map *first = symbol_loader()->r_map, *found = first;
    int i = 1;
    for (const struct link_map *m = first->l_next; m && i < LISTED_MAX; m = m->l_next, i++) {
        int k = 0;
        for (const struct link_map *by = first; by != m && !is_needed[i]; by = by->l_next, k++)
            is_needed[i] = is_needed[k] && needs(by, m);
        if (is_needed[i])
            found = m;
    }
    __atomic_store_n(&last, found, __ATOMIC_RELEASE);
    return 1;
}

void symbol_come_late(void)
{
    dl_iterate_phdr(find_last, NULL);
    came_late = true;
}

struct wanted {
    uintptr_t address;    /* the module that has it, … */
    const char *soname;   /* … or is called so, … */
    const char *function; /* … or any that has this function */
    struct symbol_module module;
    struct symbol symbol;
};

static int find(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct wanted *w = arg;
    struct symbol_module m = symbol_module_of(info);
    (void)size;
    if (!m.dynamic || is_ours(&m) || (m.base && m.base == getauxval(AT_SYSINFO_EHDR)))
        return 0;
    bool has_name = w->soname && is_named(&m, info->dlpi_name, w->soname);
    if (w->address ? covers(info, w->address) : has_name)
        w->module = m;
    else if (w->function)
        w->symbol = look_in(&m, w->function, NULL);
    return w->module.dynamic || w->symbol.address;
}

static void add(struct symbol_scope *scope, const struct symbol_module *m)
{
    for (int i = 0; i < scope->n; i++)
        if (scope->module[i].dynamic == m->dynamic)
            return;
    if (m->dynamic && scope->n < SYMBOL_SCOPE_MAX)
        scope->module[scope->n++] = *m;
}

/* What a module was linked with stays loaded as long as it does. */
static void add_needed(struct symbol_scope *scope, const struct symbol_module *m)
{
    struct tables t;
    if (!read_tables(&t, m))
        return;
    for (const ElfW(Dyn) *d = m->dynamic; d->d_tag != DT_NULL; d++) {
        struct wanted w = {.soname = t.strings + d->d_un.d_val};
        if (d->d_tag == DT_NEEDED && dl_iterate_phdr(find, &w))
            add(scope, &w.module);
    }
}

void symbol_scope_of(const void *caller, struct symbol_scope *scope)
{
    struct wanted w = {.address = (uintptr_t)caller};
    scope->n = scope->asked = 0;
    if (dl_iterate_phdr(find, &w))
        add(scope, &w.module);
}

struct symbol symbol_in(struct symbol_scope *scope, const char *name)
{
    struct symbol s = symbol_next(name, NULL);
    for (int i = 0; i < scope->n && !s.address; i++) {
        s = look_in(&scope->module[i], name, NULL);
        if (!s.address && i == scope->asked) {
            add_needed(scope, &scope->module[i]);
            scope->asked++;
        }
    }
    return s;
}

struct symbol symbol_anywhere(const char *name)
{
    struct wanted w = {.function = name};
    dl_iterate_phdr(find, &w);
    return w.symbol;
}
