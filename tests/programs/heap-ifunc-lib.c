/*
 * Allocates in an IFUNC resolver, which the loader runs before it has relocated the libraries that come before this
 * one. Not every allocator stands that.
 */
#include <stdlib.h>

static int one(void) { return 1; }
static int two(void) { return 2; }

__attribute__((used)) static int (*resolve(void))(void)
{
    char *p = malloc(100), *q = calloc(10, 10), *behind;
    volatile size_t half = (size_t)1 << (8 * sizeof(size_t) - 1);
    int zero = 1;
    for (int i = 0; q && i < 100; i++)
        zero &= !q[i];
    if (calloc(half, 2) || malloc(half)) /* their product is 0 */
        return two;
    for (int i = 0; p && i < 100; i++)
        p[i] = (char)i;
    p = realloc(p, 200);
    for (int i = 0; p && i < 100; i++)
        zero &= p[i] == i;
    /* What is made smaller fits into what it gets. */
    for (int i = 0; p && i < 200; i++)
        p[i] = (char)(i + 1);
    q = realloc(p, 16);
    char *fresh = calloc(4, 40);
    for (int i = 0; fresh && i < 160; i++)
        zero &= !fresh[i];
    behind = malloc(16);
    for (int i = 0; behind && i < 16; i++)
        behind[i] = 77;
    for (int i = 0; q && i < 16; i++)
        zero &= q[i] == i + 1;
    q = realloc(q, 8);
    for (int i = 0; behind && i < 16; i++)
        zero &= behind[i] == 77;
    free(q);
    free(behind);
    return p && q && fresh && behind && zero ? one : two;
}

int resolved(void) __attribute__((ifunc("resolve")));

/* The loader has to know the address when it relocates this library, not only when it comes to the program. */
extern int (*const resolved_early)(void);
int (*const resolved_early)(void) = resolved;
