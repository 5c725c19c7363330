/*
 * Allocates where hardly anything works: in a constructor and a destructor, in the destructor of thread-specific data.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

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
