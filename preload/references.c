#include "preload/references.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "lib/rawsys.h"
#include "preload/attributes.h"
#include "preload/recorder.h"
#include "preload/symbols.h"

#if defined(__x86_64__)
enum { CALLED = R_X86_64_JUMP_SLOT, TAKEN = R_X86_64_GLOB_DAT };
#else
enum { CALLED = R_AARCH64_JUMP_SLOT, TAKEN = R_AARCH64_GLOB_DAT };
#endif

struct change {
    const void *(*ask)(const struct reference *r);
    unsigned failed;
};

/* --- one module --------------------------------------------------------------------------------------------------- */

struct range {
    uintptr_t from, to;
};

struct module {
    struct symbol_module of;
    struct range all, read_only; /* read_only: what the loader makes so once it has relocated it */
    const ElfW(Sym) *symbols;
    const char *strings;
    const uint16_t *versions;
    const ElfW(Verneed) *needed;
    bool open; /* read_only is writable */
    bool stuck; /* and once it could not be made so */
};

static bool is_in(struct range r, uintptr_t address) { return address >= r.from && address < r.to; }

static void find_ranges(struct module *m, const struct dl_phdr_info *info)
{
    const uintptr_t page = getauxval(AT_PAGESZ);
    m->all.from = UINTPTR_MAX;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + ph->p_vaddr, to = from + ph->p_memsz;
        if (ph->p_type == PT_GNU_RELRO)
            m->read_only = (struct range){from & ~(page - 1), to & ~(page - 1)};
        if (ph->p_type == PT_LOAD && from < m->all.from)
            m->all.from = from;
        if (ph->p_type == PT_LOAD && to > m->all.to)
            m->all.to = to;
    }
}

static const char *version_of(const struct module *m, uint32_t symbol)
{
    enum { HIDDEN = 0x8000 };
    const ElfW(Verneed) *n = m->needed;
    while (m->versions && n) {
        const ElfW(Vernaux) *v = (const void *)((const char *)n + n->vn_aux);
        for (int i = 0; i < n->vn_cnt; i++, v = (const void *)((const char *)v + v->vna_next))
            if (v->vna_other == (m->versions[symbol] & ~HIDDEN))
                return m->strings + v->vna_name;
        n = n->vn_next ? (const void *)((const char *)n + n->vn_next) : NULL;
    }
    return NULL;
}

/* Memory of a module stays as long as the loader's lock is held. */
static bool protect(const struct module *m, int how)
{
    return !sys_failed(raw_syscall(SYS_mprotect, (long)m->read_only.from, (long)(m->read_only.to - m->read_only.from),
                                   how, 0, 0, 0));
}

static void change_slot(struct change *c, struct module *m, const ElfW(Rela) *r)
{
    const ElfW(Sym) *s = &m->symbols[ELF64_R_SYM(r->r_info)];
    const void **slot = (const void **)(m->of.base + r->r_offset);
    if (ELF64_R_TYPE(r->r_info) != CALLED && ELF64_R_TYPE(r->r_info) != TAKEN)
        return;
    struct reference ref = {.name = m->strings + s->st_name,
                            .version = version_of(m, (uint32_t)ELF64_R_SYM(r->r_info)),
                            .value = __atomic_load_n(slot, __ATOMIC_RELAXED),
                            .own = s->st_shndx != SHN_UNDEF};
    /* A program for a fixed address may stand for a function whose address it takes. */
    ref.unbound = ELF64_R_TYPE(r->r_info) == CALLED && is_in(m->all, (uintptr_t)ref.value);
    const void *value = c->ask(&ref);
    if (!value)
        return;
    bool read_only = is_in(m->read_only, (uintptr_t)slot);
    if (read_only && !m->open)
        m->open = protect(m, PROT_READ | PROT_WRITE);
    m->stuck |= read_only && !m->open;
    c->failed += read_only && !m->open;
    /*
     * A program may look at one slot whether there is such a function, and call by another one. The latter come first;
     * and if one of them stays, none of the former may be filled.
     */
    if ((!read_only || m->open) && (ref.value || !m->stuck))
        __atomic_store_n(slot, value, __ATOMIC_RELEASE);
}

static void change_table(struct change *c, struct module *m, const ElfW(Rela) *table, size_t bytes)
{
    for (size_t i = 0; table && i < bytes / sizeof *table; i++)
        change_slot(c, m, &table[i]);
}

static int change_module(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct module m = {.of = symbol_module_of(info)};
    const ElfW(Rela) *called = NULL, *others = NULL;
    size_t called_bytes = 0, others_bytes = 0;
    (void)size;
    find_ranges(&m, info);
    if (!m.of.dynamic || is_in_library(m.of.dynamic) || is_in(m.all, (uintptr_t)symbol_loader()) ||
        (m.of.base && m.of.base == getauxval(AT_SYSINFO_EHDR)))
        return 0;
    for (const ElfW(Dyn) *d = m.of.dynamic; d->d_tag != DT_NULL; d++) {
        switch (d->d_tag) {
        case DT_SYMTAB: m.symbols = symbol_place(&m.of, d); break;
        case DT_STRTAB: m.strings = symbol_place(&m.of, d); break;
        case DT_VERSYM: m.versions = symbol_place(&m.of, d); break;
        case DT_VERNEED: m.needed = symbol_place(&m.of, d); break;
        case DT_JMPREL: called = symbol_place(&m.of, d); break;
        case DT_PLTRELSZ: called_bytes = d->d_un.d_val; break;
        case DT_RELA: others = symbol_place(&m.of, d); break;
        case DT_RELASZ: others_bytes = d->d_un.d_val; break;
        default: break;
        }
    }
    if (m.symbols && m.strings) {
        change_table(arg, &m, called, called_bytes);
        change_table(arg, &m, others, others_bytes);
    }
    if (m.open)
        protect(&m, PROT_READ);
    return 0;
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

/*
 * dl_iterate_phdr also shows modules that the loader is still at work on: what is written there would be lost, or be
 * taken for an offset. dlsym holds the lock that loading takes while it calls the resolver of such a function as this.
 * Volatile, because the compiler was told that dlsym calls nothing of ours.
 */
static struct change *volatile under_way;

static void nothing(void) {}

static __attribute__((used)) void (*with_the_loaders_lock(void))(void)
{
    if (under_way)
        dl_iterate_phdr(change_module, under_way);
    return nothing;
}

#ifdef __GLIBC__
EXPORT void thrace_with_the_loaders_lock(void) __attribute__((ifunc("with_the_loaders_lock")));
#endif

unsigned references_change(const void *(*ask)(const struct reference *r))
{
    struct change c = {.ask = ask};
    Dl_info us;
    void *library = dladdr(__ehdr_start, &us) ? dlopen(us.dli_fname, RTLD_NOW | RTLD_NOLOAD) : NULL;
    if (!library)
        return 1;
    under_way = &c;
    dlsym(library, "thrace_with_the_loaders_lock");
    under_way = NULL;
    dlclose(library);
    return c.failed;
}
