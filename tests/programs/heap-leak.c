/*
 * Allocates known amounts, in four threads: 40,000 blocks of 2,000 bytes that stay; 200,000 of 1,000 that do not; and
 * 4,000 of 3,000 that stay because no realloc can make them that large.
 */
#include <stdint.h>

#include "program.h"

enum { THREADS = 4, KEPT = 10000, FREED = 50000, STUBBORN = 1000 };

static void *volatile kept;

NOINLINE static void leaky(void)
{
    for (int i = 0; i < KEPT; i++)
        kept = malloc(2000);
    NO_TAIL_CALL();
}

NOINLINE static void tidy(void)
{
    for (int i = 0; i < FREED; i++)
        free(malloc(1000));
    NO_TAIL_CALL();
}

NOINLINE static void stubborn(void)
{
    volatile size_t too_much = SIZE_MAX / 2;
    for (int i = 0; i < STUBBORN; i++) {
        kept = malloc(3000);
        CHECK(!realloc(kept, too_much));
    }
    NO_TAIL_CALL();
}

static void *allocate(void *arg)
{
    leaky();
    tidy();
    stubborn();
    return arg;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        CHECK(!pthread_create(&threads[i], NULL, allocate, NULL));
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
