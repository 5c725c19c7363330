/*
 * heap-host MODULE…: a C program that loads modules in C++ for themselves alone, uses them from several threads and
 * lets them go again.
 */
#include <dlfcn.h>
#include <stdint.h>

#include "program.h"

enum { THREADS = 4, TIMES = 10 };

static int (*use)(int);
static void *(*make)(size_t);
static void (*unmake)(void *);

static void *use_it(void *arg)
{
    return (void *)(intptr_t)(use((int)(intptr_t)arg) != 0);
}

int main(int argc, char **argv)
{
    for (int i = 0; i < TIMES; i++)
        for (int m = 1; m < argc; m++) {
            pthread_t threads[THREADS];
            long used = 0;
            void *module = dlopen(argv[m], RTLD_NOW | RTLD_LOCAL);
            CHECK(module);
            *(void **)&use = dlsym(module, "use_operators");
            CHECK(use);
            *(void **)&make = dlsym(module, "make");
            *(void **)&unmake = dlsym(module, "unmake");
            unmake(make(100));
            for (int t = 0; t < THREADS; t++)
                CHECK(!pthread_create(&threads[t], NULL, use_it, (void *)(intptr_t)(100 * t)));
            for (int t = 0; t < THREADS; t++) {
                void *result;
                pthread_join(threads[t], &result);
                used += (long)result;
            }
            CHECK(!dlclose(module));
            printf("module %d: %ld\n", m, used);
        }
    return 0;
}
