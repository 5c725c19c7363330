/* Allocates what is known: 40,000 blocks of 2,000 bytes that stay, in four threads, and 200,000 of 1,000 that do not. */
#include "program.h"

enum { THREADS = 4, KEPT = 10000, FREED = 50000 };

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

static void *allocate(void *arg)
{
    leaky();
    tidy();
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
