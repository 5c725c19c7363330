/*
 * Allocates in an IFUNC resolver, which the loader runs before it has relocated the libraries that come before this
 * one. Not every allocator stands that.
 */
#include <stdlib.h>

static int one(void) { return 1; }
static int two(void) { return 2; }

__attribute__((used)) static int (*resolve(void))(void)
{
    char *p = malloc(100), *q = calloc(10, 10);
    int zero = 1;
    for (int i = 0; q && i < 100; i++)
        zero &= !q[i];
    p = realloc(p, 200);
    free(q);
    free(p);
    return p && zero ? one : two;
}

int resolved(void) __attribute__((ifunc("resolve")));

/* The loader has to know the address when it relocates this library, not only when it comes to the program. */
extern int (*const resolved_early)(void);
int (*const resolved_early)(void) = resolved;
