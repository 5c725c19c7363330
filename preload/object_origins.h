/*
 * Where locks come from: the stacks that made them, and the names that the program gave them. Both tables have a fixed
 * size and no locks: a signal handler and a thread that is torn out of a hook leave them usable. What finds no room is
 * forgotten; then the lock has one source of a name less.
 */
#ifndef THRACE_PRELOAD_OBJECT_ORIGINS_H
#define THRACE_PRELOAD_OBJECT_ORIGINS_H

#include <stdbool.h>
#include <stdint.h>

enum { OBJECT_TEXT_MAX = 96, OBJECT_SITE_FRAMES = 6 };

/* The object was made by this stack, of at most OBJECT_SITE_FRAMES PCs; or is there no more. */
void object_made(const void *address, const uintptr_t *pcs, int n);
void object_unmade(const void *address);

/* The stack that made the object, the caller of the function that it was made with first. 0: it is not known. */
int object_site(const void *address, uintptr_t pcs[OBJECT_SITE_FRAMES]);

/* The program gives the object a name, of which OBJECT_TEXT_MAX bytes count. False: there is no room for more names. */
bool object_named(const void *address, const char *name);

/* The name that the program gave the object, of *len bytes; NULL: none. It stays as it is. */
const char *object_name(const void *address, uint32_t *len);

/*
 * A number that becomes another when the object at the address is made by another stack than before, or is given a name;
 * for reasons of others as well, now and then.
 */
enum { OBJECT_LIVES = 1 << 12, OBJECT_LIFE_BITS = 16 };
extern uint16_t object_lives[OBJECT_LIVES] __attribute__((visibility("hidden")));

static inline uint16_t *object_life_of(const void *address)
{
    return &object_lives[((uint64_t)(uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15) >> 40) % OBJECT_LIVES];
}
static inline uint32_t object_life(const void *address)
{
    return __atomic_load_n(object_life_of(address), __ATOMIC_RELAXED);
}

#endif
