/*
 * The allocator that comes after us, whichever it is, and what stands in for it until it is known.
 *
 * The first call may come from anywhere: a constructor that runs before ours, dlsym while it looks for the allocator,
 * even an IFUNC resolver that the loader runs before it has relocated us. Then neither pointers nor TLS nor a function
 * of libc can be used; so what a call needs until allocator_find is plain static data.
 */
#ifndef THRACE_PRELOAD_HEAP_ALLOCATOR_H
#define THRACE_PRELOAD_HEAP_ALLOCATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct allocator {
#define THRACE_ALLOCATOR(ret, name, params, args) ret(*name) params;
#include "preload/heap/allocator.def"
#undef THRACE_ALLOCATOR
};

extern struct allocator next_allocator;

/*
 * Finds it. False while that is not done: the call came from inside of it, from another thread meanwhile, or before we
 * are relocated. The arena serves it then.
 */
bool allocator_find(void);

/* Calls each(arg, address, name) for every function of it. */
void allocator_each(void (*each)(void *arg, const void *address, const char *name), void *arg);

/*
 * The function of that name, and ours in its place (real.h). Not malloc_usable_size, which changes nothing. False: it
 * is none of the allocator's.
 */
struct real_hook;
bool allocator_find_hook(const char *name, struct real_hook *hook);

/* The module that its malloc comes from (symbols.h). */
const void *allocator_module(void);

/* Why its blocks cannot be counted; ALLOCATOR_COUNTABLE: they can. */
enum allocator_state {
    ALLOCATOR_COUNTABLE,
    ALLOCATOR_IN_FRONT, /* the program's malloc is not ours: another one comes first */
    ALLOCATOR_OPAQUE,   /* its malloc and its malloc_usable_size do not come from one module */
};
enum allocator_state allocator_state(const void *our_malloc, const void *our_usable_size);

/* All its functions are of libc, for a program that has begun without us. */
bool allocator_is_of_libc(void);

/*
 * libc's allocator keeps the size of a block in front of it, and has for decades. True when the next allocator is
 * libc's and some blocks of all kinds have been looked at: then allocator_libc_size is what its malloc_usable_size
 * returns, at a nanosecond less.
 */
bool allocator_is_libc(void);

/* What a block that is mapped by itself has beside its head: a word, and nothing from glibc 2.43 on. */
extern size_t allocator_mapped_rest __attribute__((visibility("hidden")));

static inline size_t allocator_libc_size(const void *p)
{
    size_t head = ((const size_t *)p)[-1]; /* the size of the block with its head; bit 1: it is mapped by itself */
    return (head & ~(size_t)7) - sizeof(size_t) - (-(head >> 1 & 1) & allocator_mapped_rest);
}

/* --- the arena: static, never reused, bounded --------------------------------------------------------------------- */

/* Zeroed. NULL: used up, or align is no power of two. */
void *arena_take(size_t n, size_t align);

/* The product, or SIZE_MAX, which no arena has. */
size_t arena_product(size_t n, size_t size);

extern bool arena_used; /* there are blocks in it */
bool arena_has(const void *p);
size_t arena_size(const void *p);
void arena_copy(void *to, const void *from, size_t n);

#endif
