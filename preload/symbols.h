/*
 * Functions of other modules by name, read from their symbol tables: what dlsym would say, without the loader.
 *
 * A hook may be called by whoever holds a lock of libc or of the loader: newlocale calls malloc with the lock of the
 * locales, a constructor inside dlopen waits for a thread that calls new. And dlsym locks; where it finds nothing it
 * allocates, and leaves an error that the program's dlerror would report, and dlerror translates. So nothing in a hook
 * asks the loader for a name.
 */
#ifndef THRACE_PRELOAD_SYMBOLS_H
#define THRACE_PRELOAD_SYMBOLS_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

struct symbol {
    void *address;      /* NULL: there is none */
    const void *module; /* tells modules apart */
};

/*
 * What comes after us among the modules that the program began with: dlsym(RTLD_NEXT), or dlvsym. version NULL: the
 * default one. Locks and allocates nothing, and can be called as soon as we are relocated.
 */
struct symbol symbol_next(const char *name, const char *version);

/*
 * The library was loaded into a program that runs: from now on what comes after us is what the program calls, whichever
 * module has it. Modules that were loaded after the program had begun may go, and do not count.
 */
void symbol_come_late(void);

/* What the loader tells debuggers: the list of all modules. */
const struct r_debug *symbol_loader(void);

/* What we export by that name. */
struct symbol symbol_ours(const char *name, const char *version);

/*
 * Do we come before libc, as a preloaded library does, so that the program's calls reach us? Not so when it has loaded us
 * itself.
 */
bool symbol_is_before_libc(void);

/* The first of all, which may be ours: who would the program call? Before it has loaded anything itself. */
struct symbol symbol_first(const char *name);

/* --- modules that were loaded late -------------------------------------------------------------------------------- */

/*
 * These call dl_iterate_phdr, which fails never, and whose lock is held only while the list of modules changes or by
 * another such call: not in malloc or free, and not in a section.
 */
struct symbol_module {
    uintptr_t base;
    const ElfW(Dyn) *dynamic;
};

struct symbol_module symbol_module_of(const struct dl_phdr_info *info);

/* What an entry of a module's dynamic section points to. The loader has added the base, but where it cannot write. */
static inline const void *symbol_place(const struct symbol_module *m, const ElfW(Dyn) *d)
{
    return (const void *)(d->d_un.d_ptr < m->base ? d->d_un.d_ptr + m->base : d->d_un.d_ptr);
}

enum { SYMBOL_SCOPE_MAX = 64 };

/* The module that has the caller's address, and in the order of the loader those that it was linked with. */
struct symbol_scope {
    struct symbol_module module[SYMBOL_SCOPE_MAX];
    int n, asked; /* so many are known, and what so many need */
};

void symbol_scope_of(const void *caller, struct symbol_scope *scope);

/* What its reference would lead to without us: the modules that the program began with come first. */
struct symbol symbol_in(struct symbol_scope *scope, const char *name);

/* For who was not linked with what he uses. */
struct symbol symbol_anywhere(const char *name);

#endif
