#include "preload/heap/allocator.h"

#include <string.h>

#include "preload/real.h"
#include "preload/symbols.h"
#include "preload/valgrind.h"

struct allocator next_allocator;

/* The loader fills this in when it relocates us; what it should be then, the code knows without being relocated. */
static const void *volatile relocated = (const void *)&relocated;

static uint32_t finding, found;

bool allocator_find(void)
{
    if (__atomic_load_n(&found, __ATOMIC_ACQUIRE))
        return true;
    if (relocated != (const void *)&relocated || __atomic_exchange_n(&finding, 1, __ATOMIC_ACQ_REL))
        return false;
#define THRACE_ALLOCATOR(ret, name, params, args) next_allocator.name = (ret(*) params)symbol_next(#name, NULL).address;
#include "preload/heap/allocator.def"
#undef THRACE_ALLOCATOR
    __atomic_store_n(&found, 1, __ATOMIC_RELEASE);
    return true;
}

void allocator_each(void (*each)(void *arg, const void *address, const char *name), void *arg)
{
#define THRACE_ALLOCATOR(ret, name, params, args) each(arg, (const void *)next_allocator.name, #name);
#include "preload/heap/allocator.def"
#undef THRACE_ALLOCATOR
}

bool allocator_find_hook(const char *name, struct real_hook *hook)
{
    *hook = (struct real_hook){NULL, NULL};
#define THRACE_ALLOCATOR(ret, function, params, args)                                                                  \
    if (!strcmp(name, #function))                                                                                      \
        hook->before_us = (const void *)next_allocator.function;
#include "preload/heap/allocator.def"
#undef THRACE_ALLOCATOR
    if (!hook->before_us || !strcmp(name, "malloc_usable_size"))
        return false;
    hook->wrapper = symbol_ours(name, NULL).address;
    return hook->wrapper;
}

/*
 * By its definition. What dlsym(RTLD_DEFAULT) says need not be one: a program that is linked to a fixed address and
 * takes that of a function has an entry of its own for it, which is the function's address for everybody.
 */
static bool comes_first(const char *name, const void *ours) { return symbol_first(name).address == ours; }

const void *allocator_module(void) { return symbol_next("malloc", NULL).module; }

/* Valgrind's own allocator takes the place of all that are called malloc, ours included, and of no module. */
enum allocator_state allocator_state(const void *our_malloc, const void *our_usable_size)
{
    if (is_under_valgrind())
        return ALLOCATOR_IN_FRONT;
    if (!comes_first("malloc", our_malloc) || !comes_first("malloc_usable_size", our_usable_size))
        return ALLOCATOR_IN_FRONT;
    const void *module = allocator_module();
    if (!module || module != symbol_next("malloc_usable_size", NULL).module ||
        module != symbol_next("free", NULL).module || module != symbol_next("realloc", NULL).module)
        return ALLOCATOR_OPAQUE;
    return ALLOCATOR_COUNTABLE;
}

bool allocator_is_of_libc(void)
{
    const void *libc = symbol_next("__libc_start_main", NULL).module;
#define THRACE_ALLOCATOR(ret, name, params, args)                                                                      \
    if (symbol_next(#name, NULL).module != libc)                                                                       \
        return false;
#include "preload/heap/allocator.def"
#undef THRACE_ALLOCATOR
    return libc;
}

size_t allocator_mapped_rest;

/* The first block that is mapped by itself tells how large the rest of such blocks is. */
static bool size_is_known(const void *p, size_t usable, bool *mapped)
{
    size_t head = ((const size_t *)p)[-1], rest = (head & ~(size_t)7) - sizeof(size_t) - usable;
    if (head & 2 && !*mapped && (!rest || rest == sizeof(size_t))) {
        *mapped = true;
        allocator_mapped_rest = rest;
    }
    return allocator_libc_size(p) == usable;
}

bool allocator_is_libc(void)
{
#ifndef __GLIBC__
    return false;
#endif
    static const size_t sizes[] = {0, 1, 24, 25, 100, 1000, 1032, 1033, 5000, 70000, 1 << 20, 40 << 20};
    const struct allocator *a = &next_allocator;
    if (allocator_module() != symbol_next("__libc_start_main", NULL).module)
        return false;
    bool same = true, mapped = false;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] && same; i++) {
        void *p[] = {a->malloc(sizes[i]), a->memalign(256, sizes[i])};
        for (int j = 0; j < 2; j++) {
            same &= !p[j] || size_is_known(p[j], a->malloc_usable_size(p[j]), &mapped);
            a->free(p[j]);
        }
    }
    return same;
}

/* --- the arena ---------------------------------------------------------------------------------------------------- */

enum { ARENA_SIZE = 128 << 10, ARENA_ALIGN = 16 };

static uint8_t arena[ARENA_SIZE] __attribute__((aligned(4096)));
static size_t arena_end;
bool arena_used;

/* In front of each block, in the alignment's worth of bytes that every block has there. */
struct arena_block {
    size_t size;
};

void *arena_take(size_t n, size_t align)
{
    if (align < ARENA_ALIGN)
        align = ARENA_ALIGN;
    if (align & (align - 1) || align > ARENA_SIZE || n > ARENA_SIZE)
        return NULL;
    size_t end = __atomic_load_n(&arena_end, __ATOMIC_RELAXED), start;
    do {
        start = (end + ARENA_ALIGN + align - 1) & ~(align - 1);
        if (start + n > ARENA_SIZE)
            return NULL;
    } while (!__atomic_compare_exchange_n(&arena_end, &end, start + n, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    arena_used = true;
    ((struct arena_block *)(arena + start - ARENA_ALIGN))->size = n;
    return arena + start;
}

size_t arena_product(size_t n, size_t size)
{
    size_t product;
    return __builtin_mul_overflow(n, size, &product) ? SIZE_MAX : product;
}

bool arena_has(const void *p) { return (uintptr_t)p - (uintptr_t)arena < ARENA_SIZE; }

size_t arena_size(const void *p) { return ((const struct arena_block *)((const uint8_t *)p - ARENA_ALIGN))->size; }

/* Not memcpy, which may not be there yet. */
void arena_copy(void *to, const void *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ((uint8_t *)to)[i] = ((const uint8_t *)from)[i];
        __asm__ volatile("" ::: "memory");
    }
}
