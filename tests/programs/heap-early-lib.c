/*
 * Allocates where hardly anything works yet or any more: in an IFUNC resolver, which the loader runs before it has
 * relocated the libraries that come before this one; in a constructor and a destructor; in the destructor of
 * thread-specific data.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int one(void) { return 1; }
static int two(void) { return 2; }

static int (*resolve(void))(void)
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

static void *early;
static pthread_key_t key;

static void forget(void *p)
{
    free(p);
    static __thread int rounds;
    if (rounds++ < 6)
        pthread_setspecific(key, malloc(1000));
}

__attribute__((constructor)) static void begin(void)
{
    early = strdup("allocated by a constructor");
    pthread_key_create(&key, forget);
}

__attribute__((destructor)) static void end(void) { free(early); }

void remember(void);
void remember(void) { pthread_setspecific(key, malloc(1000)); }
