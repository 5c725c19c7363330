#include "preload/real.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "preload/symbols.h"

/* First values of the pointers: resolve, then do what was asked for. */
#define THRACE_REAL(ret, name, symbol, version, params, args)                                                          \
    static ret boot_##name params                                                                                      \
    {                                                                                                                  \
        real_resolve();                                                                                                \
        return real.name args;                                                                                         \
    }
#define THRACE_REAL_VOID(name, symbol, version, params, args)                                                          \
    static void boot_##name params                                                                                     \
    {                                                                                                                  \
        real_resolve();                                                                                                \
        real.name args;                                                                                                \
    }
#include "preload/real.def"
#undef THRACE_REAL
#undef THRACE_REAL_VOID

/*
 * What a function that this libc does not have becomes. Nobody can have linked against it; who asks dlsym gets ours and
 * an error of the function's own kind.
 */
static long absent(const char *symbol)
{
    errno = ENOSYS;
    return strncmp(symbol, "pthread_", 8) && strncmp(symbol, "posix_", 6) ? -1 : ENOSYS;
}

#define THRACE_REAL(ret, name, symbol, version, params, args)                                                          \
    static ret absent_##name params { return (ret)absent(symbol); }
#define THRACE_REAL_VOID(name, symbol, version, params, args)                                                          \
    static void absent_##name params {}
#include "preload/real.def"
#undef THRACE_REAL
#undef THRACE_REAL_VOID

#define THRACE_REAL(ret, name, symbol, version, params, args) .name = boot_##name,
#define THRACE_REAL_VOID(name, symbol, version, params, args) .name = boot_##name,
struct real real = {
#include "preload/real.def"
};
#undef THRACE_REAL
#undef THRACE_REAL_VOID

static const struct {
    const char *symbol, *version, *name;
    size_t offset;
    void *absent;
} table[] = {
#define THRACE_REAL(ret, n, sym, ver, params, args) {sym, ver, #n, offsetof(struct real, n), (void *)absent_##n},
#define THRACE_REAL_VOID(n, sym, ver, params, args) {sym, ver, #n, offsetof(struct real, n), (void *)absent_##n},
#include "preload/real.def"
#undef THRACE_REAL
#undef THRACE_REAL_VOID
};

enum { NREAL = sizeof table / sizeof table[0] };

static struct real_hook hooks[NREAL];

static void **pointer(int i) { return (void **)((char *)&real + table[i].offset); }

void real_resolve(void)
{
    for (int i = 0; i < NREAL; i++) {
        void *f = *table[i].version ? symbol_next(table[i].symbol, table[i].version).address : NULL;
        if (!f)
            f = symbol_next(table[i].symbol, NULL).address;
        hooks[i].before_us = f;
        __atomic_store_n(pointer(i), f ? f : table[i].absent, __ATOMIC_RELEASE);
    }
}

static bool is_version(int i, const char *version)
{
    return !*table[i].version || !version || !strcmp(table[i].version, version);
}

bool real_find_hook(const char *name, const char *version, struct real_hook *hook)
{
    int i = 0;
    while (i < NREAL && (strcmp(table[i].symbol, name) || !is_version(i, version)))
        i++;
    if (i == NREAL)
        return false;
    if (!hooks[i].wrapper)
        hooks[i].wrapper = symbol_ours(name, *table[i].version ? table[i].version : NULL).address;
    *hook = hooks[i];
    return hook->before_us && hook->wrapper;
}

void real_each(void (*each)(void *arg, const void *address, const char *name), void *arg)
{
    for (int i = 0; i < NREAL; i++)
        if (*pointer(i) != table[i].absent)
            each(arg, *pointer(i), table[i].symbol);
}
