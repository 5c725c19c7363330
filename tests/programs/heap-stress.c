/*
 * heap-stress ROUNDS: sixteen threads allocate by every function there is and free what others allocated, out of one
 * table. What is left at the end stays; "live N" says how many bytes that is, as malloc_usable_size counts them.
 */
#include <malloc.h>
#include <stdint.h>

#include "program.h"

enum { THREADS = 16, SLOTS = 512 };

static _Atomic(void *) table[SLOTS];
static pthread_barrier_t all_there;
static long rounds;
static void *(*volatile the_malloc)(size_t);

static void *allocate(unsigned way, size_t n)
{
    void *p = NULL;
    switch (way % 10) {
    case 0: return calloc(3, n / 3 + 1);
    case 1: return memalign(64, n);
    case 2: return posix_memalign(&p, 256, n) ? NULL : p;
    case 3: return aligned_alloc(32, (n + 31) / 32 * 32);
    case 4: return valloc(n);
    case 5: return realloc(malloc(n / 2), n);
    case 6: return reallocarray(malloc(n * 2), 2, n / 2 + 1);
    case 7: return realloc(NULL, n);
    default: return the_malloc(n);
    }
}

static size_t size_of(uint32_t random)
{
    switch (random % 64) {
    case 0: return 200000 + random % 300000; /* mapped */
    case 1: return 4000 + random % 30000;
    default: return random % 1024;
    }
}

static void *stress(void *arg)
{
    uint32_t random = 1 + (uint32_t)(intptr_t)arg;
    pthread_barrier_wait(&all_there);
    for (long i = 0; i < rounds; i++) {
        random = random * 1664525u + 1013904223u;
        void *p = allocate(random >> 12, size_of(random >> 8));
        CHECK(p);
        memset(p, 1, malloc_usable_size(p) < 64 ? malloc_usable_size(p) : 64);
        free(atomic_exchange(&table[(random >> 5) % SLOTS], p));
        free(NULL);
        void *huge = NULL;
        if (i % 64 == 0) {
            volatile size_t most = SIZE_MAX - 4096, half = SIZE_MAX / 2 + 2;
            CHECK(!(huge = malloc(most)) && !calloc(half, 2) && !reallocarray(NULL, half, 2));
            CHECK((huge = malloc(1000)) && !realloc(huge, most) && !reallocarray(huge, half, 2));
            void *same = huge; /* which most leave in place */
            CHECK(posix_memalign(&same, 3, 8) == EINVAL);
            huge = atomic_exchange(&table[random % SLOTS], huge); /* it lives on */
            free(huge ? realloc(huge, 0) : NULL); /* and this one does not: some allocators leave an empty block of it */
        }
    }
    pthread_barrier_wait(&all_there);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    long live = 0;
    rounds = argc > 1 ? atol(argv[1]) : 1000;
    the_malloc = malloc; /* in a program that is linked to a fixed address, this gives it an entry of its own */
    CHECK(!pthread_barrier_init(&all_there, NULL, THREADS));
    for (int i = 0; i < THREADS; i++)
        CHECK(!pthread_create(&threads[i], NULL, stress, (void *)(intptr_t)i));
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < SLOTS; i++)
        live += table[i] ? (long)malloc_usable_size(table[i]) : 0;
    char line[64];
    int n = snprintf(line, sizeof line, "live %ld\n", live);
    CHECK(write(1, line, (size_t)n) == n);
    return 0;
}
