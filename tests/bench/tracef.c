/*
 * tracef [OPERATIONS]: events of LTTng's tracef, what a region of ours is compared with: two of them are an operation.
 * Prints what micro prints. The library is looked for when it runs, so that it need not be there to build this.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long long ns_of(clockid_t clock)
{
    struct timespec ts;
    clock_gettime(clock, &ts);
    return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

int main(int argc, char **argv)
{
    void (*event)(const char *, ...);
    long operations = argc > 1 ? atol(argv[1]) : 1000000;
    void *library = dlopen("liblttng-ust.so.1", RTLD_NOW);
    *(void **)&event = library ? dlsym(library, "lttng_ust__tracef") : NULL;
    if (!event) {
        fprintf(stderr, "tracef: %s\n", dlerror());
        return 1;
    }
    long long begun = ns_of(CLOCK_MONOTONIC);
    for (long i = 0; i < operations; i++) {
        event("region");
        event("end");
    }
    printf("tracef %ld %lld cpu=%lld\n", operations, ns_of(CLOCK_MONOTONIC) - begun, ns_of(CLOCK_PROCESS_CPUTIME_ID));
    return 0;
}
